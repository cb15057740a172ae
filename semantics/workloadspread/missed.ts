import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { MISSED_CONDITION } from '../plan/held-condition.ts';
import type { Pod } from '../pod/types.ts';
import { countText } from '../values/text.ts';
import { timeOf } from '../values/timestamp.ts';
import { isGated } from './gated.ts';
import { matchedOf } from './matched.ts';
import type { Members } from './members.ts';
import { normalizeSpread } from './normalize.ts';
import { capOf } from './size.ts';

/** Whether a pod was created while its WorkloadSpread was there, by others than this runtime: a webhook should have been asked. */
export function isYounger(object: KubeObject, { metadata }: Pod): boolean {
  return (
    normalizeSpread(object).way !== 'creates' &&
    timeOf(metadata.creationTimestamp) > timeOf(object.metadata.creationTimestamp)
  );
}

/**
 * The pods that nobody has placed as they were created: no webhook was asked, or it could not write. Those for which no subset had room
 * are none of them.
 *
 * @param size how many pods the workload is to have
 */
export function missedPods(object: KubeObject, { bySubset, unmatched }: Members, size: number): Pod[] {
  const { subsets } = normalizeSpread(object);
  const placed = [...bySubset.values()].flat();
  const byNode = placed.filter((pod) => matchedOf(pod)?.isMissed === true);
  const without = unmatched.filter((pod) => isYounger(object, pod) && !isGated(pod));
  const caps = subsets.map((subset) => capOf(subset, size));
  const room = caps.reduce<number>((sum, cap) => sum + (cap ?? Infinity), 0);
  const beyond = Math.max(placed.length + unmatched.length - room, 0);
  return [...byNode, ...without.slice(beyond)];
}

/** The condition that counts them and names one; undefined: there is none. */
export function missedCondition(missed: readonly Pod[]): Condition | undefined {
  const [first] = missed.map(({ metadata }) => metadata.name).sort();
  if (first === undefined) return undefined;
  const [were, them] = missed.length === 1 ? ['was', 'it'] : ['were', 'them'];
  return {
    type: MISSED_CONDITION,
    status: 'True',
    reason: 'NotPlaced',
    message:
      `${countText(missed.length, 'pod')} ${were} created without a subset, such as ${first}: no webhook placed ${them}, and no gate was in the template. ` +
      'Check it with kruise admission check, and recreate the pods',
  };
}
