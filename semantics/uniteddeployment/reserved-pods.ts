import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ChildCounts } from '../children/share-rows.ts';
import type { PatchAction } from '../decision.ts';
import { withResourceVersion } from '../pod/in-place.ts';
import { isActive, isAvailable, isReady, readySince } from '../pod/readiness.ts';
import { type Pod, REVISION_LABEL } from '../pod/types.ts';
import { isUnscheduled } from '../pod/unscheduled.ts';
import { objectOf, textOf } from '../values/read.ts';
import { timeOf, timestamp } from '../values/timestamp.ts';
import { sizeOf } from './child.ts';
import type { AdaptiveStrategy } from './normalize.ts';
import {
  conditionOf,
  isNewSubset,
  judgedPods,
  type Judging,
  type Schedulable,
  SCHEDULABLE,
  type SubsetCondition,
} from './schedulable.ts';

/** The label of pods that says whether others stand in for them: `true` or `false`. */
export const RESERVED_LABEL = 'apps.kruise.io/united-deployment-reserved-pod';

/** The reason of a subset that was added to others: nothing is known of its nodes. */
const CREATED = 'created';

const RESCHEDULE = 'reschedule';

/**
 * Judges a subset whose pods stay when they get no node (OpenKruise uniteddeployment, rule 6.4). Which pods others stand in for is on
 * record in a label of each pod, and nothing follows before it is written: after a crash the same pods have it.
 *
 * A pod that has no node for long enough gets it, and loses it once it has been ready for long enough. While the condition of the subset
 * is False, its new pods have it at once. So has a subset that was added to others, until its first pods have proven that they stay.
 */
export function judgeReserving(subset: string, strategy: AdaptiveStrategy, judging: Judging): Schedulable {
  const { target, objectIn, now } = judging;
  const child = objectIn(subset);
  const before = isNewSubset(target, subset) ? added(now) : conditionOf(target, subset);
  const isMarked = before?.status === 'False';
  const pods =
    child === undefined ? [] : judging.kind.podsOf(child, judging.pods).filter((pod) => isActive(pod));
  const reserved = pods.filter((pod) => labelOf(pod) === 'true');
  const proven = pods.filter((pod) => labelOf(pod) === 'false').length;
  const isFull = reserved.length > 0;
  const judged = new Set(judgedPods(subset, judging));
  const due = new Map(pods.map((pod) => [pod, changesAt(pod, strategy, judged)]));
  const labels = pods.flatMap((pod) => {
    const isDue = (due.get(pod) ?? Infinity) <= now;
    const isReserved = labelOf(pod) === 'true' ? !isDue : isDue || (isMarked && labelOf(pod) === undefined);
    return labelWrite(pod, isReserved) ?? [];
  });
  const later = [...due.values()].filter((at) => at > now && at !== Infinity);
  return {
    condition: conditionNow(
      before,
      { isFull, isProven: proven >= sizeOf(child), hasProven: proven > 0, ...strategy },
      now,
    ),
    whileGrowing: isMarked ? before : undefined,
    isFull,
    isTrusted: child === undefined || (!isFull && !isMarked),
    stuck: Math.max(sizeOf(child), pods.length) - proven,
    reserved: countsOf(reserved, child, judging),
    labels,
    again: later.length === 0 ? undefined : Math.min(...later),
  };
}

/** When the label of a pod becomes the other one, as far as that is known, milliseconds since 1970; Infinity: it is not. */
function changesAt(
  pod: Pod,
  { criticalSeconds, fullSeconds }: AdaptiveStrategy,
  judged: ReadonlySet<Pod>,
): number {
  if (labelOf(pod) === 'true') {
    const isRunning = pod.status?.phase === 'Running' && isReady(pod);
    return isRunning ? readySince(pod) + fullSeconds * 1000 : Infinity;
  }
  return judged.has(pod) && isUnscheduled(pod)
    ? timeOf(pod.metadata.creationTimestamp) + criticalSeconds * 1000
    : Infinity;
}

/** The condition of a subset that was added to others. */
function added(now: number): SubsetCondition {
  const message = 'it was added to others, and none of its pods has proven that it stays';
  return {
    ...{ type: SCHEDULABLE, status: 'False', reason: CREATED, message },
    lastTransitionTime: timestamp(now),
  };
}

/** It stays False until every pod has proven that it stays: a new one that has no label yet gets it by this condition. */
function conditionNow(
  before: SubsetCondition | undefined,
  now: { isFull: boolean; isProven: boolean; hasProven: boolean; criticalSeconds: number },
  at: number,
): SubsetCondition | undefined {
  const isProven = now.isProven && (before?.reason !== CREATED || now.hasProven);
  const stays = before === undefined || (before.status === 'False' && !isProven);
  if (!now.isFull && stays) return before;
  const status = now.isFull ? 'False' : 'True';
  if (before?.status === status && before.reason === RESCHEDULE) return before;
  const message = now.isFull ? `a pod had no node after ${now.criticalSeconds}s` : '';
  return { type: SCHEDULABLE, status, reason: RESCHEDULE, message, lastTransitionTime: timestamp(at) };
}

function labelOf({ metadata }: Pod): string | undefined {
  return metadata.labels?.[RESERVED_LABEL];
}

/** Every pod has the label, as a selector of those that count must find all of them. Undefined: it has the right one. */
function labelWrite(pod: Pod, isReserved: boolean): PatchAction | undefined {
  const value = String(isReserved);
  if (labelOf(pod) === value) return undefined;
  const reason = isReserved
    ? 'it has no node, or has yet to prove that it stays: pods of other subsets stand in for it'
    : 'it counts as a pod of its subset';
  const body = withResourceVersion(pod, { metadata: { labels: { [RESERVED_LABEL]: value } } });
  return { do: 'patch', kind: 'Pod', verb: 'label', name: pod.metadata.name, body, reason };
}

/** What of the counts of a child is about these pods of it. */
function countsOf(
  pods: readonly Pod[],
  child: KubeObject | undefined,
  { minReadySeconds, now }: Judging,
): ChildCounts {
  const revision = textOf(objectOf(child?.['status'])['updateRevision']);
  const isUpdated = ({ metadata }: Pod): boolean => metadata.labels?.[REVISION_LABEL] === revision;
  const working = pods.filter((pod) => isAvailable(pod, minReadySeconds, now));
  return {
    ...{ pods: pods.length, available: working.length },
    ...{ updated: pods.filter(isUpdated).length, updatedAvailable: working.filter(isUpdated).length },
  };
}
