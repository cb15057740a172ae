import type { Clock } from '../../schemas/wire/clock.ts';

/** The pauses before a controller syncs an object again, milliseconds. */
export interface Pauses {
  firstMs: number;
  longestMs: number;
}

/** The queues of Kubernetes' controllers, but for that of Jobs. */
export const defaultPauses: Pauses = { firstMs: 5, longestMs: 1_000_000 };

export interface Retries {
  /** Runs again after a pause, which is twice that of the time before. What runs earlier already is not run twice. */
  again(uid: string, pauses: Pauses, run: () => void): void;
  /** The next pause is the first one again. */
  forget(uid: string): void;
}

export function createRetries(clock: Clock): Retries {
  const counts = new Map<string, number>();
  const due = new Map<string, number>();
  return {
    again(uid, { firstMs, longestMs }, run) {
      const count = counts.get(uid) ?? 0;
      counts.set(uid, count + 1);
      const pauseMs = Math.min(firstMs * 2 ** count, longestMs);
      const at = clock.now() + pauseMs;
      if ((due.get(uid) ?? Infinity) <= at) return;
      due.set(uid, at);
      clock.after(pauseMs, () => {
        if (due.get(uid) !== at) return;
        due.delete(uid);
        run();
      });
    },
    forget(uid) {
      counts.delete(uid);
      due.delete(uid);
    },
  };
}
