import type { KubeObject } from '../../schemas/wire/object.ts';
import { isObject, parsedJson } from '../values/json-shape.ts';
import { MATCHED_ANNOTATION } from './resource.ts';

/** Where a pod belongs by its annotation. */
export interface Matched {
  /** The name of its WorkloadSpread. */
  name: string;
  subset: string;
  /** By what it is on record, where it had no name as it was placed. */
  uid: string | undefined;
  /** Nobody placed it as it was created, and its node has told. */
  isMissed: boolean;
}

/** A longer text is none of a WorkloadSpread. */
const MOST_CHARACTERS = 2_048;

/** What of a pod nobody placed that was to be placed. OpenKruise reads no such key, and leaves it. */
const BY_NODE = 'node';

/** Where a pod belongs; undefined: no WorkloadSpread has said, or nobody can read it. */
export function matchedOf({ metadata }: KubeObject): Matched | undefined {
  const text = metadata.annotations?.[MATCHED_ANNOTATION];
  if (text === undefined || text.length > MOST_CHARACTERS) return undefined;
  const value = parsedJson(text);
  if (!isObject(value)) return undefined;
  const { name, subset, uid, by } = value;
  if (typeof name !== 'string' || typeof subset !== 'string' || subset === '') return undefined;
  return { name, subset, uid: typeof uid === 'string' ? uid : undefined, isMissed: by === BY_NODE };
}

/** The annotation of a pod in a subset, with the keys in OpenKruise's order. */
export function matchedText(
  spread: KubeObject,
  subset: string,
  more: { uid?: string | undefined; isMissed?: boolean } = {},
): string {
  const { uid, isMissed = false } = more;
  return JSON.stringify({
    name: spread.metadata.name,
    subset,
    ...(uid !== undefined && { uid }),
    ...(isMissed && { by: BY_NODE }),
  });
}
