import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';

export interface OutboxOptions {
  clock: Clock;
  /** A number in [0, 1), anew at each call. */
  random: () => number;
  /** The maximum number of concurrent requests. */
  width: number;
  onError(key: string, error: unknown): void;
}

/** Work items on a remote server: sequential per key; a key enqueued while it runs is processed once more. */
export interface Outbox {
  /**
   * Runs the work of `key` after `delayMs`, or earlier if enqueued again with a shorter delay. Retriable failures
   * are retried with exponential backoff; the work itself determines what is left to do.
   */
  enqueue(key: string, run: () => Promise<void>, delayMs?: number): void;
  /** Removes the key after its current run. */
  forget(key: string): void;
  /** The number of queued and running keys. */
  readonly size: number;
  /** Resolves when the queue is empty, or after this timeout in milliseconds. */
  drained(ms: number): Promise<void>;
  /** Starts no further work. */
  close(): void;
}

interface Job {
  run: () => Promise<void>;
  state: 'held' | 'queued' | 'running';
  /** When a queued key is due, by the monotonic clock. */
  due: number;
  cancel: () => void;
  /** Enqueued while running: the delay of the next run. */
  again: number | undefined;
  failures: number;
  forgotten: boolean;
}

const PAUSE_MS = { first: 200, most: 10_000 };

/** Whether the request can succeed later: the server was unreachable or overloaded. */
export function isRetriable(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true;
  const { code } = error.status;
  return code === 401 || code === 429 || code >= 500;
}

export function createOutbox({ clock, random, width, onError }: OutboxOptions): Outbox {
  const jobs = new Map<string, Job>();
  let queue: string[] = [];
  let next = 0;
  let running = 0;
  let closed = false;
  let rested: (() => void)[] = [];

  function take(): string | undefined {
    const key = queue[next];
    next += 1;
    if (next >= queue.length || next > 4096) {
      queue = queue.slice(next);
      next = 0;
    }
    return key;
  }

  function pump(): void {
    if (closed) return;
    while (running < width && next < queue.length) {
      const key = take() ?? '';
      const job = jobs.get(key);
      if (job?.state === 'queued') start(key, job);
    }
  }

  function start(key: string, job: Job): void {
    job.state = 'running';
    running += 1;
    job.run().then(
      () => {
        job.failures = 0;
        end(key, job, job.again);
      },
      (error: unknown) => {
        if (!closed) onError(key, error);
        job.failures += 1;
        const pause = Math.min(PAUSE_MS.first * 2 ** (job.failures - 1), PAUSE_MS.most);
        end(key, job, isRetriable(error) ? pause * (1 + random() / 2) : job.again);
      },
    );
  }

  function end(key: string, job: Job, againMs: number | undefined): void {
    running -= 1;
    job.again = undefined;
    if (againMs === undefined || job.forgotten || closed) {
      jobs.delete(key);
      if (jobs.size === 0) for (const notify of rested.splice(0)) notify();
    } else hold(key, job, againMs);
    pump();
  }

  function hold(key: string, job: Job, delayMs: number): void {
    job.cancel();
    if (delayMs <= 0) {
      job.state = 'queued';
      queue.push(key);
      return;
    }
    job.state = 'held';
    job.due = clock.monotonic() + delayMs;
    job.cancel = clock.after(delayMs, () => {
      job.state = 'queued';
      queue.push(key);
      pump();
    });
  }

  return {
    enqueue(key, run, delayMs = 0) {
      if (closed) return;
      const known = jobs.get(key);
      if (known === undefined) {
        const job: Job = {
          run,
          state: 'held',
          due: 0,
          cancel: () => {},
          again: undefined,
          failures: 0,
          forgotten: false,
        };
        jobs.set(key, job);
        hold(key, job, delayMs);
      } else {
        known.run = run;
        known.forgotten = false;
        if (known.state === 'running') known.again = Math.min(known.again ?? delayMs, delayMs);
        // Failed keys wait for their backoff.
        else if (known.state === 'held' && known.failures === 0 && clock.monotonic() + delayMs < known.due)
          hold(key, known, delayMs);
      }
      pump();
    },
    forget(key) {
      const job = jobs.get(key);
      if (job === undefined) return;
      job.forgotten = true;
      if (job.state === 'running') return;
      job.cancel();
      jobs.delete(key);
      if (jobs.size === 0) for (const notify of rested.splice(0)) notify();
    },
    get size() {
      return jobs.size;
    },
    drained(ms) {
      if (jobs.size === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const cancel = clock.after(ms, () => {
          rested = rested.filter((each) => each !== done);
          resolve();
        });
        const done = (): void => {
          cancel();
          resolve();
        };
        rested.push(done);
      });
    },
    close() {
      closed = true;
      for (const job of jobs.values()) job.cancel();
      jobs.clear();
      for (const notify of rested.splice(0)) notify();
    },
  };
}
