import type { KubeObject } from '../../schemas/wire/object.ts';
import type { CreatedPod, Influence, LaterPod, Present } from '../influence/influence.ts';
import { chooseSubset } from './choose.ts';
import { deletionCosts } from './costs.ts';
import { inSubset } from './inject.ts';
import { matchedOf } from './matched.ts';
import { membersOf, spreadBy } from './members.ts';
import { normalizeSpread } from './normalize.ts';
import { awaitsNodes, olderPods } from './older.ts';
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
  deletionCost(object, owner, present) {
    const assigned = assignedIn(object, owner, present);
    const costs = deletionCosts(object, owner, present.pods, { assigned, isOlder: false });
    return (pod) => costs.get(pod);
  },
  git: { covers: () => () => false, limit: () => undefined, limitsEvictions: () => false },
};

/** Each new pod in the subset that has room for it, those of the same decision included. */
export function spreadPods(
  object: KubeObject,
  owner: KubeObject,
  pods: readonly KubeObject[],
  now: number,
  present: Present,
): readonly (CreatedPod | LaterPod)[] {
  const isOwn = spreadBy(object);
  const spread = normalizeSpread(object);
  const isCounted =
    spread.target.kind !== 'StatefulSet' && spread.subsets.some(({ cap }) => cap !== undefined);
  let counted: Map<string, number> | 'later' | undefined;
  const size = workloadSize(owner, spread);
  const closed = closedSubsets(object, spread);
  return pods.map((pod) => {
    // A pod of two WorkloadSpreads is of the first.
    if (!isOwn(pod) || matchedOf(pod) !== undefined) return { pod, isRecorded: false };
    counted ??= isCounted ? countsOf(object, owner, present, now) : new Map<string, number>();
    if (counted === 'later') return { later: 'the pods of each subset are counted once nodes are known' };
    const subset = chooseSubset(pod.metadata.name, { spread, size, counted, closed });
    if (subset === undefined) return { pod, isRecorded: false };
    counted.set(subset.name, (counted.get(subset.name) ?? 0) + 1);
    return { pod: inSubset(object, subset, owner, pod), isRecorded: false };
  });
}

/** How many pods are in each subset; `later`: nobody can tell yet. */
function countsOf(
  object: KubeObject,
  owner: KubeObject,
  present: Present,
  now: number,
): Map<string, number> | 'later' {
  if (awaitsNodes(object, present.pods, present.nodes, now)) return 'later';
  const { bySubset } = membersOf(object, present.pods, assignedIn(object, owner, present));
  return new Map([...bySubset].map(([name, own]) => [name, own.length] as const));
}

/** The subsets of pods that run and are not on record yet. Those of another WorkloadSpread that is there are among them. */
function assignedIn(
  object: KubeObject,
  owner: KubeObject,
  { pods, nodes }: Present,
): ReadonlyMap<string, string> {
  const size = workloadSize(owner, normalizeSpread(object));
  return olderPods(object, pods, { nodes, others: [], size });
}
