import { growthOf } from './units.ts';
import type { Advance } from './advance.ts';
import { withoutStop } from './capacity.ts';
import { type CreationBackoff, backoffHeld } from './creation-backoff.ts';
import { type Accepted, hasVerdict } from './memory.ts';
import { failingText } from './failing-pods.ts';
import { PODS_FAILING } from './held-condition.ts';
import type { PlanObject } from './plan-object.ts';
import type { PodRow } from './pod-row.ts';
import type { RolloutView } from './rollout-view.ts';
import { problemNote } from './problem.ts';
import { refusedText } from './refused-text.ts';
import { chooseOne, PLAN_FROM_BEFORE, remediationCommand } from './remediation-command.ts';
import { retainedHeld } from './retained.ts';
import { isRunOver } from './run-limit.ts';
import { waitsForEarlier } from './run-step.ts';
import { BY_NODES } from './step-nodes.ts';
import { columnOf } from './table.ts';
import { ON_DELETE } from './update-step.ts';
import { shownTarget } from './held-undecided.ts';

/**
 * Why a target is not on the revision of its manifest, and what to do: the `plan.kruise.io/Held` condition. Undefined while
 * it is complete there, or in progress.
 */
export function heldReason(
  view: RolloutView,
  result: Advance,
  plans: readonly PlanObject[],
): { reason: string; message: string } | undefined {
  const { accepted, blocked, boundedBy, creationBackoff } = result;
  const [refused] = result.refusals;
  if (blocked?.fact === 'paused') return { reason: blocked.reason, message: blocked.message };
  // The root of a child learns it from here alone, and its gates wait without end for a pod that crashes.
  const failing = blocked === undefined ? failingText(view) : undefined;
  if (failing !== undefined) return { reason: PODS_FAILING, message: failing };
  // A refused write comes before intended waits: pods are missing or wrong, whatever else the target waits for.
  if (refused !== undefined && (blocked === undefined || blocked.fact === 'breakGlass'))
    return { reason: refused.reason, message: refusedText(refused) };
  if (
    creationBackoff !== undefined &&
    matters(creationBackoff, view) &&
    (blocked === undefined || blocked.fact === 'breakGlass')
  )
    return backoffHeld(creationBackoff, view.namespace);
  if (blocked === undefined || blocked.fact === 'breakGlass') {
    const stuck = stuckText(view);
    if (stuck !== undefined) return { reason: 'FailedUpdate', message: stuck };
  }
  // A plan may arrive before its manifest. Until then the target is on the revision of its manifest.
  const isSmall = (growthOf(view)?.pending.size ?? 0) > 0 && result.envelope.growsClaims !== true;
  const isIncomplete =
    view.units.of === 'run'
      ? !isRunOver(view, accepted)
      : isSmall || view.liveHash !== view.stable || view.pods.some((pod) => pod.hash !== view.liveHash);
  if (accepted === undefined && !isIncomplete && blocked?.fact !== 'targetUnsupported') return undefined;
  // While BreakGlass is in effect, the rollout proceeds without a plan.
  if (blocked?.fact === 'breakGlass') return undefined;
  if (blocked !== undefined) return { reason: blocked.reason, message: blocked.message };
  const column = columnOf(accepted?.progress.phase);
  const name = shownTarget(view);
  if (accepted !== undefined && accepted.progress.phase === 'AwaitingApproval')
    return { reason: 'AwaitingApproval', message: approvalText(view, accepted, result.narrowed) };
  const earlier = accepted && waitsForEarlier(view, accepted);
  if (earlier !== undefined) return { reason: 'EarlierRun', message: earlier };
  if (boundedBy === ON_DELETE) return { reason: ON_DELETE, message: onDeleteText(view, result) };
  if (boundedBy === BY_NODES) return { reason: 'Bound', message: labelsText(result) };
  if (boundedBy !== undefined) {
    return {
      reason: 'Bound',
      message: `the ${boundedBy} of ${name} retains the other pods; the plan continues when the manifest allows more`,
    };
  }
  if (accepted !== undefined && hasVerdict(accepted.progress) && accepted.spec.to.hash === view.liveHash) {
    return {
      reason: accepted.progress.phase,
      message: `${withoutStop(accepted.progress.message ?? '')}. ${remediation(view, accepted)}`,
    };
  }
  if (isSmall && view.liveHash === view.stable && column !== 'active')
    return {
      reason: 'NoPlan',
      message: `claims of ${name} are smaller than their templates, and no plan covers their growth. Plan from the state before the commit that changed them (COMMIT): ${PLAN_FROM_BEFORE}`,
    };
  if (result.envelope.goal === view.liveHash || !isIncomplete) {
    return column === 'active' || column === 'Reverting'
      ? undefined
      : retainedHeld(view, name, accepted, result.envelope.ownStrategy !== true);
  }
  if (column === 'active' || column === 'Reverting') return undefined;
  const pending = plans.map((plan) => result.pending.get(plan.name)).find((p) => p !== undefined);
  if (pending === undefined && result.verdict !== undefined)
    return { reason: 'Verdict', message: `the template of ${name} ${result.verdict}` };
  return pending === undefined
    ? {
        reason: 'NoPlan',
        message: `${unplannedText(view, name)} (COMMIT): ${PLAN_FROM_BEFORE}`,
      }
    : { reason: pending.reason, message: pending.message };
}

