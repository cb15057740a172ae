import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { isPullPod } from '../../semantics/pull/pod.ts';

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
