import type { Clock } from '../../schemas/wire/clock.ts';
import { TAKEN_MS } from '../../semantics/children/taken.ts';

/** Derived names that belong to objects of another owner. */
export interface TakenNames {
  /** An object of another owner has the name. Returns since how many milliseconds that has been known; undefined: it is new. */
  add(name: string): number | undefined;
  /** Those that were found within the last minute: nothing says when such an object is gone. */
  current(): ReadonlySet<string>;
}

/** The taken names of one target. */
export function createTakenNames(clock: Clock): TakenNames {
  const found = new Map<string, { first: number; last: number }>();
  const forget = (): void => {
    for (const [name, { last }] of found) if (clock.now() >= last + TAKEN_MS) found.delete(name);
  };
  return {
    add(name) {
      forget();
      const known = found.get(name);
      const now = clock.now();
      found.set(name, { first: known?.first ?? now, last: now });
      return known && now - known.first;
    },
    current() {
      forget();
      return new Set(found.keys());
    },
  };
}

/** The least and the most that a name which is still taken is left alone, milliseconds. */
const PAUSE_MS = { least: 1_000, most: 30_000 };
/** A pause is so many times shorter than the time for which the name has been taken. */
const SHARE = 4;

/**
 * How long a name that cannot be another one is left alone, by how long it is known to be taken: an object that is about to go is
 * soon gone, and one that stays has no use for a request each second.
 */
export function pauseOfTaken(knownMs: number): number {
  return Math.min(Math.max(knownMs / SHARE, PAUSE_MS.least), PAUSE_MS.most);
}
