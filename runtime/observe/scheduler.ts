import type { Clock } from '../../schemas/wire/clock.ts';

/**
 * Runs a job per key: the earliest requested time wins, and a key never runs twice at once. Of many due keys each starts in
 * its own iteration of the event loop, so that network I/O is processed in between.
 */
export interface Scheduler<Key> {
  enqueue: Enqueue<Key>;
  /**
   * Called by a run of `key` after it processed this many objects: yields to other keys if they were many. The more objects,
   * the later the next run of this key may start.
   */
  yieldAfter(key: Key, objects: number): Promise<void>;
  /**
   * Called by a run of `key` with how long it has kept the thread, milliseconds. One that keeps it long runs less often: what users
   * write decides how long it takes, and nothing else runs meanwhile.
   */
  busy(key: Key, ms: number): void;
  /** Keys that are due and do not run yet. */
  readonly depth: number;
  /** Starts no further run. Resolves with true when no run is in progress any more, with false after this time. */
  stop(withinMs: number): Promise<boolean>;
}

/**
 * Enqueues a run of `key`, `delayMs` from now. `isUrgent`: a user caused it, so that it is not delayed by the pace of the
 * key.
 */
export type Enqueue<Key> = (key: Key, delayMs?: number, isUrgent?: boolean) => void;

/** Callbacks of runs; times are milliseconds by the monotonic clock. */
export interface SchedulerWatch {
  /** A run starts, this long after it was due. */
  onStart(waitedMs: number): void;
  onEnd(tookMs: number): void;
  /** A run has ended that kept the thread for so long. */
  onBusy(busyMs: number): void;
}

/** This many objects are processed in a few milliseconds. */
const MANY = 250;
/**
 * The least time between the starts of two runs, for each object that a run processes. A run costs a tenth of that, however
 * little has changed: without a pause, the cost of a change would grow with the number of unchanged objects.
 */
const PACE_MS = 0.02;
/** A run that keeps the thread longer than this, milliseconds, is followed by a pause of so many times as long. */
const SLOW_MS = 250;
const PAUSE_FACTOR = 20;
/**
 * The most that an event waits after a failed run, milliseconds: it may have nothing to do with the failure. It waits so long as a run
 * that fails again and again may cause events itself, and would never pause.
 */
const EVENT_PAUSE_MS = 1_000;
/** The most that an urgent one waits then. */
const URGENT_PAUSE_MS = 200;

