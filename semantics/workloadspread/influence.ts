import type { KubeObject } from '../../schemas/wire/object.ts';
import type { CreatedPod, Influence } from '../influence/influence.ts';
import type { Pod } from '../pod/types.ts';
import { chooseSubset } from './choose.ts';
import { deletionCosts } from './costs.ts';
import { inSubset } from './inject.ts';
import { matchedOf } from './matched.ts';
import { membersOf, spreadBy } from './members.ts';
import { normalizeSpread } from './normalize.ts';
import { closedSubsets } from './schedulable.ts';
import { workloadSize } from './size.ts';

/**
 * What a WorkloadSpread does to decisions about its target: new pods get their subset, and a scale-in takes the last subset first. It
 * records nothing: the pods that exist say how many are in each subset, and only one process creates them.
 */
export const spreadInfluence: Influence = {
  protects: false,
  covers: (object, pod) => spreadBy(object)(pod),
  labels: () => [],
  onDisrupt: () => undefined,
  onCreate: spreadPods,
  record: () => ({}),
  raise: () => undefined,
  claim: () => undefined,
  deletionCost(object, owner, pods) {
    const costs = deletionCosts(object, owner, pods);
    return (pod) => costs.get(pod);
  },
  git: { covers: () => () => false, limit: () => undefined, limitsEvictions: () => false },
};

/** Each new pod in the subset that has room for it, those of the same decision included. */
export function spreadPods(
  object: KubeObject,
  owner: KubeObject,
  pods: readonly KubeObject[],
  _now: number,
  present: readonly Pod[],
): readonly CreatedPod[] {
  const isOwn = spreadBy(object);
  const spread = normalizeSpread(object);
  let counted: Map<string, number> | undefined;
  const size = workloadSize(owner, spread);
  const closed = closedSubsets(object, spread);
  return pods.map((pod) => {
    // A pod of two WorkloadSpreads is of the first.
    if (!isOwn(pod) || matchedOf(pod) !== undefined) return { pod, isRecorded: false };
    counted ??= countsOf(object, present);
    const subset = chooseSubset(pod.metadata.name, { spread, size, counted, closed });
    if (subset === undefined) return { pod, isRecorded: false };
    counted.set(subset.name, (counted.get(subset.name) ?? 0) + 1);
    return { pod: inSubset(object, subset, owner, pod), isRecorded: false };
  });
}

function countsOf(object: KubeObject, present: readonly Pod[]): Map<string, number> {
  return new Map([...membersOf(object, present).bySubset].map(([name, own]) => [name, own.length] as const));
}
