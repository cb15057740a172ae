import type { StatefulSetStatus } from '../../schemas/generated/types/statefulset.ts';
import { type Failure, withFailures } from '../conditions/failures.ts';
import type { Decision } from '../decision.ts';
import type { CreationBackoff } from '../plan/creation-backoff.ts';
import type { Envelope } from '../plan/envelope.ts';
import type { RefusedPod } from '../plan/rollout-view.ts';
import { factsOf } from '../pod/facts.ts';
import { isInPlaceUpdateComplete } from '../pod/in-place.ts';
import { earliestOf, nextAvailableAt, nextChangeAt } from '../pod/next-change.ts';
import { isAvailable } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { stuckPods, upkeep } from '../pod/upkeep.ts';
import { releasePod } from '../pod/writes.ts';
import { revisionOf } from '../revision/revision.ts';
import { truncate } from '../revision/truncate.ts';
import { lostClaims } from './claims.ts';
import { fill } from './fill.ts';
import { placementOf } from './placement.ts';
import { scaleIn } from './scale-in.ts';
import type { Situation } from './situation.ts';
import { layoutOf } from './slots.ts';
import { statefulSetStatus } from './status.ts';
import { update } from './update.ts';
import type { StatefulSetView } from './view.ts';

export interface DecideInput {
  view: StatefulSetView;
  envelope: Envelope;
  /** Why the target is held, if it is; shown in its status. */
  held: { reason: string; message: string } | undefined;
  /** Hashes of the revisions that the plan may still need. */
  retainedRevisions: ReadonlySet<string>;
  /** A write of a pod that the server refused. */
  refused: RefusedPod | undefined;
  /** Pods that were repeatedly lost just after their creation. */
  creationBackoff?: CreationBackoff | undefined;
  now: number;
}

/**
 * What to do about one StatefulSet now (OpenKruise advanced-statefulset, rule 6.2), within the envelope: create missing pods,
 * delete those out of range, then update. Pure: the same view, envelope and time give the same decision.
 */
export function decideStatefulSet(input: DecideInput): Decision<StatefulSetStatus> {
  const { notEvaluated = [], ...decision } = decideWithoutFailures(input);
  const before = (input.view.target['status'] ?? {}) as StatefulSetStatus;
  const { refused, now } = input;
  const status = withFailures(decision.status, before, {
    types: { scale: 'FailedCreatePod', update: 'FailedUpdatePod' },
    refused,
    explanations: decision.explanations,
    notEvaluated,
    now,
  });
  return { ...decision, status };
}

/** The decision without the conditions about failures. `notEvaluated`: these conditions stay as the status has them. */
function decideWithoutFailures({
  view,
  envelope,
  held,
  retainedRevisions,
  creationBackoff,
  now,
}: DecideInput): Decision<StatefulSetStatus> & { notEvaluated?: readonly Failure[] } {
  const { spec, target, active } = view;
  const available = (pod: Pod): boolean =>
    isAvailable(pod, spec.minReadySeconds, now) && isInPlaceUpdateComplete(pod, now);
  const unsettled = active.filter((pod) => !factsOf(pod).settled);
  const status = statefulSetStatus({ view, isAvailable: available, held, now });
  if (!envelope.touch) return { actions: [], status, explanations: [] };
  if (target.metadata.deletionTimestamp !== undefined) {
    const explanations = [{ about: target.metadata.name, reason: 'is being deleted' }];
    return { actions: [], status, explanations };
  }
  const broken = new Set(envelope.back?.broken);
  const layout = layoutOf(view);
  const situation: Situation = {
    view,
    layout,
    envelope,
    placement: placementOf(view, layout, envelope),
    isAvailable: available,
    isExcused: ({ name, pod }) => pod !== undefined && broken.has(name),
    creationBackoff,
    now,
  };
  const filled = fill(situation);
  const scaled = scaleIn(situation, filled.blocked);
  // With OrderedReady the update comes after the scale-in.
  const isAfter = spec.isOrdered && scaled.isPending;
  const blocked = filled.blocked ?? (isAfter ? 'pods out of range are still being deleted' : undefined);
  const updated = update(situation, filled.busy, blocked);
  const actions = [...filled.actions, ...lostClaims(view, layout), ...scaled.actions, ...updated.actions];
  const busy = new Set(
    actions.map((action) => (action.do === 'create' ? action.object.metadata.name : action.name)),
  );
  const leaving = new Set(layout.condemned);
  actions.push(
    ...view.released.map((pod) => releasePod(pod, target)),
    ...upkeep(
      unsettled.filter((pod) => !busy.has(pod.metadata.name)),
      {
        waitsForUpdate: updated.waitsForUpdate,
        isLeaving: (pod) => leaving.has(pod) || factsOf(pod).specified,
        shortHashOf: (pod) => revisionOf(view, view.hashOf(pod))?.shortHash,
        now,
      },
    ).map((action) => ({ ...action, restoresTraffic: true })),
  );
  if (actions.length === 0)
    actions.push(
      ...truncate(view, {
        limit: spec.revisionHistoryLimit,
        keep: retainedRevisions,
        inUse: () => new Set(active.map((pod) => view.hashOf(pod))),
      }),
    );
  const requeueAt = earliestOf([
    nextAvailableAt(active, spec.minReadySeconds, now),
    nextChangeAt(unsettled, spec.gracePeriodSeconds, now),
    filled.requeueAt,
  ]);
  return {
    actions,
    status,
    explanations: [
      ...filled.explanations,
      ...scaled.explanations,
      ...updated.explanations,
      ...stuckPods(unsettled),
    ],
    ...(requeueAt === undefined ? {} : { requeueAt }),
  };
}
