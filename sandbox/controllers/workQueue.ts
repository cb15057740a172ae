import type { Clock } from '../../schemas/wire/clock.ts';

/** Runs work after a delay in milliseconds; what is asked for again under the same key until then is done once. */
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
