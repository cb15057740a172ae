import type { SchemaError } from '../../schemas/validator/error.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { valueAt } from './schema-errors.ts';

/** The part of an object that fits its schema, for the rules beyond the schema. */
export interface ValidPart<T = KubeObject> {
  /** The object without the values that do not fit. */
  object: T;
  /** Whether a value at this path, below it or above it does not fit, so rules about it cannot be checked. */
  isFaulty(...path: string[]): boolean;
}

/**
 * @param errors the errors from the schemas of the kind and of its pod template, with paths from the root of the object
 * @param cut what is removed for a faulty field of a list item: the list, or the field alone
 */
export function validPart<T extends object>(
  object: T,
  errors: readonly SchemaError[],
  cut: 'list' | 'field' = 'list',
): ValidPart<T> {
  const faults = errors.map((error) => faultOf(error));
  const isFaulty = (...path: string[]): boolean =>
    faults.some((fault) => path.every((key, at) => fault[at] === undefined || fault[at] === key));
  if (faults.length === 0) return { object, isFaulty };
  const sound = structuredClone(object);
  for (const fault of faults) {
    // Never remove one element of a list: the indexes of the others would shift.
    const index = fault.findIndex((key, at) => isIndex(key) && (cut === 'list' || at === fault.length - 1));
    const path = index === -1 ? fault : fault.slice(0, index);
    const owner = valueAt(sound, path.slice(0, -1));
    const key = path.at(-1);
    if (key !== undefined && typeof owner === 'object' && owner !== null)
      delete (owner as Record<string, unknown>)[key];
  }
  return { object: sound, isFaulty };
}

function isIndex(key: string): boolean {
  return /^[0-9]+$/.test(key);
}

/** The field that an error is about, also if it is missing or unknown. */
export function faultOf({ path, keyword, params }: SchemaError): string[] {
  if (keyword === 'required') return [...path, String(params['missingProperty'])];
  return keyword === 'additionalProperties' ? [...path, String(params['additionalProperty'])] : path;
}
