import type { Clock } from '../../schemas/wire/clock.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { controllerOf, groupKindOf } from '../../semantics/owner.ts';
import { isPullPod, pullOf } from '../../semantics/pull/pod.ts';
import { kindOf } from '../../semantics/registry/registry.ts';
import { textOf } from '../../semantics/values/read.ts';
import { timeOf } from '../../semantics/values/timestamp.ts';
import { keyOf } from './ids.ts';

/** Cached by list: a list of the cache is immutable, and nearly always without such pods. */
const known = new WeakMap<readonly KubeObject[], { own: readonly Pod[]; pulls: readonly Pod[] }>();

function split(pods: readonly KubeObject[]): { own: readonly Pod[]; pulls: readonly Pod[] } {
  let found = known.get(pods);
  if (found === undefined) {
    const pulls = pods.filter(isPullPod) as Pod[];
    const own = (pulls.length === 0 ? pods : pods.filter((pod) => !isPullPod(pod))) as readonly Pod[];
    known.set(pods, (found = { own, pulls }));
  }
  return found;
}

/** The pods of a list that are units of their controller. */
export function ownPods(pods: readonly KubeObject[]): readonly Pod[] {
  return split(pods).own;
}

/** The pods of a list that only pull images. */
export function pullPods(pods: readonly KubeObject[]): readonly Pod[] {
  return split(pods).pulls;
}

/** To which nodes images are being pulled, by whichever target. */
export interface PullingNodes {
  see(pod: Pod, gone: boolean): void;
  /** The nodes to which pods of other targets pull. */
  elsewhere(target: KubeObject): ReadonlySet<string>;
}

/** So long at most one pull after the other keeps others from a node: kubelets queue by themselves. */
const LONGEST_BUSY_MS = 10 * 60_000;
/** A node that is free for so long could be pulled to by whoever waits: they look every five seconds. */
const FREE_MS = 15_000;
/** So long a pod without a node counts. */
const UNPLACED_MS = 60_000;

/** The pods that pull to one node. */
interface Pulling {
  /** Since when it has never been free, milliseconds since 1970. */
  since: number;
  /** When the last pod went. */
  freeFrom: number;
  /** By key. */
  pods: Map<string, { owner: string; until: number }>;
}

/** What keeps others from a node has bounds, because whoever may create pods anywhere may create such ones. */
export function createPullingNodes({ now }: Pick<Clock, 'now'>): PullingNodes {
  const nodes = new Map<string, Pulling>();
  /** The nodes of the pods, by key of the pod. */
  const places = new Map<string, string>();

  function drop(key: string): void {
    const found = nodes.get(places.get(key) ?? '');
    if (found?.pods.delete(key) === true) found.freeFrom = now();
    places.delete(key);
  }

  return {
    see(pod, gone) {
      if (!isPullPod(pod) && !places.has(keyOf(pod))) return;
      const key = keyOf(pod);
      const owner = gone ? undefined : pullerOf(pod);
      const { node } = pullOf(pod);
      if (owner === undefined || places.get(key) !== node) drop(key);
      if (owner === undefined) return;
      const createdAt = timeOf(pod.metadata.creationTimestamp);
      const until = (pod.spec.nodeName ?? '') === '' ? createdAt + UNPLACED_MS : Infinity;
      const before = nodes.get(node);
      const goesOn = before !== undefined && (before.pods.size > 0 || now() < before.freeFrom + FREE_MS);
      // It may have waited for its place until now. The second time is that of another clock.
      const since = Math.min(Math.max(createdAt, timeOf(textOf(pod.status?.['startTime']))), now());
      const found = goesOn ? before : { since, freeFrom: 0, pods: new Map() };
      found.pods.set(key, { owner, until });
      nodes.set(node, found);
      places.set(key, node);
    },
    elsewhere({ metadata }) {
      const busy = new Set<string>();
      for (const [node, { since, freeFrom, pods }] of nodes) {
        if (pods.size === 0 && now() >= freeFrom + FREE_MS) nodes.delete(node);
        if (now() >= since + LONGEST_BUSY_MS) continue;
        for (const { owner, until } of pods.values())
          if (owner !== metadata.uid && now() < until) busy.add(node);
      }
      return busy;
    },
  };
}

/** The uid of the target for which a pod pulls now; undefined: it pulls nothing, or is none of ours. */
function pullerOf(pod: Pod): string | undefined {
  const { metadata, spec, status } = pod;
  const controller = controllerOf(pod);
  if (controller === undefined || kindOf(groupKindOf(controller)) === undefined || !isPullPod(pod)) return;
  const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  // One on a dead node is deleted, and stays.
  if (isOver || metadata.deletionTimestamp !== undefined) return;
  const { nodeName = '' } = spec;
  const isThere = nodeName === '' ? !isUnplaced(pod) : nodeName === pullOf(pod).node;
  return isThere ? controller.uid : undefined;
}

/** It waits for a place on its node. */
function isUnplaced({ status }: Pod): boolean {
  return (
    status?.conditions?.some(({ type, status: is }) => type === 'PodScheduled' && is === 'False') === true
  );
}
