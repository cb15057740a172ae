import { canonicalJson, sortedKeys } from '../values/canonical-json.ts';
import { parsedJson } from '../values/json-shape.ts';
import { objectOf } from '../values/read.ts';

/** The keys that a copy has of what is copied. */
export interface CopiedKeys {
  labels: readonly string[];
  annotations: readonly string[];
  finalizers: readonly string[];
}

/** The most characters of such a record: no server stores a longer annotation. */
const LONGEST = 262_144;

/** The record of what a copy has of the metadata of the resource; undefined: it has nothing of it. */
export function keysText(own: {
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
  finalizers: readonly string[];
}): string | undefined {
  const all = {
    labels: sortedKeys(own.labels),
    annotations: sortedKeys(own.annotations),
    finalizers: [...new Set(own.finalizers)].sort(),
  };
  const filled = Object.entries(all).filter(([, keys]) => keys.length > 0);
  return filled.length === 0 ? undefined : canonicalJson(Object.fromEntries(filled));
}

/** Reads that record. Whoever may write the copy may have changed it: what is no list of texts is empty. */
export function copiedKeys(text: string | undefined): CopiedKeys {
  const found = objectOf(text === undefined || text.length > LONGEST ? undefined : parsedJson(text));
  const keysOf = (field: keyof CopiedKeys): string[] => {
    const list = found[field];
    return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
  };
  return { labels: keysOf('labels'), annotations: keysOf('annotations'), finalizers: keysOf('finalizers') };
}
