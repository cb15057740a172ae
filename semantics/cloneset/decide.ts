import type { CloneSetStatus } from '../../schemas/generated/types/cloneset.ts';
import type { Action, Explanation, Decision } from '../decision.ts';
import { collectClaims, releaseClaims } from '../claims/marks.ts';
import { type Failure, withFailures } from '../conditions/failures.ts';
import { effectivePartition } from '../limits/partition.ts';
import type { Envelope } from '../plan/envelope.ts';
import type { CreationBackoff } from '../plan/creation-backoff.ts';
import type { RefusedPod } from '../plan/rollout-view.ts';
import { factsOf } from '../pod/facts.ts';
import { earliestOf, nextAvailableAt, nextChangeAt } from '../pod/next-change.ts';
import { isAvailable } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { stuckPods, upkeep } from '../pod/upkeep.ts';
import { releasePod } from '../pod/writes.ts';
import { revisionOf } from '../revision/revision.ts';
import { truncate } from '../revision/truncate.ts';
import { retentionOf } from './claims.ts';
import { carriedCounter, countPods } from './counter.ts';
import { diffCloneSet, type Diff, type SideCounts } from './diff.ts';
import { overdueCounter } from './pods.ts';
import { scale } from './scale.ts';
import { cloneSetStatus, progressDeadlineAt } from './status.ts';
import { update, type UpdateInput, waitingForUpdate } from './update.ts';
import type { CloneSetView } from './view.ts';
import { windowOf } from './window.ts';

export interface DecideInput {
  view: CloneSetView;
  envelope: Envelope;
  /** Why the target is held back, if it is; shown in its status. */
  held: { reason: string; message: string } | undefined;
  /** Hashes whose revisions the plan still may need. */
  retainedRevisions: ReadonlySet<string>;
  /** What the server said of a pod that is wanted otherwise. */
  refused: RefusedPod | undefined;
  /** What was lost just after it was made, again and again. */
  creationBackoff?: CreationBackoff | undefined;
  now: number;
}

/**
 * What to do about one CloneSet now (OpenKruise cloneset, section 6), within the envelope. Pure: the same view,
 * envelope and time give the same decision.
 *
 * A pass scales or updates, never both, and decides about a pod at most once; the next pass sees the result.
 */
export function decideCloneSet(input: DecideInput): Decision<CloneSetStatus> {
  const { unasked = [], ...decision } = decided(input);
  const before = (input.view.target['status'] ?? {}) as CloneSetStatus;
  const { refused, now } = input;
  const status = withFailures(decision.status, before, {
    types: { scale: 'FailedScale', update: 'FailedUpdate' },
    refused,
    explanations: decision.explanations,
    unasked,
    now,
  });
  return { ...decision, status };
}

