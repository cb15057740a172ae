import type { Clock } from '../../schemas/wire/clock.ts';

/** A work queue with delays in milliseconds; keys enqueued again before they run are processed once. */
export type Enqueue = (key: string, delayMs: number, run: () => void) => void;

export function createWorkQueue(clock: Clock): Enqueue {
  const queued = new Set<string>();
  return (key, delayMs, run) => {
    if (queued.has(key)) return;
    queued.add(key);
    clock.after(delayMs, () => {
      queued.delete(key);
      run();
    });
  };
}
