import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import type { Pod } from '../pod/types.ts';
import { isUnscheduled } from '../pod/unscheduled.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { timeOf, timestamp } from '../values/timestamp.ts';
import { matchedOf } from './matched.ts';
import type { NormalSpread } from './normalize.ts';

/** The condition of a subset: whether its pods get nodes. */
export const SCHEDULABLE = 'Schedulable';
export const SUFFICIENT = 'Sufficient';
const UNSCHEDULABLE = 'PodUnschedulable';

/** So long a subset is left out after a pod of it got no node. */
export const RECOVERY_MS = 300_000;

/** The subsets that its status leaves out. */
export function closedSubsets(object: KubeObject, { isAdaptive }: NormalSpread): ReadonlySet<string> {
  if (!isAdaptive) return NONE;
  const closed = statusesOf(object).filter((each) => conditionIn(each, SCHEDULABLE)?.['status'] === 'False');
  return new Set(closed.map(({ name }) => textOf(name)));
}

const NONE: ReadonlySet<string> = new Set();

/** So soon a subset is judged anew whose status does not show yet that it is left out. */
const UNRECORDED_MS = 1_000;

/** Whether the pods of a subset can be scheduled. */
export interface Schedulable {
  condition: Condition;
  /** Pods that have waited too long for a node, once it is on record that their subset is left out: others would come there again. */
  failed: readonly Pod[];
  /** When to look again, milliseconds since 1970; undefined: when something changes. */
  again: number | undefined;
  /** It was left out, and no longer is. */
  hasRecovered: boolean;
}

/**
 * Judges a subset (OpenKruise workloadspread, rule 6.6). The last one takes whatever the others do not.
 *
 * @param seconds after which a pod without a node has failed
 */
export function judgeSubset(
  object: KubeObject,
  { name, isLast, pods, seconds }: { name: string; isLast: boolean; pods: readonly Pod[]; seconds: number },
  now: number,
): Schedulable {
  const status = statusesOf(object).find((each) => each['name'] === name) ?? {};
  const before = conditionIn(status, SCHEDULABLE);
  const wasClosed = before?.['status'] === 'False';
  const since = wasClosed ? timeOf(textOf(before['lastTransitionTime'])) : undefined;
  const waiting = isLast ? [] : pods.filter(isUnscheduled);
  const dueAt = (pod: Pod): number => shownAt(pod, now) + seconds * 1000;
  const failed = waiting.filter((pod) => dueAt(pod) <= now);
  const nextDue = Math.min(...waiting.map(dueAt).filter((at) => at > now));
  const opensAt = since === undefined ? Infinity : since + RECOVERY_MS;
  const isClosed = failed.length > 0 || (!isLast && wasClosed && opensAt > now);
  // The status that closes it wakes the reconcile that deletes.
  const closesAt = failed.length > 0 && !wasClosed ? now + UNRECORDED_MS : Infinity;
  const again = Math.min(nextDue, isClosed && opensAt > now ? opensAt : Infinity, closesAt);
  const at = before !== undefined && wasClosed === isClosed ? textOf(before['lastTransitionTime']) : '';
  return {
    condition: {
      type: SCHEDULABLE,
      status: isClosed ? 'False' : 'True',
      reason: isClosed ? UNSCHEDULABLE : SUFFICIENT,
      message: isClosed ? `a pod had no node after ${seconds}s` : '',
      lastTransitionTime: at === '' ? timestamp(now) : at,
    },
    failed: wasClosed ? failed : [],
    again: again === Infinity ? undefined : again,
    hasRecovered: wasClosed && !isClosed,
  };
}

/** Since when schedulers may give a pod a node: one that has waited for its place was not theirs before. */
function shownAt(pod: Pod, now: number): number {
  const at = matchedOf(pod)?.at;
  // Another clock may be ahead.
  return Math.max(timeOf(pod.metadata.creationTimestamp), at === undefined ? 0 : Math.min(timeOf(at), now));
}

function statusesOf({ status }: KubeObject) {
  return listOf(objectOf(status)['subsetStatuses']);
}

function conditionIn(status: ReturnType<typeof objectOf>, type: string) {
  return listOf(status['conditions']).find((each) => each['type'] === type);
}
