import type { Clock } from '../../schemas/wire/clock.ts';
import type { Surroundings } from '../controllers/runtime.ts';
import { isFinished, type Pod } from '../kinds/pod.ts';
import type { Images } from './images.ts';
import { createPodWorker, type PodHost, type PodWorker } from './podWorker.ts';

/** The kubelet of one node. */
export interface Kubelet {
  /** A pod of this node was written, by whomever. */
  see(pod: Pod): void;
  forget(uid: string): void;
  isUp(): boolean;
  /** Stops acting and reporting, as a node that lost its network or power does. */
  stop(): void;
  /** Goes on: what fell due in between happens now, and every pod is looked at again. */
  start(): void;
}

export interface KubeletOptions {
  node: string;
  hostIP: string;
  images: Images;
  newContainerId: () => string;
  newPodIP: () => string;
}

interface Pull {
  waiters: Set<(error: string | undefined) => void>;
}

/** The images of a node: those it has, and those on their way. */
function createImageCache(later: Clock['after'], images: Images, pullMs: number) {
  const present = new Set<string>();
  const pulls = new Map<string, Pull>();

  function begin(image: string): Pull {
    const pull: Pull = { waiters: new Set() };
    pulls.set(image, pull);
    later(images.of(image).pullMs ?? pullMs, () => {
      pulls.delete(image);
      const failed = images.of(image).pullError === true;
      if (!failed) present.add(image);
      const error = `rpc error: code = NotFound desc = failed to pull and unpack image "${image}": not found`;
      for (const waiter of pull.waiters) waiter(failed ? error : undefined);
    });
    return pull;
  }

  return (image: string, done: (error: string | undefined) => void): (() => void) => {
    if (present.has(image)) {
      done(undefined);
      return () => {};
    }
    const pull = pulls.get(image) ?? begin(image);
    pull.waiters.add(done);
    return () => pull.waiters.delete(done);
  };
}

export function createKubelet(surroundings: Surroundings, options: KubeletOptions): Kubelet {
  const { store, server, clock, timings } = surroundings;
  const { node, hostIP, images, newContainerId, newPodIP } = options;
  const user = `system:node:${node}`;
  const workers = new Map<string, PodWorker>();
  const syncing = new Set<string>();
  let up = true;
  let overdue: (() => void)[] = [];

  function later(delayMs: number, run: () => void): () => void {
    let cancelled = false;
    const cancel = clock.after(delayMs, () => {
      if (up) return run();
      overdue.push(() => {
        if (!cancelled) run();
      });
    });
    return () => {
      cancelled = true;
      cancel();
    };
  }

  const host: PodHost = {
    user,
    server,
    store,
    hostIP,
    images,
    timings,
    now: () => clock.now(),
    later,
    pull: createImageCache(later, images, timings.pullMs),
    newContainerId,
    newPodIP,
    isUp: () => up,
  };

  function see(pod: Pod): void {
    const { uid } = pod.metadata;
    if (
      uid === undefined ||
      syncing.has(uid) ||
      (isFinished(pod) && pod.metadata.deletionTimestamp === undefined)
    )
      return;
    syncing.add(uid);
    later(0, () => {
      syncing.delete(uid);
      if (store.byUid(uid) === undefined) return;
      let worker = workers.get(uid);
      if (worker === undefined) workers.set(uid, (worker = createPodWorker(host, uid)));
      worker.sync();
    });
  }

  return {
    see,
    forget(uid) {
      workers.get(uid)?.drop();
      workers.delete(uid);
    },
    isUp: () => up,
    stop() {
      up = false;
    },
    start() {
      if (up) return;
      up = true;
      const missed = overdue;
      overdue = [];
      for (const run of missed) run();
      for (const worker of workers.values()) worker.sync();
    },
  };
}