/** `unasked`: what was not looked for, so that what was said of it before holds. */
function decided({
  view,
  envelope,
  held,
  retainedRevisions,
  creationBackoff,
  now,
}: DecideInput): Decision<CloneSetStatus> & { unasked?: readonly Failure[] } {
  const available = (pod: Pod): boolean => isAvailable(pod, view.spec.minReadySeconds, now);
  const named = new Set(view.spec.podsToDelete);
  const specified = (pod: Pod): boolean =>
    factsOf(pod).specified || (named.size > 0 && named.has(pod.metadata.name));
  const unsettled = view.active.filter((pod) => !factsOf(pod).settled);
  const leaving = leavingPods(view, unsettled, specified);
  const marked = (pod: Pod): boolean => specified(pod) || (leaving.size > 0 && leaving.has(pod));
  const status = cloneSetStatus({ view, available, held, now });
  const requeueAt = earliestOf([
    nextAvailableAt(view.active, view.spec.minReadySeconds, now),
    progressDeadlineAt(view, status),
    nextChangeAt(unsettled, view.spec.gracePeriodSeconds, now),
  ]);
  const nothing = { actions: [], status, explanations: [] };
  if (!envelope.touch) return nothing;
  if (view.target.metadata.deletionTimestamp !== undefined) {
    return {
      actions: [],
      status,
      explanations: [{ about: view.target.metadata.name, reason: 'is being deleted' }],
    };
  }

  const broken = new Set(envelope.back?.broken);
  const excused = (pod: Pod): boolean => broken.size > 0 && broken.has(pod.metadata.uid ?? '');
  const diff = diffOf(view, envelope, (pod) => available(pod) || excused(pod), marked);
  const input: UpdateInput = { view, envelope, diff, available, marked, excused, now };
  const overdue = overdueCounter(view, diff.scaleUp > 0, now);
  // Pods that were made are counted before more are: a pod may be lost again before anybody looks.
  if (overdue !== undefined)
    return { ...nothing, actions: [countPods(view, overdue)], unasked: ['scale', 'update'] };
  const scaled = scale({ ...input, creationBackoff });
  const collected = collectClaims(view, retentionOf(view, now), scaled.leaving, now);
  const scales = scaled.actions.length > 0;
  const updated = scales ? { actions: [], explanations: [] } : update(input);
  const actions = [...scaled.actions, ...updated.actions];
  const busy = new Set(
    actions.map((action) => (action.do === 'create' ? action.object.metadata.name : action.name)),
  );
  const idle = unsettled.filter((pod) => !busy.has(pod.metadata.name));
  const kept = upkeep(idle, {
    waitsForUpdate: waitingForUpdate(input),
    isLeaving: marked,
    shortHashOf: (pod) => revisionOf(view, view.hashOf(pod))?.shortHash,
    now,
  }).map((action) => ({ ...action, opens: true }));
  actions.push(...released(view), ...kept, ...collected.actions);
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
    unasked: scales ? ['update'] : [],
    explanations: [
      ...scaled.explanations,
      ...updated.explanations,
      ...stuckPods(unsettled),
      ...unknownNames(view),
    ],
    ...(scaled.events === undefined ? {} : { events: scaled.events }),
    ...atLatest([requeueAt, scaled.requeueAt, collected.requeueAt]),
  };
}

function atLatest(times: (number | undefined)[]): { requeueAt?: number } {
  const requeueAt = earliestOf(times);
  return requeueAt === undefined ? {} : { requeueAt };
}

/** Pods that no longer match are released, each in the decision after its claims were: those stay with it. */
function released(view: CloneSetView): Action[] {
  return view.released.flatMap((pod) => {
    const claims = releaseClaims(view, pod);
    return claims.length > 0 ? claims : [releasePod(pod, view.target)];
  });
}

/** Names that were asked to go and that no pod has, any more or at all: they do nothing, and only git may take them out. */
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
 * Pods that OpenKruise has begun to delete and that go: those beyond what is wanted. The others stay, as there is no hook
 * that they would have to wait for (OpenKruise cloneset, rule 6.4 steps 2 and 5).
 */
function leavingPods(
  { active, spec }: CloneSetView,
  unsettled: readonly Pod[],
  specified: (pod: Pod) => boolean,
): ReadonlySet<Pod> {
  const isBegun = (pod: Pod): boolean => factsOf(pod).lifecycle === 'PreparingDelete';
  const begun = unsettled.filter((pod) => isBegun(pod) && !specified(pod));
  if (begun.length === 0) return new Set();
  const planned = active.filter((pod) => specified(pod) || isBegun(pod)).length;
  const spared = Math.max(spec.replicas - active.length + planned, 0);
  return new Set(begun.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)).slice(spared));
}

/** Pods counted by side and class, and the arithmetic over them. */
function diffOf(
  view: CloneSetView,
  envelope: Envelope,
  counted: (pod: Pod) => boolean,
  marked: (pod: Pod) => boolean,
): Diff {
  const old: SideCounts = { preparingDelete: 0, toDelete: 0, unavailable: 0, available: 0 };
  const fresh: SideCounts = { preparingDelete: 0, toDelete: 0, unavailable: 0, available: 0 };
  for (const pod of view.active) {
    const side = view.hashOf(pod) === envelope.goal ? fresh : old;
    if (marked(pod)) side.toDelete++;
    else if (counted(pod)) side.available++;
    else side.unavailable++;
  }
  return diffCloneSet({
    replicas: view.spec.replicas,
    partition: effectivePartition(view.spec, envelope),
    ...windowOf(view.spec, envelope),
    scaleMaxUnavailable: view.spec.scaleMaxUnavailable,
    paused: view.spec.paused,
    // There is nothing to go back to where the update revision is the stable one.
    rollback:
      envelope.ownStrategy === true && view.spec.partitionRollback && envelope.goal !== envelope.stable,
    moving: envelope.moving && !view.spec.paused && view.spec.type !== 'OnDelete',
    old,
    new: fresh,
  });
}
