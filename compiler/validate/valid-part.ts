import type { SchemaError } from '../../schemas/validator/error.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { valueAt } from './schema-errors.ts';

/** What can still be judged of an object that does not fit its schema. */
export interface ValidPart {
  /** Without the values that do not fit. */
  object: KubeObject;
  /** Whether something at this path, below it or above it does not fit: what follows from it is not known. */
  isFaulty(...path: string[]): boolean;
}

/** @param errors what the schemas of the kind and of its pod template say, paths from the root of the object */
export function validPart(object: KubeObject, errors: readonly SchemaError[]): ValidPart {
  const faults = errors.map((error) => faultOf(error));
  const isFaulty = (...path: string[]): boolean =>
    faults.some((fault) => path.every((key, at) => fault[at] === undefined || fault[at] === key));
  if (faults.length === 0) return { object, isFaulty };
  const sound = structuredClone(object);
  for (const fault of faults) {
    // A list that lost an element would have the others elsewhere.
    const index = fault.findIndex((key) => /^[0-9]+$/.test(key));
    const path = index === -1 ? fault : fault.slice(0, index);
    const owner = valueAt(sound, path.slice(0, -1));
    const key = path.at(-1);
    if (key !== undefined && typeof owner === 'object' && owner !== null)
      delete (owner as Record<string, unknown>)[key];
  }
  return { object: sound, isFaulty };
}

/** The field that an error is about: also one that lacks, or that there is not. */
function faultOf({ path, keyword, params }: SchemaError): string[] {
  if (keyword === 'required') return [...path, String(params['missingProperty'])];
  return keyword === 'additionalProperties' ? [...path, String(params['additionalProperty'])] : path;
}
