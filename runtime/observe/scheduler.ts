import type { Clock } from '../../schemas/wire/clock.ts';

/**
 * Runs a job per key: the earliest asked time wins, and one key never runs twice at once. Of many that are due together
 * each begins in a turn of its own, so that what comes from the network in between is not kept waiting for all of them.
 */
export interface Scheduler<Key> {
  enqueue: Ask<Key>;
  /**
   * For a run of `key` that has just gone over so many objects: resolves once others had their turn, if they were many. The
   * more they are, the longer the next run waits after the beginning of this one.
   */
  yieldAfter(key: Key, objects: number): Promise<void>;
  /** Keys that are due and do not run yet. */
  readonly depth: number;
  /** Nothing runs that did not run already. Resolves when nothing runs any more, true, or after so long, false. */
  stop(withinMs: number): Promise<boolean>;
}

/**
 * Asks for a run of `key`, `delayMs` from now. `isUrgent`: because of what a person did, so that it is not put off for the
 * sake of its pace.
 */
export type Ask<Key> = (key: Key, delayMs?: number, isUrgent?: boolean) => void;

/** Hears of runs as they happen; times are milliseconds by the steady clock. */
export interface SchedulerWatch {
  /** A key runs, so long after it was due. */
  onStart(waitedMs: number): void;
  onEnd(tookMs: number): void;
}

/** So many objects are gone over in a few milliseconds. */
const MANY = 250;
/**
 * Between the beginnings of two runs, for each object that a run goes over. A run costs a tenth of that, whatever has
 * changed: without a pause, what is spent on one change would grow with all that have not changed.
 */
const PACE_MS = 0.02;

/**
 * @param job one pass; true: it did all there was to do, and earlier failures are over. It must not reject (an error it lets out is reported to `onError` and the key is asked again,
 * with a pause that doubles from 200 ms to 30 s)
 * @param paceMs the least time between the beginnings of two runs of a key that nobody asked for urgently. Default: none
 */
export function createScheduler<Key>(
  clock: Clock,
  job: (key: Key) => Promise<boolean>,
  onError: (key: Key, error: unknown) => void,
  watch?: SchedulerWatch,
  paceMs: (key: Key) => number = () => 0,
): Scheduler<Key> {
  const waiting = new Map<Key, { at: number; due: number; cancel: () => void }>();
  const running = new Set<Key>();
  /** Since when a key that runs is due again, by the steady clock. */
  const dueAgain = new Map<Key, number>();
  let atRest = (): void => {};
  const askedWhileRunning = new Map<Key, { at: number; isUrgent: boolean }>();
  const failures = new Map<Key, number>();
  /** Before this a key of many objects does not run again, by the steady clock. */
  const notBefore = new Map<Key, number>();
  const begunAt = new Map<Key, number>();
  /** Before this a key that has a pace does not run again, unless that is urgent; by the steady clock. */
  const paced = new Map<Key, number>();
  /** What is due and has to wait for its turn, in that order. */
  const turns = new Map<Key, number>();
  /** Runs that have left room, and go on before another begins. */
  const half: (() => void)[] = [];
  /** This turn is somebody's already. */
  let taken = false;
  let stopped = false;

  function ask(key: Key, delayMs = 0, isUrgent = false): void {
    if (stopped) return;
    const due = Math.min(clock.monotonic() + delayMs, dueAgain.get(key) ?? Infinity);
    if (running.has(key)) {
      const at = clock.now() + delayMs;
      dueAgain.set(key, due);
      const before = askedWhileRunning.get(key);
      askedWhileRunning.set(key, {
        at: Math.min(at, before?.at ?? Infinity),
        isUrgent: isUrgent || before?.isUrgent === true,
      });
      return;
    }
    const earliest = Math.max(notBefore.get(key) ?? 0, isUrgent ? 0 : (paced.get(key) ?? 0));
    const waitMs = Math.max(delayMs, Math.ceil(earliest - clock.monotonic()));
    const at = clock.now() + waitMs;
    const known = waiting.get(key);
    if (known !== undefined) {
      if (known.at <= at) return;
      known.cancel();
    }
    dueAgain.delete(key);
    waiting.set(key, { at, due, cancel: clock.after(waitMs, () => queue(key, due)) });
  }

  function queue(key: Key, due: number): void {
    // It waits no longer by the clock, and can still be called off.
    waiting.set(key, { at: -Infinity, due, cancel: () => turns.delete(key) });
    turns.set(key, due);
    if (!taken) takeTurn();
  }

  function takeTurn(): void {
    const goOn = half.shift();
    const [first] = goOn === undefined ? turns : [];
    taken = goOn !== undefined || first !== undefined;
    if (!taken) return;
    clock.after(0, takeTurn);
    goOn?.();
    if (first === undefined) return;
    const [key, due] = first;
    turns.delete(key);
    run(key, due);
  }

  function pace(key: Key, began: number): void {
    const ms = paceMs(key);
    if (ms === 0) {
      paced.delete(key);
      return;
    }
    const until = began + ms;
    paced.set(key, until);
    clock.after(ms, () => {
      if (paced.get(key) === until) paced.delete(key);
    });
  }

  function run(key: Key, due: number): void {
    waiting.delete(key);
    running.add(key);
    notBefore.delete(key);
    const began = clock.monotonic();
    begunAt.set(key, began);
    pace(key, began);
    watch?.onStart(Math.max(began - due, 0));
    job(key)
      .then(
        (whole) => {
          if (whole) failures.delete(key);
        },
        (error: unknown) => {
          const count = (failures.get(key) ?? 0) + 1;
          failures.set(key, count);
          onError(key, error);
          const pauseMs = Math.min(100 * 2 ** count, 30_000);
          askedWhileRunning.set(key, { at: clock.now() + pauseMs, isUrgent: false });
          dueAgain.set(key, clock.monotonic() + pauseMs);
        },
      )
      .finally(() => {
        running.delete(key);
        begunAt.delete(key);
        watch?.onEnd(clock.monotonic() - began);
        if (running.size === 0) atRest();
        const again = askedWhileRunning.get(key);
        askedWhileRunning.delete(key);
        if (again !== undefined) ask(key, Math.max(again.at - clock.now(), 0), again.isUrgent);
      });
  }

  return {
    enqueue: ask,
    async yieldAfter(key, objects) {
      if (objects < MANY) return;
      notBefore.set(key, (begunAt.get(key) ?? 0) + objects * PACE_MS);
      await new Promise<void>((resolve) => {
        half.push(resolve);
        // A run has the turn that it is in; what it leaves is for the next.
        if (!taken) clock.after(0, takeTurn);
        taken = true;
      });
    },
    get depth() {
      const now = clock.monotonic();
      const isDue = (due: number): boolean => due <= now;
      return [...[...waiting.values()].map(({ due }) => due), ...dueAgain.values()].filter(isDue).length;
    },
    stop(withinMs) {
      stopped = true;
      for (const { cancel } of waiting.values()) cancel();
      waiting.clear();
      dueAgain.clear();
      if (running.size === 0) return Promise.resolve(true);
      return new Promise((resolve) => {
        const cancel = clock.after(withinMs, () => resolve(false));
        atRest = () => {
          cancel();
          resolve(true);
        };
      });
    },
  };
}
