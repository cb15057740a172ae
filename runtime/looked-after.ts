import type { Clock } from '../schemas/wire/clock.ts';
import type { Kind } from '../semantics/kinds/kind.ts';
import type { Preflight } from './preflight.ts';

/** How often it is looked whether a kind that is off can be looked after by now. */
const AGAIN_MS = 5 * 60_000;

/** The kinds that are looked after: those that can be, and each of the others from the time it can be. */
export interface LookedAfter {
  readonly kinds: readonly Kind[];
  /** What a look at the server found: as long as kinds are off, it is repeated. */
  found(looked: Preflight): void;
  stop(): void;
}

/**
 * @param look looks again; it rejects with whatever fails
 * @param onKind a kind that was off can be looked after from now on
 */
export function createLookedAfter(
  clock: Clock,
  look: () => Promise<Preflight>,
  onKind: (kind: Kind) => void,
): LookedAfter {
  let kinds: readonly Kind[] = [];
  let cancel = (): void => {};
  let stopped = false;

  function lookLater(): void {
    cancel();
    if (!stopped) cancel = clock.after(AGAIN_MS, () => void lookAgain());
  }

  async function lookAgain(): Promise<void> {
    // What is in the way of all is told by those who meet it.
    const looked = await look().catch(() => undefined);
    if (stopped) return;
    const fresh = (looked?.kinds ?? []).filter((kind) => !kinds.includes(kind));
    kinds = [...kinds, ...fresh];
    fresh.forEach(onKind);
    if (looked === undefined || looked.disabled.length > 0 || looked.problem !== undefined) lookLater();
  }

  return {
    get kinds() {
      return kinds;
    },
    found(looked) {
      ({ kinds } = looked);
      cancel();
      if (looked.disabled.length > 0) lookLater();
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}
