import type { Clock } from '../../schemas/wire/clock.ts';

/** Derived names that belong to objects of another owner. */
export interface TakenNames {
  /** An object of another owner has the name. Returns whether that was known. */
  add(name: string): boolean;
  /** Those that were found within the last minute: nothing says when such an object is gone. */
  current(): ReadonlySet<string>;
}

/** So long a name counts as taken, milliseconds. */
const TAKEN_MS = 60_000;

/** The taken names of one target. */
export function createTakenNames(clock: Clock): TakenNames {
  const since = new Map<string, number>();
  const forget = (): void => {
    for (const [name, at] of since) if (clock.now() >= at + TAKEN_MS) since.delete(name);
  };
  return {
    add(name) {
      forget();
      const isKnown = since.has(name);
      since.set(name, clock.now());
      return isKnown;
    },
    current() {
      forget();
      return new Set(since.keys());
    },
  };
}