/**
 * @param job one run; true: it was complete, and earlier failures have ended. If it rejects, the error is reported to
 * `onError` and the key is enqueued again with a pause that doubles from 200 ms to 30 s. What is due in that run or in the pause
 * ends the pause: 200 ms after the failure if it is urgent, else a second after it
 * @param paceMs the least time between the starts of two runs of a key that are not urgent. Default: none
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
  /** Since when a key that is running is due again, by the monotonic clock. */
  const dueAgain = new Map<Key, number>();
  let atRest = (): void => {};
  const enqueuedWhileRunning = new Map<Key, { at: number; isUrgent: boolean }>();
  const failures = new Map<Key, number>();
  /** The earliest next run of a key with many objects, by the monotonic clock. */
  const notBefore = new Map<Key, number>();
  /** The earliest next run of a key that has failed, unless it is urgent; by the monotonic clock. */
  const failedUntil = new Map<Key, number>();
  const startsByKey = new Map<Key, number>();
  /** How long the present run of a key has kept the thread. */
  const busyMs = new Map<Key, number>();
  /** The earliest next run of a key with a pace, unless it is urgent; by the monotonic clock. */
  const paced = new Map<Key, number>();
  /** The run queue: due keys in order. */
  const runQueue = new Map<Key, number>();
  /** Runs that have yielded; they resume before another starts. */
  const yielded: (() => void)[] = [];
  /** This iteration of the event loop already has a run. */
  let taken = false;
  let stopped = false;

  function enqueue(key: Key, delayMs = 0, isUrgent = false): void {
    if (stopped) return;
    const due = Math.min(clock.monotonic() + delayMs, dueAgain.get(key) ?? Infinity);
    if (running.has(key)) {
      const at = clock.now() + delayMs;
      dueAgain.set(key, due);
      const before = enqueuedWhileRunning.get(key);
      enqueuedWhileRunning.set(key, {
        at: Math.min(at, before?.at ?? Infinity),
        isUrgent: isUrgent || before?.isUrgent === true,
      });
      return;
    }
    const unhurried = Math.max(paced.get(key) ?? 0, failedUntil.get(key) ?? 0);
    const earliest = Math.max(notBefore.get(key) ?? 0, isUrgent ? 0 : unhurried);
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

  /** The next run of a key does not start before this time, by the monotonic clock. */
  function wait(key: Key, until: number): void {
    notBefore.set(key, Math.max(notBefore.get(key) ?? 0, until));
  }

  function queue(key: Key, due: number): void {
    // It does not wait for a timer any more, and can still be canceled.
    waiting.set(key, { at: -Infinity, due, cancel: () => runQueue.delete(key) });
    runQueue.set(key, due);
    if (!taken) runNext();
  }

  function runNext(): void {
    const resume = yielded.shift();
    const [first] = resume === undefined ? runQueue : [];
    taken = resume !== undefined || first !== undefined;
    if (!taken) return;
    clock.after(0, runNext);
    resume?.();
    if (first === undefined) return;
    const [key, due] = first;
    runQueue.delete(key);
    run(key, due);
  }

  function pace(key: Key, startedAt: number): void {
    const ms = paceMs(key);
    if (ms === 0) {
      paced.delete(key);
      return;
    }
    const until = startedAt + ms;
    paced.set(key, until);
    clock.after(ms, () => {
      if (paced.get(key) === until) paced.delete(key);
    });
  }

  function run(key: Key, due: number): void {
    waiting.delete(key);
    running.add(key);
    notBefore.delete(key);
    failedUntil.delete(key);
    const startedAt = clock.monotonic();
    startsByKey.set(key, startedAt);
    pace(key, startedAt);
    watch?.onStart(Math.max(startedAt - due, 0));
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
          const restMs = Math.min(pauseMs, EVENT_PAUSE_MS);
          const endedAt = clock.monotonic();
          wait(key, endedAt + Math.min(pauseMs, URGENT_PAUSE_MS));
          if (pauseMs > EVENT_PAUSE_MS) failedUntil.set(key, endedAt + restMs);
          const asked = enqueuedWhileRunning.get(key);
          // What is due later is what the run has enqueued for itself.
          const isDue = asked !== undefined && asked.at <= clock.now();
          const isUrgent = isDue && asked.isUrgent;
          const eventMs = isUrgent ? Math.min(pauseMs, URGENT_PAUSE_MS) : restMs;
          const waitMs = isDue ? eventMs : pauseMs;
          enqueuedWhileRunning.set(key, { at: clock.now() + waitMs, isUrgent });
          dueAgain.set(key, clock.monotonic() + waitMs);
        },
      )
      .finally(() => {
        running.delete(key);
        startsByKey.delete(key);
        watch?.onBusy(busyMs.get(key) ?? 0);
        busyMs.delete(key);
        watch?.onEnd(clock.monotonic() - startedAt);
        if (running.size === 0) atRest();
        const again = enqueuedWhileRunning.get(key);
        enqueuedWhileRunning.delete(key);
        if (again !== undefined) enqueue(key, Math.max(again.at - clock.now(), 0), again.isUrgent);
      });
  }

  return {
    enqueue,
    async yieldAfter(key, objects) {
      if (objects < MANY) return;
      wait(key, (startsByKey.get(key) ?? 0) + objects * PACE_MS);
      await new Promise<void>((resolve) => {
        yielded.push(resolve);
        // The run itself used this iteration; the next one is in the following iteration.
        if (!taken) clock.after(0, runNext);
        taken = true;
      });
    },
    busy(key, ms) {
      busyMs.set(key, ms);
      if (ms > SLOW_MS) wait(key, clock.monotonic() + ms * PAUSE_FACTOR);
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
