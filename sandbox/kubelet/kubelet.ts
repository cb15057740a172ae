import type { ComponentContext } from '../controllers/context.ts';
import type { RecordEvent } from '../controllers/context.ts';
import { isFinished, type Pod } from '../../schemas/pods/pod.ts';
import type { Node, ListedImage } from '../kinds/node.ts';
import { thousandths } from '../kinds/quantity.ts';
import { missingConfig, retryConfig } from './containerConfig.ts';
import { hasCredentials } from './pullSecrets.ts';
import { terminate } from './containerStop.ts';
import { createImageCache } from './imageCache.ts';
import type { Images } from './images.ts';
import { isDeferred } from './podResources.ts';
import type { Termination, PodHost, PodRun } from './podRun.ts';
import { scriptAnnotation, scriptOf, scriptsOf } from './script.ts';
import { demandOfPod, dropPod, endPod, newPodRun, syncPod } from './podWorker.ts';
import type { Demand, NodeCapacity } from './resources.ts';

/** The kubelet of one node. */
export interface Kubelet {
  /** A pod of this node was written, by any client. */
  observe(pod: Pod): void;
  forget(uid: string): void;
  isUp(): boolean;
  /** Asks the program of a container to end, as a process in it does. */
  terminate(uid: string, container: string): void;
  /** Stops all actions and status updates, like a node without network or power. */
  stop(): void;
  /** Restarts: timers that expired in between fire now, and every pod is synced. */
  start(): void;
  /** Terminates every pod, like a graceful node shutdown. longestMs: the longest grace period. */
  endPods(ending: Termination): { longestMs: number };
}

export interface KubeletOptions {
  node: string;
  hostIP: string;
  images: Images;
  newContainerId: () => string;
  newPodIP: () => string;
  record: RecordEvent;
  /** Writes the images of the node into its status. */
  reportImages: (images: ListedImage[]) => void;
}

/** How often a kubelet looks whether the status of its node has changed. */
const SYNC_MS = 10_000;

export function createKubelet(context: ComponentContext, options: KubeletOptions): Kubelet {
  const { store, server, clock, timings } = context;
  const { node, hostIP, images, newContainerId, newPodIP, record } = options;
  const user = `system:node:${node}`;
  const runs = new Map<string, PodRun>();
  const syncing = new Set<string>();
  let up = true;
  let overdue: (() => void)[] = [];

  function later(delayMs: number, run: () => void): () => void {
    let canceled = false;
    const cancel = clock.after(delayMs, () => {
      if (up) return run();
      overdue.push(() => {
        if (!canceled) run();
      });
    });
    return () => {
      canceled = true;
      cancel();
    };
  }

  function offered(resource: string): number {
    const object: Node | undefined = store.read('nodes', '', node);
    const quantity = object?.status?.allocatable?.[resource];
    return quantity === undefined ? Number.POSITIVE_INFINITY : thousandths(quantity);
  }

  function capacity(uid: string): NodeCapacity {
    let known: Demand[] | undefined;
    function others(): Demand[] {
      if (known !== undefined) return known;
      known = [];
      for (const [other, run] of runs) {
        const demand = other === uid ? undefined : demandOfPod(host, run);
        if (demand !== undefined) known.push(demand);
      }
      return known;
    }
    return {
      offered,
      used(resource) {
        // Pods are counted only if the limit might be exceeded.
        const atMost = (runs.size - 1) * 1000;
        if (resource === 'pods' && atMost + 1000 <= offered('pods')) return atMost;
        let taken = 0;
        for (const demand of others()) taken += resource === 'pods' ? 1000 : (demand[resource] ?? 0);
        return taken;
      },
    };
  }

  const begun = clock.now();
  let reports = false;

  /** At the next sync of the node, with whatever else has come until then. */
  function reportImages(): void {
    if (reports) return;
    reports = true;
    const sinceSync = (clock.now() - begun) % SYNC_MS;
    later(SYNC_MS - sinceSync, () => {
      reports = false;
      options.reportImages(cache.listed());
    });
  }

  const cache = createImageCache(
    { now: () => clock.now(), after: later },
    images,
    timings.pullMs,
    reportImages,
  );
  const object: Node | undefined = store.read('nodes', '', node);
  cache.restore(object?.status?.images ?? []);
  const host: PodHost = {
    user,
    server,
    store,
    hostIP,
    images,
    scriptOf(uid, container) {
      const pod = store.byUid(uid) as Pod | undefined;
      return pod === undefined ? undefined : scriptOf(pod, container);
    },
    missingConfig(uid, wanted) {
      const pod = store.byUid(uid) as Pod | undefined;
      return pod === undefined ? undefined : missingConfig(store, pod, wanted);
    },
    hasCredentials(uid, image) {
      const pod = store.byUid(uid) as Pod | undefined;
      return pod !== undefined && hasCredentials(store, pod, image);
    },
    restartPolicyOf: (uid) => (store.byUid(uid) as Pod | undefined)?.spec.restartPolicy,
    timings,
    now: () => clock.now(),
    later,
    cache,
    newContainerId,
    newPodIP,
    isUp: () => up,
    capacity,
    changed(uid) {
      const run = runs.get(uid);
      if (run !== undefined) syncPod(host, run);
    },
    recordEvent(uid, type, reason, message, fieldPath) {
      const pod = store.byUid(uid);
      if (pod !== undefined) record(pod, type, reason, message, fieldPath);
    },
  };

  /** A pod was removed: retry deferred resizes. */
  function capacityReleased(): void {
    for (const run of runs.values()) if (isDeferred(run)) later(0, () => syncPod(host, run));
  }

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
      const present = store.byUid(uid);
      if (present === undefined) return;
      let run = runs.get(uid);
      if (run === undefined) {
        const scripts = scriptsOf(present as Pod);
        if ('fault' in scripts)
          record(present, 'Warning', 'InvalidAnnotation', `${scriptAnnotation} is ignored: ${scripts.fault}`);
        runs.set(uid, (run = newPodRun(present as Pod)));
      }
      retryConfig(run, present as Pod);
      syncPod(host, run);
    });
  }

  return {
    observe: see,
    forget(uid) {
      const run = runs.get(uid);
      if (run !== undefined) dropPod(run);
      runs.delete(uid);
      capacityReleased();
    },
    isUp: () => up,
    terminate(uid, container) {
      const run = runs.get(uid)?.containers.find(({ name }) => name === container);
      if (up && run !== undefined) terminate(host, run);
    },
    stop() {
      up = false;
    },
    start() {
      if (up) return;
      up = true;
      const missed = overdue;
      overdue = [];
      for (const act of missed) act();
      for (const run of runs.values()) syncPod(host, run);
    },
    endPods(ending) {
      let longestMs = 0;
      for (const [uid, run] of runs) {
        const pod = store.byUid(uid) as Pod | undefined;
        if (pod === undefined || isFinished(pod)) continue;
        longestMs = Math.max(longestMs, (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000);
        endPod(host, run, ending);
      }
      return { longestMs };
    },
  };
}
