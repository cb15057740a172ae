import type { Clock } from '../schemas/wire/clock.ts';
import type { Kind } from '../semantics/kinds/kind.ts';
import type { Preflight } from './preflight.ts';

/** How often the preflight is repeated while a kind is disabled. */
const REPEAT_MS = 5 * 60_000;

/** The managed kinds: those that passed the preflight, and each disabled one from the time it passes. */
export interface ManagedKinds {
  readonly kinds: readonly Kind[];
  /** Takes the result of a preflight; while kinds are disabled, the preflight is repeated. */
  found(checked: Preflight): void;
  stop(): void;
}

/**
 * @param check repeats the preflight; rejects with whatever fails
 * @param onKind called with a disabled kind as soon as it is managed
 */
export function createManagedKinds(
  clock: Clock,
  check: () => Promise<Preflight>,
  onKind: (kind: Kind) => void,
): ManagedKinds {
  let kinds: readonly Kind[] = [];
  let cancel = (): void => {};
  let stopped = false;

  function schedule(): void {
    cancel();
    if (!stopped) cancel = clock.after(REPEAT_MS, () => void repeat());
  }

  async function repeat(): Promise<void> {
    // A problem of all kinds is reported by the calls that fail for it.
    const checked = await check().catch(() => undefined);
    if (stopped) return;
    const fresh = (checked?.kinds ?? []).filter((kind) => !kinds.includes(kind));
    kinds = [...kinds, ...fresh];
    fresh.forEach(onKind);
    if (checked === undefined || checked.disabled.length > 0 || checked.problem !== undefined) schedule();
  }

  return {
    get kinds() {
      return kinds;
    },
    found(checked) {
      ({ kinds } = checked);
      cancel();
      if (checked.disabled.length > 0) schedule();
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}
