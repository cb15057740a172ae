import { setTimeout as pause } from 'node:timers/promises';

/** Asks again and again until it holds; an error is a no. Throws after a minute. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000;
  for (let last: unknown; ; await pause(20)) {
    try {
      if (await holds()) return;
    } catch (error) {
      last = error;
    }
    if (performance.now() > end) throw new Error(`not within a minute: ${what}`, { cause: last });
  }
}
