import type { CloneSetStatus } from '../../schemas/generated/types/cloneset.ts';
import type { Action, Explanation, Decision } from '../decision.ts';
import { collectClaims, releaseClaims } from '../claims/marks.ts';
import { effectivePartition } from '../plan/partition.ts';
import type { Envelope } from '../plan/envelope.ts';
import { marksNotReady } from '../lifecycle/hooks.ts';
import { isPreparingDelete, isPreparingUpdate } from '../lifecycle/states.ts';
import { factsOf } from '../pod/facts.ts';
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
import { unlessReserved } from '../workload/view.ts';
import { retentionOf } from './claims.ts';
import { carriedCounter, countPods } from './counter.ts';
import { diffCloneSet, type Diff, type SideCounts } from './diff.ts';
import { byName, overdueCounter } from './pods.ts';
import { isMoving, isToBeRecreated, notToBeRecreated, rollsBack, withdrawRecreation } from './recreation.ts';
import { scale } from './scale.ts';
import { cloneSetRefusals } from './status-facts.ts';
import { cloneSetStatus, progressDeadlineAt } from './status.ts';
import { update, type UpdateInput, waitingForUpdate } from './update.ts';
import type { CloneSetView } from './view.ts';
import { brokenAlone } from '../workload/broken-alone.ts';
import { limitsUnder } from './limits.ts';

/**
 * What to do about one CloneSet now (OpenKruise cloneset, section 6), within the envelope. Pure: the same view,
 * envelope and time give the same decision.
 *
 * One decision scales or updates, never both, and changes a pod at most once. The next reconcile observes the result.
 */
export function decideCloneSet(input: DecideInput<CloneSetView>): Decision<CloneSetStatus> {
  return decideWorkload(input, cloneSetRefusals.types, evaluate);
}

/** On a way back: the pods that were broken before the plan, and those that break by themselves. */
function excusedPods(
  { view, envelope: { back, goal }, now }: DecideInput<CloneSetView>,
  isFree: (pod: Pod) => boolean,
): { before: (pod: Pod) => boolean; alone: ReadonlySet<Pod> } {
  const found = new Set(back?.broken);
  const before = (pod: Pod): boolean => found.size > 0 && found.has(pod.metadata.uid ?? '');
  const stayingPod = (pod: Pod): Pod | undefined =>
    view.hashOf(pod) === goal && !before(pod) ? pod : undefined;
  const limits = { size: view.spec.replicas, isAvailable: isFree, now };
  return { before, alone: new Set(brokenAlone({ view, back }, view.active, stayingPod, limits)) };
}

function evaluate(given: DecideInput<CloneSetView>): Evaluation<CloneSetStatus> {
  const { view, envelope, held, retainedRevisions, creationBackoff, now } = given;
  const isThere = (pod: Pod): boolean => isAvailable(pod, view.spec.minReadySeconds, now);
  const available = unlessReserved(view, isThere);
  const named = new Set(view.spec.podsToDelete);
  const isNamed = (pod: Pod): boolean => named.size > 0 && named.has(pod.metadata.name);
  const returning = notToBeRecreated(view, envelope, isNamed);
  const specified = (pod: Pod): boolean => (factsOf(pod).specified && !returning.has(pod)) || isNamed(pod);
  const recreated = (pod: Pod): boolean => isToBeRecreated(pod) && !isNamed(pod) && !returning.has(pod);
  const unsettled = view.active.filter((pod) => !factsOf(pod).settled);
  const preparing = (pod: Pod): boolean => isPreparingDelete(pod) && !returning.has(pod);
  const leaving = leavingPods(view, unsettled, specified, preparing);
  const marked = (pod: Pod): boolean => specified(pod) || (leaving.size > 0 && leaving.has(pod));
  const status = cloneSetStatus({ view, available: isThere, held, now });
  const requeueAt = earliestOf([
    nextAvailableAt(view.active, view.spec.minReadySeconds, now),
    progressDeadlineAt(view, status),
    nextChangeAt(unsettled, view.spec.gracePeriodSeconds, now),
  ]);
  const nothing = untouched(given, status);
  if (nothing !== undefined) return nothing;

  const { before, alone } = excusedPods(given, (pod) => available(pod) || marked(pod));
  const excused = (pod: Pod): boolean => before(pod) || alone.has(pod);
  // What breaks by itself holds up no update. For what users delete, and a scale-in, it is unavailable.
  const counted = (pod: Pod): boolean => available(pod) || before(pod);
  const sides = { view, envelope, counted, marked, recreated, excused: alone.size };
  const isNew = (pod: Pod): boolean => view.hashOf(pod) === envelope.goal;
  const diff = diffOf(sides, isNew);
  // Only while scaling, and never while updating, a pod that is prepared for its update counts as updated.
  const isNewInScale = view.spec.preparingCountsAsUpdated
    ? (pod: Pod) => isNew(pod) || isPreparingUpdate(pod)
    : isNew;
  const scaleDiff = isNewInScale === isNew ? diff : diffOf(sides, isNewInScale);
  const input: UpdateInput = { view, envelope, diff, available, marked, excused, now };
  const overdue = overdueCounter(view, scaleDiff.scaleUp > 0, now);
  // Existing pods are counted before more are created: a pod may be lost before it is observed, and its name not reused.
  if (overdue !== undefined)
    return {
      actions: [countPods(view, overdue)],
      status,
      explanations: [],
      notEvaluated: ['scale', 'update'],
    };
  const scaled = scale({
    ...input,
    diff: scaleDiff,
    isNew: isNewInScale,
    scalesIn: (pod) => leaving.has(pod),
    recreated,
    creationBackoff,
    refusals: given.refusals,
  });
  const collected = collectClaims(view, retentionOf(view, now), scaled.leaving, now);
  const scales = scaled.actions.length > 0;
  const updated = scales ? { actions: [], explanations: [] } : update(input);
  const actions = [...scaled.actions, ...updated.actions];
  const written = writtenBy(actions);
  for (const pod of returning)
    if (!written.has(pod.metadata.name)) actions.push(withdrawRecreation(view, pod, now));
  const idle = unsettled.filter((pod) => !written.has(pod.metadata.name) && !returning.has(pod));
  const upkeepActions = upkeep(idle, {
    lifecycle: view.spec.lifecycle,
    waitsForUpdate: waitingForUpdate(input),
    isLeaving: marked,
    shortHashOf: (pod) => revisionOf(view, view.hashOf(pod))?.shortHash,
    canResize: view.canResize,
    now,
  }).map((action) => ({ ...action, restoresTraffic: true }));
  actions.push(...released(view), ...upkeepActions, ...collected.actions);
  if (actions.length === 0)
    actions.push(
      ...truncate(view, {
        limit: view.spec.revisionHistoryLimit,
        keep: retainedRevisions,
        inUse: () => new Set(view.active.map((pod) => view.hashOf(pod))),
        carry: (staying) => carriedCounter(view, staying),
      }),
    );
  return {
    actions,
    status,
    notEvaluated: scales ? ['update'] : [],
    explanations: [
      ...scaled.explanations,
      ...updated.explanations,
      ...stuckPods(unsettled, view.canResize),
      ...unknownNames(view),
    ],
    events: [...(scaled.events ?? []), ...resizeEvents(unsettled)],
    ...atLatest([requeueAt, scaled.requeueAt, collected.requeueAt]),
  };
}

