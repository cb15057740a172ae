import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { controllerOf } from '../../semantics/owner.ts';
import { isPullPod, pullOf } from '../../semantics/pull/pod.ts';
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

export function createPullingNodes(): PullingNodes {
  /** By the key of the pod. */
  const active = new Map<string, { node: string; owner: string }>();
  return {
    see(pod, gone) {
      if (!isPullPod(pod)) return;
      const phase = pod.status?.phase;
      const isPulling = !gone && phase !== 'Succeeded' && phase !== 'Failed' && hasPlace(pod);
      if (isPulling) active.set(keyOf(pod), { node: pullOf(pod).node, owner: controllerOf(pod)?.uid ?? '' });
      else active.delete(keyOf(pod));
    },
    elsewhere({ metadata }) {
      const others = [...active.values()].filter(({ owner }) => owner !== metadata.uid);
      return new Set(others.map(({ node }) => node));
    },
  };
}

/** One that waits for a place on its node pulls nothing. */
function hasPlace({ spec, status }: Pod): boolean {
  const isUnplaced = status?.conditions?.some(
    ({ type, status: is }) => type === 'PodScheduled' && is === 'False',
  );
  return (spec.nodeName ?? '') !== '' || isUnplaced !== true;
}
