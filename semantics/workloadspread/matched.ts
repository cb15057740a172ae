import type { KubeObject } from '../../schemas/wire/object.ts';
import { isObject, parsedJson } from '../values/json-shape.ts';
import { MATCHED_ANNOTATION } from './resource.ts';

/** Where a pod belongs by its annotation. */
export interface Matched {
  /** The name of its WorkloadSpread. */
  name: string;
  subset: string;
}

/** A longer text is none of a WorkloadSpread. */
const MOST_CHARACTERS = 2_048;

/** Where a pod belongs; undefined: no WorkloadSpread has said, or nobody can read it. */
export function matchedOf({ metadata }: KubeObject): Matched | undefined {
  const text = metadata.annotations?.[MATCHED_ANNOTATION];
  if (text === undefined || text.length > MOST_CHARACTERS) return undefined;
  const value = parsedJson(text);
  if (!isObject(value)) return undefined;
  const { name, subset } = value;
  if (typeof name !== 'string' || typeof subset !== 'string' || subset === '') return undefined;
  return { name, subset };
}

/** The annotation of a pod in a subset, with the keys in OpenKruise's order. */
export function matchedText(spread: KubeObject, subset: string): string {
  return JSON.stringify({ name: spread.metadata.name, subset });
}
