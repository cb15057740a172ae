import type { PlanCondition, RolloutPlanStatus } from '../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { timestamp } from '../values/timestamp.ts';
import type { Advance } from './advance.ts';
import { isAbout } from './capacity.ts';
import { approvalText } from './held.ts';
import { refusedText } from './refused-text.ts';
import { type Accepted, previouslyAccepted } from './memory.ts';
import type { Phase } from './phases.ts';
import type { PlanObject } from './plan-object.ts';
import type { RolloutView } from './rollout-view.ts';
import { pullStatus } from './pull-step.ts';
import { podsAt } from './pods-at.ts';
import { OVERDUE_MS, overdueAt, STALE_MS, staleAt } from './stale.ts';
import { columnOf } from './table.ts';
import { ON_DELETE } from './update-step.ts';

interface PlanStatusInput {
  view: RolloutView;
  result: Advance;
  plan: PlanObject;
  before: RolloutPlanStatus | undefined;
  generation: number;
  memory: readonly Accepted[];
  now: number;
}

/**
 * The status of a plan object, computed from the records; no decision reads it. It shows what the *target* does; `digest`
 * names the plan that is executed. A plan that is not active is Pending, with the reason.
 */
export function planStatus({
  view,
  result,
  plan,
  before,
  generation,
  memory,
  now,
}: PlanStatusInput): RolloutPlanStatus {
  const { accepted, blocked } = result;
  const own = plan.refused === undefined && accepted?.spec.digest === plan.spec.digest;
  // While another plan is executed, every plan object of the target shows that.
  const moving =
    accepted !== undefined && ['active', 'Reverting'].includes(columnOf(accepted.progress.phase));
  const shown = own || moving ? accepted : undefined;
  const pending = result.pending.get(plan.name) ?? (own ? undefined : blocked);
  const stale = shown === undefined ? staleAt(plan, view) : undefined;
  const waiting: Phase = stale !== undefined && stale <= now ? 'Stale' : 'Pending';
  const phase: Phase = shown?.progress.phase ?? waiting;
  const status: RolloutPlanStatus = {
    observedGeneration: generation,
    phase,
    digest: accepted?.spec.digest ?? plan.spec.digest,
  };
  const verdict = shown?.progress.message;
  const blocker = own ? blocked : pending;
  const refused = moving && blocked === undefined ? result.refusals[0] : undefined;
  if (shown !== undefined) {
    const total = shown.spec.steps.length;
    const at = Math.min(shown.progress.step, total - 1);
    const done = Math.min(shown.progress.step + 1, total);
    status.step = shown.spec.steps[at]?.id ?? '';
    status.steps = `${phase === 'Succeeded' ? total : done}/${total}`;
    const there = podsAt(view, shown.spec.to.hash);
    // A run counts the units on which it is done: a pod that has failed there is none.
    const updated = view.units.of === 'run' ? there.filter(({ available }) => available) : there;
    // Times have no number of all, and do not count once their plan is done.
    if (view.units.of !== 'ticks') status.updated = `${updated.length}/${view.replicas}`;
    if (view.units.of === 'selected' && view.units.outdated.count > 0)
      status.behind = view.units.outdated.count;
    const waitingOn = blocked?.reason ?? refused?.reason ?? result.waitingLabel;
    if (waitingOn !== '') status.waitingOn = waitingOn;
    const isSame = before?.phase === phase && before.step === status.step && before.digest === status.digest;
    const { until, deadline } = isSame ? before : {};
    const { doneAt = result.beginsAt } = result;
    if (doneAt !== undefined) status.until = steadyTime(doneAt, until, now);
    if (result.failsAt !== undefined) status.deadline = steadyTime(result.failsAt, deadline, now);
    if (result.pull !== undefined) status.pull = pullStatus(result.pull);
    if (result.boundedBy !== undefined) status.boundedBy = result.boundedBy;
  }
  if (blocker !== undefined && shown === undefined) status.waitingOn = blocker.reason;
  const isAsking = shown?.progress.phase === 'AwaitingApproval' && blocked === undefined;
  // Commands about a plan that waits are in its own record.
  const { approved = [], paused } =
    shown?.progress ?? previouslyAccepted(memory, plan.spec.digest)?.progress ?? {};
  if (approved.length > 0) status.approved = [...approved];
  if (paused !== undefined && ['Pending', 'active', 'Reverting'].includes(columnOf(shown?.progress.phase)))
    status.pausedBy = paused.by;
  const outcomeText = refused === undefined ? verdict : refusedText(refused);
  const why = blocker?.message ?? (isAsking ? approvalText(view, shown, result.narrowed) : outcomeText);
  // A pod of another revision that is refused may be what the step waits for.
  const isOwn =
    refused !== undefined && accepted !== undefined && isAbout(view, refused, accepted.spec.to.hash);
  const isWaiting = shown !== undefined && !isAsking && !isOwn && result.waitingOn !== '';
  const waits = isWaiting ? [`waits for ${result.waitingOn}`] : [];
  const { narrowed } = result;
  const isTold = shown !== undefined && !isAsking && narrowed !== undefined;
  const keeps = isTold ? [`${narrowed.keeps}; ${narrowed.command} widens it`] : [];
  const message = [why ?? [], waits, keeps].flat().join('; ');
  if (message !== '') status.message = message;
  const isElsewhere =
    columnOf(phase) === 'active' && blocker?.fact === 'manifestElsewhere' && now >= view.liveSince + STALE_MS;
  const overdue = shown === undefined ? overdueAt(plan, view) : undefined;
  // A restart of the runtime begins to count anew.
  const wasOverdue =
    before?.observedGeneration === generation && before.phase === 'Pending' && isStalled(before);
  const isOverdue = overdue !== undefined && (wasOverdue || overdue <= now);
  status.conditions = conditions(
    phase,
    isElsewhere || isOverdue,
    shown?.progress.cause,
    blocker?.reason,
    shown?.progress.reason,
    message,
    shown && restReason(result),
  ).map((c) =>
    withTimes(
      c,
      before?.conditions?.find((old) => old.type === c.type),
      now,
    ),
  );
  return status;
}

