import type { PlanCondition, RolloutPlanStatus } from '../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { timestamp } from '../pod/readiness.ts';
import { partitionValue } from '../values/int-or-percent.ts';
import type { Advance } from './advance.ts';
import type { Phase } from './memory.ts';
import type { PlanObject, RolloutView } from './rollout-view.ts';
import { podsAt, wantedAt } from './steps.ts';
import { columnOf } from './table.ts';

interface PlanStatusInput {
  view: RolloutView;
  result: Advance;
  plan: PlanObject;
  before: RolloutPlanStatus | undefined;
  generation: number;
  now: number;
}

/**
 * The status of a plan object: a projection of the accepted plan, never memory itself. It shows what the *target* does;
 * `digest` names whose plan runs. A plan that is not in force is Pending and says why.
 */
export function planStatus({
  view,
  result,
  plan,
  before,
  generation,
  now,
}: PlanStatusInput): RolloutPlanStatus {
  const { accepted, blocked } = result;
  const own = plan.refused === undefined && accepted?.spec.digest === plan.spec.digest;
  // While another plan moves the target, that is what every plan object of the target shows.
  const moving = accepted !== undefined && ['active', 'Re'].includes(columnOf(accepted.progress.phase));
  const inForce = own || moving ? accepted : undefined;
  const pending = result.pending.get(plan.name) ?? (own ? undefined : blocked);
  const phase: Phase = inForce?.progress.phase ?? 'Pending';
  const status: RolloutPlanStatus = {
    observedGeneration: generation,
    phase,
    digest: accepted?.spec.digest ?? plan.spec.digest,
  };
  const verdict = inForce?.progress.message;
  const obstacle = own ? blocked : pending;
  if (inForce !== undefined) {
    const total = inForce.spec.steps.length;
    const at = Math.min(inForce.progress.step, total - 1);
    const done = Math.min(inForce.progress.step + 1, total);
    status.step = inForce.spec.steps[at]?.id ?? '';
    status.steps = `${phase === 'Succeeded' ? total : done}/${total}`;
    status.updated = `${podsAt(view, inForce.spec.to.hash).length}/${wantedAt(view, inForce, at)}`;
    if (result.waitingOn !== '') status.waitingOn = result.waitingOn;
    if (result.boundedBy !== undefined) status.boundedBy = result.boundedBy;
  }
  if (obstacle !== undefined && (own || inForce === undefined)) status.waitingOn = obstacle.reason;
  const message = obstacle?.message ?? verdict;
  if (message !== undefined && message !== '') status.message = message;
  status.conditions = conditions(
    phase,
    inForce?.progress.cause,
    obstacle?.reason,
    inForce?.progress.reason,
    message,
  ).map((c) =>
    withTimes(
      c,
      before?.conditions?.find((old) => old.type === c.type),
      now,
    ),
  );
  return status;
}

/** The status of a plan whose target is not there, or of a kind that is not executed. */
export function orphanStatus(
  plan: KubeObject,
  why: { reason: string; message: string },
  now: number,
): RolloutPlanStatus {
  const before = plan['status'] as RolloutPlanStatus | undefined;
  const wanted = conditions('Pending', undefined, why.reason, undefined, why.message);
  return {
    observedGeneration: plan.metadata.generation ?? 0,
    phase: 'Pending',
    waitingOn: why.reason,
    message: why.message,
    conditions: wanted.map((c) =>
      withTimes(
        c,
        before?.conditions?.find((old) => old.type === c.type),
        now,
      ),
    ),
  };
}

/**
 * kstatus conditions (plan, section 12): a plan that moves is Reconciling; one that waits for a person is Ready, so that
 * a Flux `wait: true` ends; one that ended badly is Stalled.
 */
