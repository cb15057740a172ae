import type { StatefulSetStatus } from '../../schemas/generated/types/statefulset.ts';
import type { Decision } from '../decision.ts';
import { factsOf } from '../pod/facts.ts';
import { isInPlaceUpdateComplete } from '../pod/in-place.ts';
import { earliestOf, nextAvailableAt, nextChangeAt } from '../pod/next-change.ts';
import { isAvailable } from '../pod/readiness.ts';
import { resizeEvents } from '../pod/resize.ts';
import type { Pod } from '../pod/types.ts';
import { stuckPods, upkeep } from '../lifecycle/upkeep.ts';
import { releasePod } from '../pod/writes.ts';
import { revisionOf } from '../revision/revision.ts';
import { truncate } from '../revision/truncate.ts';
import {
  type DecideInput,
  decideWorkload,
  type Evaluation,
  untouched,
  writtenBy,
} from '../workload/decide.ts';
import { brokenAlone } from '../workload/broken-alone.ts';
import { unlessReserved } from '../workload/view.ts';
import { claimOwners } from './claim-owners.ts';
import { lostClaims } from './claims.ts';
import { fill } from './fill.ts';
import { repairIdentity } from './identity.ts';
import { recordMadeAt } from './made-at.ts';
import { placementOf } from './placement.ts';
import { scaleIn } from './scale-in.ts';
import type { DecisionInput } from './decision-input.ts';
import { type Layout, layoutOf, type Slot } from './slots.ts';
import { statefulSetRefusals } from './status-facts.ts';
import { statefulSetStatus } from './status.ts';
import { update } from './update.ts';
import type { StatefulSetView } from './view.ts';

/**
 * What to do about one StatefulSet now (OpenKruise advanced-statefulset, rule 6.2), within the envelope: create missing pods,
 * delete those out of range, then update. Pure: the same view, envelope and time give the same decision.
 */
export function decideStatefulSet(input: DecideInput<StatefulSetView>): Decision<StatefulSetStatus> {
  return decideWorkload(input, statefulSetRefusals.types, evaluate);
}

/** On a way back: whether a slot was broken before the plan, and whether its pod breaks by itself. */
function excusedSlots(
  { view, envelope: { back, goal }, now }: DecideInput<StatefulSetView>,
  { slots }: Layout,
  isUp: (pod: Pod) => boolean,
): Pick<DecisionInput, 'isExcused' | 'breaksAlone'> {
  const before = new Set(back?.broken);
  const stayingPod = ({ name, pod }: Slot): Pod | undefined =>
    pod !== undefined && view.hashOf(pod) === goal && !factsOf(pod).specified && !before.has(name)
      ? pod
      : undefined;
  const limits = { size: slots.length, isAvailable: isUp, now };
  const alone = new Set(brokenAlone({ view, back }, slots, stayingPod, limits));
  return {
    isExcused: ({ name, pod }) => pod !== undefined && before.has(name),
    breaksAlone: (slot) => alone.has(slot),
  };
}

function evaluate(input: DecideInput<StatefulSetView>): Evaluation<StatefulSetStatus> {
  const { view, envelope, held, retainedRevisions, creationBackoff, now } = input;
  const { spec, target, active } = view;
  const isThere = (pod: Pod): boolean =>
    isAvailable(pod, spec.minReadySeconds, now) && isInPlaceUpdateComplete(pod, now);
  const available = unlessReserved(view, isThere);
  const unsettled = active.filter((pod) => !factsOf(pod).settled);
  const status = statefulSetStatus({ view, isAvailable: isThere, held, now });
  const nothing = untouched(input, status);
  if (nothing !== undefined) return nothing;
  const layout = layoutOf(view);
  const slots: DecisionInput = {
    view,
    layout,
    envelope,
    placement: placementOf(view, layout, envelope, input.refusals),
    isAvailable: available,
    ...excusedSlots(input, layout, available),
    creationBackoff,
    now,
  };
  const filled = fill(slots);
  // A pod is deleted in the reconcile after the owners of its claims are set: they decide what happens to the claims.
  const owners = claimOwners(view, layout);
  const scaled = scaleIn(slots, filled.unwhole);
  // With OrderedReady the update comes after the scale-in.
  const isAfter = spec.isOrdered && scaled.isPending;
  const leavingFirst = isAfter ? 'pods out of range are still being deleted' : undefined;
  const updated = update(slots, filled.busy, {
    blocked: filled.blocked ?? leavingFirst,
    unwhole: filled.unwhole ?? leavingFirst,
  });
  const recorded = recordMadeAt(view, envelope, filled.actions);
  if (recorded.length > 0)
    return { actions: recorded, status, explanations: [], notEvaluated: ['scale', 'update'] };
  const actions = [
    ...filled.actions,
    ...lostClaims(view, layout),
    ...owners.actions,
    ...scaled.actions,
    ...updated.actions,
  ].filter((action) => !(action.do === 'delete' && action.kind === 'Pod' && owners.pods.has(action.name)));
  const written = writtenBy(actions);
  actions.push(...repairIdentity(view, layout).filter(({ name }) => !written.has(name)));
  const busy = writtenBy(actions);
  const leaving = new Set(layout.condemned);
  actions.push(
    ...view.released.map((pod) => releasePod(pod, target)),
    ...upkeep(
      unsettled.filter((pod) => !busy.has(pod.metadata.name)),
      {
        lifecycle: spec.lifecycle,
        waitsForUpdate: updated.waitsForUpdate,
        isLeaving: (pod) => leaving.has(pod) || factsOf(pod).specified || updated.isLeaving(pod),
        canResize: view.canResize,
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
      ...stuckPods(unsettled, view.canResize),
    ],
    events: resizeEvents(unsettled),
    ...(requeueAt === undefined ? {} : { requeueAt }),
  };
}
