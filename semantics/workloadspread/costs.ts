import type { KubeObject } from '../../schemas/wire/object.ts';
import { scaleInOrder } from '../pod/order.ts';
import type { PatchAction } from '../decision.ts';
import { isReady } from '../pod/readiness.ts';
import { DELETION_COST_ANNOTATION, type Pod } from '../pod/types.ts';
import { isGated } from './gated.ts';
import { matchedOf } from './matched.ts';
import { membersOf } from './members.ts';
import { type NormalSpread, normalizeSpread } from './normalize.ts';
import { capOf, workloadSize } from './size.ts';
import { byVersion } from './versions.ts';

const STEP = 100;

/**
 * What it costs to delete each active pod (OpenKruise workloadspread, rule 6.5): the last subset is emptied first, and before that what
 * is beyond a cap, and before that what is in no subset.
 *
 * @param owner the target with these pods
 * @param isOlder they are of a version that is replaced: these leave the first subset first
 * @param assigned subsets of pods that are not on record yet, by uid
 */
export function deletionCosts(
  object: KubeObject,
  owner: KubeObject,
  pods: readonly Pod[],
  { assigned, isOlder }: { assigned: ReadonlyMap<string, string>; isOlder: boolean },
): ReadonlyMap<Pod, number> {
  const spread = normalizeSpread(object);
  const { subsets } = spread;
  const size = workloadSize(owner, spread);
  const { bySubset, unmatched } = membersOf(object, pods, assigned);
  const costs = new Map<Pod, number>(unmatched.map((pod) => [pod, -STEP * (subsets.length + 1)]));
  subsets.forEach((subset, position) => {
    const index = isOlder ? subsets.length - 1 - position : position;
    const own = bySubset.get(subset.name) ?? [];
    const beyond = own.length - (capOf(subset, size) ?? Infinity);
    const first =
      beyond > 0 ? scaleInOrder(own, isReady, undefined, undefined, () => 0).slice(0, beyond) : [];
    for (const pod of own) costs.set(pod, STEP * (subsets.length - index));
    for (const pod of first) costs.set(pod, -STEP * (index + 1));
  });
  return costs;
}

/** Kinds whose controllers read the annotation. */
const READS_COSTS: ReadonlySet<string> = new Set(['Deployment', 'ReplicaSet']);

/** Whether the controller of the pods of a WorkloadSpread reads what their deletion costs. */
export function readsCosts({ target }: NormalSpread): boolean {
  return target.group === 'apps' && READS_COSTS.has(target.kind);
}

/** The cost of a pod that comes to a subset with room. */
export function costIn({ subsets }: NormalSpread, name: string, isOlder: boolean): number {
  const position = subsets.findIndex((each) => each.name === name);
  return STEP * (isOlder ? position + 1 : subsets.length - position);
}

/**
 * The writes by which the controller of the pods reads what their deletion costs, where it differs.
 *
 * @param older    the versions that are replaced
 * @param assigned subsets of pods that are not on record yet, by uid
 */
export function costWrites(
  object: KubeObject,
  owner: KubeObject,
  pods: readonly Pod[],
  { older, assigned }: { older: ReadonlySet<string>; assigned: ReadonlyMap<string, string> },
): PatchAction[] {
  const spread = normalizeSpread(object);
  if (!readsCosts(spread)) return [];
  return [...byVersion(spread, pods)].flatMap(([version, own]) =>
    [...deletionCosts(object, owner, own, { assigned, isOlder: older.has(version) })].flatMap(
      ([pod, cost]): PatchAction[] => {
        const { name, uid = '', annotations } = pod.metadata;
        const text = String(cost);
        const present = annotations?.[DELETION_COST_ANNOTATION];
        if (isGated(pod) || present === text) return [];
        // In no subset it is the first to go whatever it costs less, and two WorkloadSpreads of it do not write in turns.
        if (matchedOf(pod) === undefined && cost < 0 && Number(present) <= cost) return [];
        const body = { metadata: { uid, annotations: { [DELETION_COST_ANNOTATION]: text } } };
        const reason = `a scale-in follows the subsets of WorkloadSpread ${object.metadata.name}`;
        return [
          { do: 'patch', kind: 'Pod', verb: 'set the deletion cost of', name, body, reason, isAside: true },
        ];
      },
    ),
  );
}
