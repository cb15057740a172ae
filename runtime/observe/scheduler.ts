import type { Clock } from '../../schemas/wire/clock.ts';

/** Runs a job per key: the earliest asked time wins, and one key never runs twice at once. */
export interface Scheduler {
  /** Asks for a run of `key`, `delayMs` from now. */
  ask(key: string, delayMs?: number): void;
  stop(): void;
}

/**
 * @param job one pass; true: it did all there was to do, and earlier failures are over. It must not reject (an error it lets out is reported to `onError` and the key is asked again,
 * with a pause that doubles from 200 ms to 30 s)
 */
export function createScheduler(
  clock: Clock,
  job: (key: string) => Promise<boolean>,
  onError: (key: string, error: unknown) => void,
): Scheduler {
  const waiting = new Map<string, { at: number; cancel: () => void }>();
  const running = new Set<string>();
  const askedWhileRunning = new Map<string, number>();
  const failures = new Map<string, number>();
  let stopped = false;

  function ask(key: string, delayMs = 0): void {
    if (stopped) return;
    const at = clock.now() + delayMs;
    if (running.has(key)) {
      askedWhileRunning.set(key, Math.min(at, askedWhileRunning.get(key) ?? Infinity));
      return;
    }
    const known = waiting.get(key);
    if (known !== undefined) {
      if (known.at <= at) return;
      known.cancel();
    }
    waiting.set(key, { at, cancel: clock.after(delayMs, () => run(key)) });
  }

  function run(key: string): void {
    waiting.delete(key);
    running.add(key);
    job(key)
      .then(
        (whole) => {
          if (whole) failures.delete(key);
        },
        (error: unknown) => {
          const count = (failures.get(key) ?? 0) + 1;
          failures.set(key, count);
          onError(key, error);
          askedWhileRunning.set(key, clock.now() + Math.min(100 * 2 ** count, 30_000));
        },
      )
      .finally(() => {
        running.delete(key);
        const again = askedWhileRunning.get(key);
        askedWhileRunning.delete(key);
        if (again !== undefined) ask(key, Math.max(again - clock.now(), 0));
      });
  }

  return {
    ask,
    stop() {
      stopped = true;
      for (const { cancel } of waiting.values()) cancel();
      waiting.clear();
    },
  };
}
