import type { UnitedSubsetStatus } from '../../schemas/generated/types/uniteddeployment.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../decision.ts';
import { type ChildCounts, ownShare } from '../children/share-rows.ts';
import type { ShareRecords } from '../children/share-records.ts';
import { isActive } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { isUnscheduled } from '../pod/unscheduled.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { timeOf, timestamp } from '../values/timestamp.ts';
import type { ChildKind } from './child-kind.ts';
import type { AdaptiveStrategy } from './normalize.ts';

/** The condition of a subset: whether its pods get nodes. */
export const SCHEDULABLE = 'Schedulable';

export type SubsetCondition = NonNullable<UnitedSubsetStatus['conditions']>[number];

/** Whether pods of a subset get nodes. */
export interface Schedulable {
  /** What its status says of it; undefined: nothing, as they always have. */
  condition: SubsetCondition | undefined;
  /** The same where it gets more pods than it was to have. */
  whileGrowing: SubsetCondition | undefined;
  /** It gets no more pods: so it is on record, and so it still is. */
  isFull: boolean;
  /** As of `PresentSubset`. */
  isTrusted: boolean;
  /** Its pods that have waited too long for a node; or that others stand in for, until they have proven that they stay. */
  stuck: number;
  /** What of the counts of its child is about pods that others stand in for. */
  reserved: ChildCounts;
  /** The labels of its pods that differ from what they are to be. */
  labels: readonly Action[];
  /** When to look again, milliseconds since 1970; undefined: when something changes. */
  again: number | undefined;
}

/** What subsets are judged by. */
export interface Judging {
  /** With the status that has it on record. */
  target: KubeObject;
  /** The kind of its children. */
  kind: Pick<ChildKind, 'podsOf' | 'revisionLabel'>;
  /** The child of a subset, if it exists. */
  objectIn(subset: string): KubeObject | undefined;
  pods: readonly Pod[];
  records: ShareRecords;
  /** So long a pod is ready before it is available. */
  minReadySeconds: number;
  now: number;
}

/** No pod stands in for others. */
export const NONE_RESERVED: ChildCounts = { pods: 0, available: 0, updated: 0, updatedAvailable: 0 };

/**
 * Judges a subset (OpenKruise uniteddeployment, rule 6.3). It is full once a pod has had no node for long enough, and stays so for a
 * while. Nothing follows from that before it is on record: a crash after the pod was deleted would make one there again.
 */
export function judgeSubset(
  subset: string,
  { criticalSeconds, fullSeconds }: AdaptiveStrategy,
  judging: Judging,
): Schedulable {
  const { target, now } = judging;
  const before = conditionOf(target, subset);
  const wasFull = before?.status === 'False';
  const fullMs = fullSeconds * 1000;
  const dueAt = ({ metadata }: Pod): number => timeOf(metadata.creationTimestamp) + criticalSeconds * 1000;
  const waiting = judgedPods(subset, judging).filter((pod) => isActive(pod) && isUnscheduled(pod));
  const stuck = waiting.filter((pod) => dueAt(pod) <= now).length;
  const opensAt = wasFull ? timeOf(before.lastTransitionTime) + fullMs : 0;
  const isFull = stuck > 0 || opensAt > now;
  // A pod that still waits closes it for another while.
  const stays = before !== undefined && wasFull === isFull && (!isFull || opensAt > now);
  const changed = {
    type: SCHEDULABLE,
    ...(isFull
      ? {
          status: 'False',
          reason: 'reschedule',
          message: `a pod had no node after ${criticalSeconds}s`,
        }
      : { status: 'True', reason: 'recover', message: '' }),
    lastTransitionTime: timestamp(now),
  };
  const at = [
    ...waiting.map(dueAt).filter((due) => due > now),
    ...(isFull ? [opensAt > now ? opensAt : now + fullMs] : []),
  ];
  const condition = stays ? before : before === undefined && !isFull ? undefined : changed;
  return {
    ...{ condition, whileGrowing: condition, isFull: wasFull && isFull, isTrusted: true, stuck },
    ...{ reserved: NONE_RESERVED, labels: [] },
    again: at.length === 0 ? undefined : Math.min(...at),
  };
}

/**
 * The pods of a child by which its subset is judged. While it gets another template, a pod without a node may have a template that
 * fits none: it is for the plan to say so, and for no other subset to hide. So such a pod counts if it is on the revision before, or
 * another one on its revision has a node.
 */
export function judgedPods(subset: string, { kind, objectIn, pods: all, records }: Judging): readonly Pod[] {
  const child = objectIn(subset);
  if (child === undefined) return [];
  const pods = kind.podsOf(child, all);
  const share = ownShare(child, records)?.share;
  if (share === undefined || share.goal === share.stable) return pods;
  const revisionOf = ({ metadata }: Pod): string => metadata.labels?.[kind.revisionLabel] ?? '';
  const placed = new Set(pods.filter(({ spec }) => (spec.nodeName ?? '') !== '').map(revisionOf));
  placed.add(textOf(objectOf(child['status'])['currentRevision']));
  return pods.filter((pod) => placed.has(revisionOf(pod)));
}

/** Whether the status has other subsets, and not this one. */
export function isNewSubset({ status }: KubeObject, subset: string): boolean {
  const known = listOf(objectOf(status)['subsetStatuses']);
  return known.length > 0 && !known.some(({ name }) => name === subset);
}

/** What the status says of whether pods of a subset get nodes. */
export function conditionOf({ status }: KubeObject, subset: string): SubsetCondition | undefined {
  const own = listOf(objectOf(status)['subsetStatuses']).find(({ name }) => name === subset);
  const found = listOf(objectOf(own)['conditions']).find(({ type }) => type === SCHEDULABLE);
  return found as SubsetCondition | undefined;
}