/** What no plan covers, and the state that one starts from. */
function unplannedText({ units, stable }: RolloutView, name: string): string {
  const before = 'Plan from the state before the commit that';
  if (units.of === 'run')
    return `the run of ${name} has no plan, and begins on no node. ${before} added or changed it`;
  if (units.of === 'ticks' && stable === '')
    return `${name} is new and has no plan, and creates nothing at its times. ${before} added it`;
  return `the template of ${name} changed and no plan covers it. ${before} changed it`;
}

/** Whether the deferred objects are still wanted: pods of a revision that was replaced meanwhile are not. */
function matters({ kind, nextAt }: CreationBackoff, { pods, replicas }: RolloutView): boolean {
  return kind === 'ControllerRevision' || nextAt === undefined || pods.length < replicas;
}

/** What a user can do where no node has the labels of a step. */
function labelsText({ accepted, waitingOn }: Advance): string {
  const step = accepted?.spec.steps[accepted.progress.step]?.id ?? '';
  return `step ${step} waits for ${waitingOn}, and there is none. Label one, or give its batch atLeast: 0 and plan again`;
}

/** What a user can do where the strategy updates no pod: delete as many pods as the step allows. */
function onDeleteText({ name, namespace, units }: RolloutView, { waitingOn }: Advance): string {
  const [strategy, where] = units.of === 'selected' ? ['NotUpdate', 'NAMESPACE'] : ['OnDelete', namespace];
  return `the strategy of ${name} is ${strategy}; it waits for ${waitingOn}: kubectl delete pod -n ${where} NAME`;
}

/** The message of a plan that waits for an approval, with the command that approves. */
export function approvalText(view: RolloutView, accepted: Accepted, narrowed: Advance['narrowed']): string {
  const step = accepted.spec.steps[accepted.progress.step]?.id ?? '';
  const keeps = narrowed === undefined ? '' : `; ${narrowed.keeps} (${narrowed.command} widens it)`;
  return `waits for approval${unavailableText(view, accepted)}${keeps}: ${remediationCommand('approve', view, accepted, step)}`;
}

/** The message for the first pod by name whose update can never finish, and what to do; undefined: there is none. */
function stuckText({ pods, namespace, units }: RolloutView): string | undefined {
  let first: PodRow | undefined;
  for (const pod of pods)
    if (pod.stuck !== undefined && (first === undefined || pod.name < first.name)) first = pod;
  if (first === undefined) return undefined;
  const { name, stuck } = first;
  const cost =
    units.of === 'owned' && units.claimsDeletedWithPods
      ? ', which deletes its claims and their data too'
      : '';
  return `pod ${name} stays out of traffic, and its update cannot finish: ${stuck}. Fix the annotation, or replace the pod${cost}: kubectl delete pod -n ${namespace} ${name}`;
}

/** Unavailable pods on the new revision, for the user who approves; '' if there are none. */
function unavailableText(view: RolloutView, { spec }: Accepted): string {
  const there = view.pods.filter((pod) => pod.hash === spec.to.hash);
  const [pod, ...more] = there.filter((each) => !each.available);
  if (pod === undefined) return '';
  return `, and ${more.length + 1} of ${there.length} on it are not available, ${pod.name}${problemNote(pod)} among them`;
}

/** The remediation for a rollout that has failed. */
function remediation(view: RolloutView, accepted: Accepted): string {
  const { goal, reason } = accepted.progress;
  const { to, irreversible } = accepted.spec;
  const ways = ['revert the commit in git', 'fix the manifest and commit a new plan'];
  const possible = view.rules().hasStable && view.stable !== to.hash && irreversible === undefined;
  const away = view.pods.some((pod) => pod.hash !== (goal ?? view.stable));
  if (possible && away) ways.push(`revert now: ${remediationCommand('revert', view, accepted)}`);
  // A plan that halted because of the revision of its pods would halt again, as long as these are there.
  if (reason !== 'UnplannedRevision' && reason !== 'ModeMismatch')
    ways.push(`retry: ${remediationCommand('resume', view, accepted)}`);
  return chooseOne(ways);
}
