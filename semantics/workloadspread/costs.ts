import type { KubeObject } from '../../schemas/wire/object.ts';
import { scaleInOrder } from '../pod/order.ts';
import { isReady } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { membersOf } from './members.ts';
import { normalizeSpread } from './normalize.ts';
import { capOf, workloadSize } from './size.ts';

const STEP = 100;

/**
 * What it costs to delete each active pod (OpenKruise workloadspread, rule 6.5): the last subset is emptied first, and before that what
 * is beyond a cap, and before that what is in no subset.
 *
 * @param owner the target with these pods
 */
export function deletionCosts(
  object: KubeObject,
  owner: KubeObject,
  pods: readonly Pod[],
): ReadonlyMap<Pod, number> {
  const spread = normalizeSpread(object);
  const { subsets } = spread;
  const size = workloadSize(owner, spread);
  const { bySubset, unmatched } = membersOf(object, pods);
  const costs = new Map<Pod, number>(unmatched.map((pod) => [pod, -STEP * (subsets.length + 1)]));
  subsets.forEach((subset, index) => {
    const own = bySubset.get(subset.name) ?? [];
    const beyond = own.length - (capOf(subset, size) ?? Infinity);
    const first =
      beyond > 0 ? scaleInOrder(own, isReady, undefined, undefined, () => 0).slice(0, beyond) : [];
    for (const pod of own) costs.set(pod, STEP * (subsets.length - index));
    for (const pod of first) costs.set(pod, -STEP * (index + 1));
  });
  return costs;
}
