import type { Condition } from '../../schemas/wire/object.ts';
import type { CloneSetStatus } from '../../schemas/generated/types/cloneset.ts';
import { heldCondition, timed } from '../conditions/times.ts';
import type { Pod } from '../pod/types.ts';
import { collisionCount } from '../revision/collisions.ts';
import { revisionOf, stableRevision } from '../revision/revision.ts';
import { partitionValue } from '../values/int-or-percent.ts';
import { formatSelector } from '../values/selector.ts';
import { podCounts } from '../workload/counts.ts';
import type { CloneSetView } from './view.ts';

export interface StatusInput {
  view: CloneSetView;
  available: (pod: Pod) => boolean;
  /** Why the target is held, and what to do; undefined: it is not. */
  held: { reason: string; message: string } | undefined;
  now: number;
}

/**
 * The whole desired status (OpenKruise cloneset, section 3), of the pods as observed before this decision. One deviation:
 * `currentRevision` is the stable revision, which changes when a rollout is complete, not when the counts of pods match. So
 * 0 of 0 pods changes nothing.
 */
export function cloneSetStatus({ view, available, held, now }: StatusInput): CloneSetStatus {
  const { spec } = view;
  const updateRevision = revisionOf(view, view.liveHash)?.name ?? '';
  const counts = {
    ...podCounts(view, available, now),
    expectedUpdatedReplicas: spec.replicas - partitionValue(spec.partition, spec.replicas),
  };
  const before = (view.target['status'] ?? {}) as CloneSetStatus;
  const collisions = collisionCount(view);
  const status: CloneSetStatus = {
    observedGeneration: view.target.metadata.generation ?? 0,
    ...counts,
    currentRevision: stableRevision(view)?.name ?? updateRevision,
    updateRevision,
    ...(collisions === undefined ? {} : { collisionCount: collisions }),
    labelSelector: formatSelector(spec.selector),
  };
  const conditions = timed(
    [progressing(view, status, held !== undefined, now), heldCondition(held)],
    before.conditions,
    now,
  );
  if (conditions.length > 0) status.conditions = conditions;
  return status;
}

/**
 * The condition Progressing: the first match decides (OpenKruise cloneset, section 3). A held target counts as paused, so
 * that its deadline does not pass.
 */
function progressing(
  view: CloneSetView,
  status: CloneSetStatus,
  held: boolean,
  now: number,
): Condition | undefined {
  const { spec } = view;
  if (spec.progressDeadlineSeconds === undefined) return undefined;
  const before = ((view.target['status'] ?? {}) as CloneSetStatus).conditions?.find(
    (c) => c.type === 'Progressing',
  );
  const is = (result: 'True' | 'False', reason: string, message: string): Condition => ({
    type: 'Progressing',
    status: result,
    reason,
    message,
  });
  const expected = status.expectedUpdatedReplicas ?? 0;
  const updatedAvailable = status.updatedAvailableReplicas ?? 0;
  if (
    status.currentRevision === status.updateRevision &&
    [status.replicas, status.updatedReplicas, updatedAvailable].every((n) => n === spec.replicas)
  ) {
    return is('True', 'CloneSetAvailable', 'CloneSet is available');
  }
  if (spec.paused || held) return is('True', 'CloneSetPaused', 'CloneSet is paused');
  if (expected < spec.replicas && expected <= updatedAvailable) {
    return is('True', 'ProgressPartitionAvailable', 'CloneSet has been paused due to partition ready');
  }
  const exceeded = before?.reason === 'ProgressDeadlineExceeded';
  // Only time in progress counts: after Available, Paused or PartitionAvailable the clock starts again.
  const since = before?.reason === 'CloneSetUpdated' ? Date.parse(before.lastUpdateTime ?? '') : now;
  if (exceeded || since + spec.progressDeadlineSeconds * 1000 < now) {
    const message = `CloneSet revision ${status.updateRevision} has timed out progressing`;
    return is('False', 'ProgressDeadlineExceeded', message);
  }
  return is('True', 'CloneSetUpdated', 'CloneSet is progressing');
}

/** When the progress deadline passes and the target must be reconciled, milliseconds since 1970; undefined: it does not. */
export function progressDeadlineAt(view: CloneSetView, status: CloneSetStatus): number | undefined {
  const progress = status.conditions?.find((c) => c.type === 'Progressing');
  if (progress?.reason !== 'CloneSetUpdated' || view.spec.progressDeadlineSeconds === undefined)
    return undefined;
  return Date.parse(progress.lastUpdateTime ?? '') + view.spec.progressDeadlineSeconds * 1000 + 1000;
}