/** Milliseconds by which a published time may be off. A restart of the runtime stops the clocks for about as long. */
const TOLERANCE_MS = 15_000;

/**
 * The timestamp at which a clock ends. A clock that was stopped for a while ends later: the published time stays as long as
 * it is close, or off by at most a tenth of the time left, to save status writes.
 *
 * @param at when the clock ends, milliseconds since 1970
 * @param before the timestamp in the status, if any
 */
function steadyTime(at: number, before: string | undefined, now: number): string {
  const close = Math.max(TOLERANCE_MS, (at - now) / 10);
  return before !== undefined && Math.abs(Date.parse(before) - at) <= close ? before : timestamp(at);
}

/** Why a plan is not executed whose target does not exist, or is of a kind that is not executed. */
export interface OrphanReason {
  reason: string;
  message: string;
  /** The target may still come. */
  isAwaited: boolean;
}

/** The status of such a plan. */
export function orphanStatus(plan: KubeObject, why: OrphanReason, now: number): RolloutPlanStatus {
  const told = (plan['status'] as RolloutPlanStatus | undefined)?.conditions ?? [];
  // Another reason says nothing about since when the target is missing.
  const before = told.filter(({ reason }) => reason === why.reason);
  const waiting = before.find(({ type }) => type === 'Reconciling');
  const wasStalled = before.some(({ type }) => type === 'Stalled');
  const isOverdue =
    why.isAwaited && (wasStalled || (waiting !== undefined && sinceOf(waiting) + OVERDUE_MS <= now));
  const wanted = conditions('Pending', isOverdue, undefined, why.reason, undefined, why.message);
  return {
    observedGeneration: plan.metadata.generation ?? 0,
    phase: 'Pending',
    waitingOn: why.reason,
    message: why.message,
    conditions: wanted.map((c) =>
      withTimes(
        c,
        before.find((old) => old.type === c.type),
        now,
      ),
    ),
  };
}

/** When a status of these becomes stalled if nothing changes, milliseconds since 1970; undefined: it is, or never will. */
export function orphanStallsAt(status: RolloutPlanStatus, { isAwaited }: OrphanReason): number | undefined {
  const waiting = status.conditions?.find(({ type }) => type === 'Reconciling');
  return waiting === undefined || !isAwaited ? undefined : sinceOf(waiting) + OVERDUE_MS;
}

/** Why nothing of a step is in progress, and will not be before somebody or a schedule acts; undefined: something is. */
function restReason({ beginsAt, boundedBy, lacksPods }: Advance): string | undefined {
  // The next time of a schedule may be a month away.
  if (beginsAt !== undefined) return 'AwaitingSchedule';
  if (lacksPods) return 'AwaitingPods';
  return boundedBy === undefined || boundedBy === ON_DELETE ? boundedBy : 'Bound';
}

/**
 * kstatus conditions (docs/reference/status.md): a plan in progress is Reconciling. One that waits for a user to approve or
 * to delete pods, for pods that somebody else makes, for a commit that widens a bound, or for a time of a schedule, is Ready, so that a
 * Flux `wait: true` ends. One that ended with a failure is Stalled.
 */
function conditions(
  phase: Phase,
  lacksManifest: boolean,
  cause: string | undefined,
  blocker: string | undefined,
  reason: string | undefined,
  message: string | undefined,
  waitsFor?: string,
): PlanCondition[] {
  const is = (type: string, status: 'True' | 'False', why: string): PlanCondition => ({
    type,
    status,
    reason: why,
    ...(message ? { message } : {}),
  });
  const good = phase === 'Succeeded' || (phase === 'Reverted' && cause === 'git');
  if (good) return [is('Ready', 'True', phase === 'Reverted' ? 'WentBack' : (reason ?? 'Completed'))];
  if (phase === 'AwaitingApproval' && blocker === undefined) return [is('Ready', 'True', 'AwaitingApproval')];
  if (waitsFor !== undefined && blocker === undefined) return [is('Ready', 'True', waitsFor)];
  const column = columnOf(phase);
  const bad =
    phase === 'Stale' ||
    lacksManifest ||
    column === 'Halted' ||
    column === 'Aborted' ||
    column === 'Reverted' ||
    blocker === 'Unverified' ||
    blocker === 'InvalidTarget' ||
    blocker === 'UnsupportedSemantics';
  // A revert shows its own reason, so that a user's command is not mistaken for a failure.
  const why = blocker ?? (bad || column === 'Reverting' ? (reason ?? phase) : phase);
  return bad
    ? [is('Ready', 'False', why), is('Stalled', 'True', why)]
    : [is('Ready', 'False', why), is('Reconciling', 'True', why)];
}

/** Milliseconds since 1970. */
function sinceOf({ lastTransitionTime = '' }: PlanCondition): number {
  return Date.parse(lastTransitionTime);
}

function isStalled(status: RolloutPlanStatus): boolean {
  return (status.conditions ?? []).some((each) => each.type === 'Stalled' && each.status === 'True');
}

function withTimes(next: PlanCondition, before: PlanCondition | undefined, now: number): PlanCondition {
  const lastTransitionTime = before?.status === next.status ? before.lastTransitionTime : undefined;
  return { ...next, lastTransitionTime: lastTransitionTime ?? timestamp(now) };
}