function conditions(
  phase: Phase,
  cause: string | undefined,
  obstacle: string | undefined,
  reason: string | undefined,
  message: string | undefined,
): PlanCondition[] {
  const is = (type: string, status: 'True' | 'False', why: string): PlanCondition => ({
    type,
    status,
    reason: why,
    ...(message ? { message } : {}),
  });
  const good = phase === 'Succeeded' || (phase === 'Reverted' && cause === 'git');
  if (good) return [is('Ready', 'True', phase === 'Reverted' ? 'WentBack' : (reason ?? 'Completed'))];
  if (phase === 'AwaitingApproval' && obstacle === undefined)
    return [is('Ready', 'True', 'AwaitingApproval')];
  const column = columnOf(phase);
  const bad =
    column === 'Ha' ||
    column === 'Ab' ||
    column === 'Rd' ||
    obstacle === 'Unverified' ||
    obstacle === 'UnsupportedSemantics';
  const why = obstacle ?? (bad ? (reason ?? phase) : phase);
  return bad
    ? [is('Ready', 'False', why), is('Stalled', 'True', why)]
    : [is('Ready', 'False', why), is('Reconciling', 'True', why)];
}

function withTimes(next: PlanCondition, before: PlanCondition | undefined, now: number): PlanCondition {
  const kept = before?.status === next.status ? before.lastTransitionTime : undefined;
  return { ...next, lastTransitionTime: kept ?? timestamp(now) };
}

/**
 * Why a target is not where its manifest says, and what a person can do: the `plan.kruise.io/Held` condition. Undefined
 * while it is there or on its way.
 */
export function heldReason(
  view: RolloutView,
  result: Advance,
  plans: readonly PlanObject[],
): { reason: string; message: string } | undefined {
  const { accepted, blocked, boundedBy } = result;
  if (blocked !== undefined) return { reason: blocked.reason, message: blocked.message };
  const column = columnOf(accepted?.progress.phase);
  const name = `${view.kind} ${view.namespace}/${view.name}`;
  if (accepted !== undefined && accepted.progress.phase === 'AwaitingApproval') {
    const step = accepted.spec.steps[accepted.progress.step]?.id ?? '';
    return {
      reason: 'AwaitingApproval',
      message: `create a RolloutCommand in ${view.namespace} with action Approve, target ${view.kind}/${view.name}, step ${step}, digest ${accepted.spec.digest}`,
    };
  }
  if (boundedBy !== undefined) {
    return {
      reason: 'BoundedByPartition',
      message: `the partition of ${name} keeps the rest back; the plan goes on when the manifest here allows more`,
    };
  }
  const behind = view.liveHash !== view.stable || view.pods.some((pod) => pod.hash !== view.liveHash);
  const verdict =
    column === 'Ha' || column === 'Ab' || (column === 'Rd' && accepted?.progress.cause !== 'git');
  if (accepted !== undefined && verdict && accepted.spec.to.hash === view.liveHash) {
    return {
      reason: accepted.progress.phase,
      message: `${accepted.progress.message ?? ''}; put the manifest back, or change it and commit its plan`,
    };
  }
  if (result.envelope.goal === view.liveHash || !behind) {
    return view.held === undefined || column === 'active' ? undefined : heldBack(view, view.held.n, name);
  }
  if (column === 'active' || column === 'Re') return undefined;
  const pending = plans.map((plan) => result.pending.get(plan.name)).find((p) => p !== undefined);
  return pending === undefined
    ? {
        reason: 'NoPlan',
        message: `the template of ${name} changed and no plan covers it; run kruise plan and commit what it writes`,
      }
    : { reason: pending.reason, message: pending.message };
}

/** Pods behind a standing bound: where git has loosened it since, a plan is what is missing. */
function heldBack(view: RolloutView, n: number, name: string): { reason: string; message: string } {
  const pods = n === 1 ? '1 pod stays' : `${n} pods stay`;
  if (partitionValue(view.partition, view.replicas) < n) {
    return {
      reason: 'NoPlan',
      message: `${pods} behind: the partition of ${name} was loosened and no plan covers it; run kruise plan and commit what it writes`,
    };
  }
  return {
    reason: 'Bound',
    message: `${pods} behind by the partition of the last plan; loosen it in git and commit its plan to go on`,
  };
}
