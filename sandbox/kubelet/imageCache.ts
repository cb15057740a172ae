import type { Clock } from '../../schemas/wire/clock.ts';
import type { Images } from './images.ts';

interface Pull {
  begun: number;
  waiters: Set<(error: string | undefined, tookMs: number) => void>;
}

/** The images of a node: present ones and pulls in progress. */
export interface ImageCache {
  add(image: string): void;
  /**
   * Calls back immediately if the image is present, else after the pull. Returns a function that cancels the
   * callback.
   */
  pull(image: string, done: (error: string | undefined, tookMs?: number) => void): () => void;
  /** Sorted. */
  present(): string[];
}

export function createImageCache(
  clock: Pick<Clock, 'now' | 'after'>,
  images: Images,
  pullMs: number,
): ImageCache {
  const present = new Set<string>();
  const pulls = new Map<string, Pull>();

  function begin(image: string): Pull {
    const pull: Pull = { begun: clock.now(), waiters: new Set() };
    pulls.set(image, pull);
    clock.after(images.of(image).pullMs ?? pullMs, () => {
      pulls.delete(image);
      const failed = images.of(image).pullError === true;
      if (!failed) present.add(image);
      const error = `rpc error: code = NotFound desc = failed to pull and unpack image "${image}": not found`;
      for (const waiter of pull.waiters) waiter(failed ? error : undefined, clock.now() - pull.begun);
    });
    return pull;
  }

  return {
    add: (image) => present.add(image),
    pull(image, done) {
      if (present.has(image)) {
        done(undefined);
        return () => {};
      }
      const pull = pulls.get(image) ?? begin(image);
      pull.waiters.add(done);
      return () => pull.waiters.delete(done);
    },
    present: () => [...present].sort(),
  };
}