function atLatest(times: (number | undefined)[]): { requeueAt?: number } {
  const requeueAt = earliestOf(times);
  return requeueAt === undefined ? {} : { requeueAt };
}

/** Releases pods that no longer match the selector, each after its claims, which stay with it. */
function released(view: CloneSetView): Action[] {
  return view.released.flatMap((pod) => {
    const claims = releaseClaims(view, pod);
    return claims.length > 0 ? claims : [releasePod(pod, view.target)];
  });
}

/** Names in `podsToDelete` that no pod has. They have no effect, and only a change in git removes them. */
function unknownNames({ active, spec: { podsToDelete }, target }: CloneSetView): Explanation[] {
  if (podsToDelete.length === 0) return [];
  const there = new Set(active.map((pod) => pod.metadata.name));
  return podsToDelete
    .filter((name) => !there.has(name))
    .map((name) => ({
      about: target.metadata.name,
      reason: `has no pod ${name} to delete; take it out of podsToDelete`,
    }));
}

/**
 * Pods in PreparingDelete that are beyond the wanted number: they are deleted. The others stay, unless a hook has kept them
 * out of traffic (OpenKruise cloneset, rule 6.4 steps 2 and 5).
 */
function leavingPods(
  { active, spec }: CloneSetView,
  unsettled: readonly Pod[],
  specified: (pod: Pod) => boolean,
  preparing: (pod: Pod) => boolean,
): ReadonlySet<Pod> {
  const found = unsettled.filter((pod) => preparing(pod) && !specified(pod));
  if (found.length === 0) return new Set();
  if (marksNotReady(spec.lifecycle)) return new Set(found);
  const planned = active.filter((pod) => specified(pod) || preparing(pod)).length;
  const spared = Math.max(spec.replicas - active.length + planned, 0);
  return new Set(found.sort(byName).slice(spared));
}

/** Counts the pods by side and class, and computes what to do with these numbers. */
function diffOf(
  {
    view,
    envelope,
    counted,
    marked,
    recreated,
    excused,
  }: {
    view: CloneSetView;
    envelope: Envelope;
    counted: (pod: Pod) => boolean;
    marked: (pod: Pod) => boolean;
    recreated: (pod: Pod) => boolean;
    excused: number;
  },
  isNew: (pod: Pod) => boolean,
): Diff {
  const old: SideCounts = { preparingDelete: 0, toDelete: 0, unavailable: 0, available: 0 };
  const fresh: SideCounts = { preparingDelete: 0, toDelete: 0, unavailable: 0, available: 0 };
  let toRecreate = 0;
  for (const pod of view.active) {
    const side = isNew(pod) ? fresh : old;
    if (marked(pod)) {
      side[isPreparingDelete(pod) ? 'preparingDelete' : 'toDelete']++;
      if (recreated(pod) && !isPreparingDelete(pod)) toRecreate++;
    } else if (counted(pod)) side.available++;
    else side.unavailable++;
  }
  return diffCloneSet({
    replicas: view.spec.replicas,
    partition: effectivePartition(view.spec, envelope),
    ...limitsUnder(view.spec, envelope),
    own: view.spec,
    recreated: toRecreate,
    excused,
    scaleMaxUnavailable: view.spec.scaleMaxUnavailable,
    paused: view.spec.paused,
    rollback: rollsBack(view, envelope),
    moving: isMoving(view, envelope),
    excludePreparingDelete: view.spec.excludePreparingDelete,
    isBounded: envelope.ownStrategy !== true,
    old,
    new: fresh,
  });
}
