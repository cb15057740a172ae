import type { JsonObject } from '../../schemas/wire/json.ts';
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
  /** When it was let go that had waited for its place; undefined: it did not wait, or nobody asks. */
  at: string | undefined;
}

/** A longer text is none of a WorkloadSpread. */
const MOST_CHARACTERS = 2_048;

/**
 * How a pod has come to its record where nobody placed it: by its `node`; none as no subset had `room`, or as the server has `refused` its
 * place. OpenKruise reads no such key, and leaves it.
 */
export type By = 'node' | Without;

/** Why a pod is in no subset. */
export type Without = 'room' | 'refused';

/** Where a pod belongs; undefined: no WorkloadSpread has said, or nobody can read it. */
export function matchedOf({ metadata }: KubeObject): Matched | undefined {
  return recordOf(metadata).matched;
}

/** By what a pod may have its place on record: its name, or what it had before it had one. */
export function idsOf(pod: KubeObject): string[] {
  const { uid } = matchedOf(pod) ?? {};
  return [pod.metadata.name, ...(uid === undefined ? [] : [uid])];
}

/** What a pod has on record with a WorkloadSpread, and how that came; undefined: nothing. */
export function recordedBy({ metadata }: KubeObject, spread: KubeObject): By | 'placed' | undefined {
  const { name, by } = recordOf(metadata).all;
  if (name !== spread.metadata.name) return undefined;
  return by === 'node' || by === 'room' || by === 'refused' ? by : 'placed';
}

/** What the annotation of a pod says: all of it, and where the pod belongs. */
interface Read {
  all: JsonObject;
  matched: Matched | undefined;
}

const NOTHING: Read = { all: {}, matched: undefined };
const records = new WeakMap<object, Read>();

/** Each decision reads it of every pod, several times. Annotations of observed objects are immutable. */
function recordOf({ annotations }: KubeObject['metadata']): Read {
  const text = annotations?.[MATCHED_ANNOTATION];
  if (annotations === undefined || text === undefined || text.length > MOST_CHARACTERS) return NOTHING;
  const known = records.get(annotations);
  if (known !== undefined) return known;
  const value = parsedJson(text);
  const all = isObject(value) ? (value as JsonObject) : {};
  const read = { all, matched: matchedIn(all) };
  records.set(annotations, read);
  return read;
}

function matchedIn({ name, subset, uid, at }: JsonObject): Matched | undefined {
  if (typeof name !== 'string' || typeof subset !== 'string' || subset === '') return undefined;
  return {
    ...{ name, subset, uid: typeof uid === 'string' ? uid : undefined },
    at: typeof at === 'string' ? at : undefined,
  };
}

/** The annotation of a pod in a subset, with the keys in OpenKruise's order. */
export function matchedText(
  spread: KubeObject,
  subset: string,
  more: { uid?: string | undefined; by?: By | undefined; at?: string | undefined } = {},
): string {
  const { uid, by, at } = more;
  return JSON.stringify({
    name: spread.metadata.name,
    subset,
    ...(uid !== undefined && { uid }),
    ...(by !== undefined && { by }),
    ...(at !== undefined && { at }),
  });
}
