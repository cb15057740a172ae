import type { Clock } from '../../schemas/wire/clock.ts';
import type { ListedImage } from '../kinds/node.ts';
import { fullName, repositoryOf } from './imageName.ts';
import { listImages, type PresentImage } from './imageList.ts';
import type { Images } from './images.ts';

interface Pull {
  begun: number;
  waiters: Set<(error: string | undefined, tookMs: number) => void>;
}

/** The images of a node: present ones and pulls in progress. `nginx` and `docker.io/library/nginx:latest` are one. */
export interface ImageCache {
  has(image: string): boolean;
  /** Marks the image of a running container as present. */
  add(image: string): void;
  /** The images that an earlier kubelet has reported. */
  restore(listed: readonly ListedImage[]): void;
  /** `repository@sha256:…` of a present image, else of the one that the registry has. */
  idOf(image: string): string;
  /**
   * Calls back immediately if the image is present, else after the pull. With `always` the registry is asked even then,
   * and an image that has not changed there takes no time. Returns a function that cancels the callback.
   */
  pull(
    image: string,
    done: (error: string | undefined, tookMs?: number) => void,
    options: { always: boolean },
  ): () => void;
  /** As `status.images` of the node has them. */
  listed(): ListedImage[];
}

/** `onChange`: called when an image becomes present, or is replaced. */
export function createImageCache(
  clock: Pick<Clock, 'now' | 'after'>,
  images: Images,
  pullMs: number,
  onChange: () => void,
): ImageCache {
  /** By full name. */
  const present = new Map<string, PresentImage>();
  const pulls = new Map<string, Pull>();

  const digestOf = (image: string) => images.idOf(image).replace(/^[^@]*@/, '');

  function keep(image: string): void {
    const name = fullName(image);
    const digest = digestOf(image);
    if (present.get(name)?.digest === digest) return;
    const kept = { digest, sizeBytes: images.sizeOf(image) };
    present.set(name, kept);
    // A runtime finds what it has by its digest, too.
    present.set(fullName(`${repositoryOf(image)}@${digest}`), kept);
    onChange();
  }

  function begin(image: string): Pull {
    const name = fullName(image);
    const pull: Pull = { begun: clock.now(), waiters: new Set() };
    pulls.set(name, pull);
    const isUnchanged = present.get(name)?.digest === digestOf(image);
    clock.after(isUnchanged ? 0 : (images.of(image).pullMs ?? pullMs), () => {
      pulls.delete(name);
      const failed = images.of(image).pullError === true;
      if (!failed) keep(image);
      const error = `rpc error: code = NotFound desc = failed to pull and unpack image "${image}": not found`;
      for (const waiter of pull.waiters) waiter(failed ? error : undefined, clock.now() - pull.begun);
    });
    return pull;
  }

  return {
    has: (image) => present.has(fullName(image)),
    add(image) {
      if (!present.has(fullName(image))) keep(image);
    },
    restore(listed) {
      for (const { names = [], sizeBytes = 0 } of listed) {
        const digest = names.map((name) => /@(.+)$/.exec(name)?.[1]).find((each) => each !== undefined);
        if (digest !== undefined) for (const name of names) present.set(name, { digest, sizeBytes });
      }
    },
    idOf(image) {
      const known = present.get(fullName(image));
      if (known === undefined) return images.idOf(image);
      return images.of(image).isLoaded === true ? known.digest : `${repositoryOf(image)}@${known.digest}`;
    },
    pull(image, done, { always }) {
      const name = fullName(image);
      if (!always && present.has(name)) {
        done(undefined);
        return () => {};
      }
      const pull = pulls.get(name) ?? begin(image);
      pull.waiters.add(done);
      return () => pull.waiters.delete(done);
    },
    listed: () => listImages(present),
  };
}
