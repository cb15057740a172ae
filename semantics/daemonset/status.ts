import type { DaemonSetStatus } from '../../schemas/generated/types/daemonset.ts';
import { heldCondition, timed } from '../conditions/times.ts';
import { factsOf } from '../pod/facts.ts';
import { condition } from '../pod/readiness.ts';
import { IN_PLACE_READY, type Pod } from '../pod/types.ts';
import { collisionCount } from '../revision/collisions.ts';
import { revisionOf } from '../revision/revision.ts';
import type { Judged } from './judged.ts';
import type { DaemonSetView } from './view.ts';

/**
 * The whole desired status (OpenKruise advanced-daemonset, section 3), of the pods as observed before this decision. The first pod
 * of a node counts for it, whatever its state: during a surge that is the old one.
 *
 * @param held why the target is held, and what to do; undefined: it is not
 */
export function daemonSetStatus(
  view: DaemonSetView,
  { nodes }: Judged,
  held: { reason: string; message: string } | undefined,
  now: number,
): DaemonSetStatus {
  const { target, spec, liveHash } = view;
  const desired = nodes.filter(({ shouldRun }) => shouldRun);
  const first = desired.flatMap(({ pods }) => pods.slice(0, 1));
  const available = first.filter((pod) => isAvailableFor(pod, spec.minReadySeconds, now)).length;
  const collisions = collisionCount(view);
  const status: DaemonSetStatus = {
    observedGeneration: target.metadata.generation ?? 0,
    desiredNumberScheduled: desired.length,
    currentNumberScheduled: first.length,
    numberMisscheduled: nodes.filter(({ shouldRun, pods }) => !shouldRun && pods.length > 0).length,
    numberReady: first.filter((pod) => factsOf(pod).ready).length,
    numberAvailable: available,
    numberUnavailable: desired.length - available,
    updatedNumberScheduled: first.filter((pod) => view.hashOf(pod) === liveHash).length,
    updateRevision: revisionOf(view, liveHash)?.shortHash ?? '',
    ...(collisions === undefined ? {} : { collisionCount: collisions }),
  };
  const before = (target['status'] ?? {}) as DaemonSetStatus;
  const conditions = timed([heldCondition(held)], before.conditions, now);
  return conditions.length === 0 ? status : { ...status, conditions };
}

/** Whether a pod is ready for so many seconds, and no update in place has drained it. One that is being deleted counts, too. */
function isAvailableFor(pod: Pod, seconds: number, now: number): boolean {
  const { ready, readySince } = factsOf(pod);
  const gate = condition(pod, IN_PLACE_READY);
  if (!ready || (gate !== undefined && gate.status !== 'True')) return false;
  return seconds === 0 || readySince + seconds * 1000 < now;
}
