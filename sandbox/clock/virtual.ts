import { setImmediate as nextLoopTurn } from 'node:timers/promises';
import type { Clock } from '../../schemas/wire/clock.ts';
import { createTimerQueue } from './queue.ts';

/** A clock that only moves when `advance` or `runUntil` is called. */
export interface VirtualClock extends Clock {
  /**
   * Advances by `ms` and fires due timers in (time, insertion) order. Rejects with the first error thrown by a
   * timer.
   */
  advance(ms: number): Promise<void>;
  /**
   * Advances from timer to timer until `predicate` holds; it is evaluated before the first timer and after each
   * one. Rejects after `limitMs` of virtual time (default one hour).
   */
  runUntil(predicate: () => boolean, options?: { limitMs?: number; what?: string }): Promise<void>;
  /** Runs pending promises and timers that are due now, until nothing is left at this instant. */
  settle(): Promise<void>;
}

export interface VirtualClockOptions {
  /** Real milliseconds per virtual millisecond, for demos. Default 0: as fast as possible. */
  pace?: number;
}

const instantLimit = 1_000_000;

/** A virtual clock that starts at `startMs` (milliseconds since 1970 UTC). It never reads the host's time. */
export function createVirtualClock(startMs: number, options: VirtualClockOptions = {}): VirtualClock {
  const timers = createTimerQueue();
  const pace = options.pace ?? 0;
  let now = startMs;
  let turning = false;

  async function exclusively(run: () => Promise<void>): Promise<void> {
    if (turning) throw new Error('the virtual clock is being turned already: await the call before');
    turning = true;
    try {
      await run();
    } finally {
      turning = false;
    }
  }

  async function moveTo(time: number): Promise<void> {
    if (pace > 0 && time > now) await new Promise((resume) => setTimeout(resume, (time - now) * pace));
    now = time;
  }

  /** Fires timers up to `target`; returns true early if `done` holds. */
  async function fireUntil(target: number, done: () => boolean): Promise<boolean> {
    let atThisInstant = 0;
    await nextLoopTurn();
    for (;;) {
      if (done()) return true;
      const due = timers.nextTime();
      if (due === undefined || due > target) return false;
      atThisInstant = due > now ? 0 : atThisInstant + 1;
      if (atThisInstant > instantLimit) throw new Error(`timers keep rescheduling themselves at ${now} ms`);
      if (due > now) await moveTo(due);
      timers.take()?.();
      // One iteration of the event loop runs all promise reactions before the next timer fires.
      await nextLoopTurn();
    }
  }

  return {
    now: () => now,
    monotonic: () => now - startMs,
    after: (delayMs, run) => timers.add(now + Math.max(0, delayMs), run),
    advance: (ms) =>
      exclusively(async () => {
        const target = now + ms;
        await fireUntil(target, () => false);
        await moveTo(target);
      }),
    runUntil: (predicate, { limitMs = 3_600_000, what = 'the awaited state' } = {}) =>
      exclusively(async () => {
        const target = now + limitMs;
        if (await fireUntil(target, predicate)) return;
        await moveTo(target);
        if (!predicate()) throw new Error(`${limitMs} ms of virtual time passed without ${what}`);
      }),
    settle: () =>
      exclusively(async () => {
        await fireUntil(now, () => false);
      }),
  };
}
