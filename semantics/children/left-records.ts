import type { RetainedUnits } from '../revision/revision.ts';
import { readCounter } from '../values/counter.ts';

/** Pods that bounds have left in subsets, by the name of the subset. */
export type LeftInSubsets = ReadonlyMap<string, RetainedUnits>;

/** Records of the most subsets that there may be are shorter. */
const LONGEST_RECORD = 64 * 1024;
const ENTRY = /^([a-z0-9-]+): ([0-9]+) at (h1:[0-9a-f]+)$/;

/** All of them as one number, at the revision of most, the first by name of several; undefined: there are none. */
export function leftInAll(left: LeftInSubsets): RetainedUnits | undefined {
  const byHash = new Map<string, number>();
  for (const { hash, n } of left.values()) byHash.set(hash, (byHash.get(hash) ?? 0) + n);
  const [most] = [...byHash].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const n = [...byHash.values()].reduce((sum, each) => sum + each, 0);
  return most === undefined || n === 0 ? undefined : { hash: most[0], n };
}

/** The record of them: `zone-a: 2 at h1:…, zone-b: 1 at h1:…`. */
export function leftText(left: LeftInSubsets): string {
  return [...left].map(([subset, { n, hash }]) => `${subset}: ${n} at ${hash}`).join(', ');
}

/** Parses the record; empty: there is none, or it was not written by `leftText`. */
export function parseLeft(text: string | undefined): LeftInSubsets {
  const found = new Map<string, RetainedUnits>();
  if (text === undefined || text.length > LONGEST_RECORD) return found;
  for (const part of text.split(', ')) {
    const [, subset, count, hash] = ENTRY.exec(part) ?? [];
    const n = readCounter(count);
    if (subset === undefined || hash === undefined || n === undefined) return new Map();
    found.set(subset, { n, hash });
  }
  return found;
}
