import { rulesOf } from './rules-of.ts';
import { growthOf } from './units.ts';
import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import type { EventDraft } from '../decision.ts';
import { truncateUtf8 } from '../values/text.ts';
import type { Advance } from './advance.ts';
import { withoutStop } from './capacity.ts';
import { type CreationBackoff, backoffHeld } from './creation-backoff.ts';
import { type Accepted, hasVerdict } from './memory.ts';
import { problemNote } from './problem.ts';
import type { PlanObject } from './plan-object.ts';
import type { PodRow } from './pod-row.ts';
import type { RolloutView } from './rollout-view.ts';
import { refusedText } from './refused-text.ts';
import { chooseOne, PLAN_FROM_BEFORE, remediationCommand } from './remediation-command.ts';
import { retainedHeld } from './retained.ts';
import { isRunOver } from './run-limit.ts';
import { waitsForEarlier } from './run-step.ts';
import { columnOf } from './table.ts';
import { ON_DELETE } from './update-step.ts';
import type { InvalidField, UnsupportedField } from '../fields/problems.ts';

/** The condition on the target that reports why it waits. */
export const HELD_CONDITION = 'plan.kruise.io/Held';
/** The condition of a target that selects pods which have nothing of it. */
export const MISSED_CONDITION = 'plan.kruise.io/PodsMissed';

/** Reasons that are intended waits: their Event is Normal. */
const INTENDED = new Set([
  'AwaitingApproval',
  'Paused',
  'TargetPaused',
  'Predecessor',
  'Queued',
  'Bound',
  'OnDelete',
  'EarlierRun',
]);

/**
 * The Event that a target is held; undefined while its status has the same reason already, even if the message differs. The
 * status is compared, and not memory, so that a restarted runtime does not repeat the Event.
 */
export function heldEvent(
  target: KubeObject,
  held: { reason: string; message: string } | undefined,
): EventDraft | undefined {
  const { conditions } = (target['status'] ?? {}) as { conditions?: Condition[] };
  const reported = conditions?.find(({ type, status }) => type === HELD_CONDITION && status === 'True');
  return held === undefined || reported?.reason === held.reason ? undefined : heldEventDraft(held);
}

/** The Event that a target is held for this reason. */
export function heldEventDraft({ reason, message }: { reason: string; message: string }): EventDraft {
  const type = INTENDED.has(reason) ? 'Normal' : 'Warning';
  return { type, reason: 'Held', message: `${reason}: ${message}` };
}

/** Reasons that pass by themselves where two objects are seen in another order than they were written. */
const TRANSIENT = new Set(['NoPlan', 'Unproven']);
/** Milliseconds that a plan may arrive after its manifest. */
const PLAN_ARRIVAL_MS = 10_000;

/** Milliseconds before a reason is reported by Events, metrics and the log. The status shows it at once. */
export function reportDelayMs(reason: string): number {
  return TRANSIENT.has(reason) ? PLAN_ARRIVAL_MS : 0;
}

/** Kind and name of a target: `KIND NAMESPACE/NAME`, or `KIND NAME` of one in no namespace. */
function shownTarget({ kind, namespace, name }: Pick<RolloutView, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

/** The pods of the target belong to another controller, and adoption is not enabled. */
export function notAdopted({ kind, namespace, name }: Pick<RolloutView, 'kind' | 'namespace' | 'name'>): {
  reason: string;
  message: string;
} {
  return {
    reason: 'NotAdopted',
    message: `the pods of ${shownTarget({ kind, namespace, name })} were created by another controller, such as OpenKruise. Stop that controller, then start kruise run with --adopt`,
  };
}

/** A pod without controller is on a revision that another object controls: it is adopted once both are released. */
export function adoptionPending(
  pod: string,
  revision: string,
  controller: { kind: string; name: string } | undefined,
): { reason: string; message: string } {
  const owner =
    controller === undefined ? 'is being released' : `belongs to ${controller.kind} ${controller.name}`;
  return {
    reason: 'AdoptionPending',
    message: `pod ${pod} has no controller and will be adopted, but its ControllerRevision ${revision} ${owner}. Nothing is decided until that is released: finish the deletion of its owner with --cascade=orphan, or delete the pod if it is none of this target`,
  };
}

/**
 * An object of the target exceeds the memory limit for one object, or for all objects of its namespace, or the target has a
 * field that no rule reads. Nothing is decided on an incomplete snapshot.
 */
export function tooLarge(
  { metadata }: KubeObject,
  oversized: { kind: string; name: string; limit: 'object' | 'namespace' | InvalidField },
): { reason: string; message: string } {
  const which = `${oversized.kind} ${oversized.name}`;
  const { limit } = oversized;
  if (typeof limit === 'object') {
    const message = `${limit.path.join('.')} ${limit.rule}. No pod is changed until git corrects that`;
    return { reason: 'InvalidTarget', message };
  }
  const message =
    limit === 'object'
      ? `${which} exceeds the memory or nesting limit for one object. Make it smaller, or delete it if nothing needs it`
      : `no memory is left for ${which}: the objects of namespace ${metadata.namespace ?? ''}, or of all namespaces together, exceed the limit. Delete objects that nothing needs`;
  return { reason: 'TooLarge', message };
}

/** A target without plans has fields that its rules refuse. */
export function invalidTarget(fields: readonly InvalidField[]): { reason: string; message: string } {
  const faults = fields.map(({ path, rule }) => `${path.join('.')} ${rule}`).join('; ');
  return { reason: 'InvalidTarget', message: `${faults}. Nothing is changed until git corrects that` };
}

/** A target without plans has fields that need rules which are not executed. */
export function unsupportedTarget(fields: readonly UnsupportedField[]): { reason: string; message: string } {
  const named = fields.map(({ path, what }) => `${path.join('.')} (${what})`).join(', ');
  return { reason: 'UnsupportedSemantics', message: `this runtime does not execute ${named}` };
}

/** What a plan or command about a target is refused with whose kind has none. */
export function reconciledAtOnce(kind: string): string {
  return `a ${kind} is reconciled at once and has no plan`;
}

/** The pods have claims that the runtime may not list. Without them no pod can be created or deleted. */
export function claimsForbidden(refusal: string): { reason: string; message: string } {
  return {
    reason: 'ClaimsUnseen',
    message: `its pods have claims, and they cannot be listed: ${withoutStop(refusal)}. Grant the right`,
  };
}

/** The target depends on objects that the runtime may not list. */
export function neededResourceForbidden(
  plural: string,
  refusal: string,
): { reason: string; message: string } {
  return {
    reason: 'NeedUnseen',
    message: `it depends on ${plural}, and they cannot be listed: ${withoutStop(refusal)}. Grant the right`,
  };
}

/** The target creates objects that the runtime has no rights to, as it is installed without a component. */
export function componentOff(plural: string, component: string): { reason: string; message: string } {
  return {
    reason: 'ComponentOff',
    message: `it creates ${plural}, which is off in this installation: an administrator adds the component ${component} of deploy/ (docs/install.md)`,
  };
}

/** The runtime failed on the target. `error` may contain user input: it is truncated here, and whole only in the log. */
export function internalError(error: unknown): { reason: string; message: string } {
  const text = truncateUtf8(error instanceof Error ? `${error.name}: ${error.message}` : String(error), 300);
  return {
    reason: 'InternalError',
    message: `the runtime failed on this target and does not change it: ${text}. It retries every 30s. Undo the last manual change to the target, its pods and its ControllerRevisions. Report the error: it is a defect of the runtime`,
  };
}

/** For a minute the caches of these resources have been older than what the target was decided on, and no list completes. */
export function cachesStale(plurals: readonly string[]): { reason: string; message: string } {
  return {
    reason: 'CachesStale',
    message: `the caches have lagged behind recorded writes for a minute, and nothing is decided until they catch up. The log shows why lists of ${plurals.join(' and ')} do not complete`,
  };
}

/**
 * A list shows that the recorded resource versions are not of this server, or not yet. `versions`: the recorded version, by
 * plural name of the resource.
 */
export function recordDiscarded(versions: ReadonlyMap<string, number>): { reason: string; message: string } {
  const what = [...versions].map(([plural, version]) => `${plural} at version ${version}`).join(' and ');
  return {
    reason: 'RecordDiscarded',
    message: `the record refers to ${what}, which a later list shows the server never had. It was restored from a backup, or the record was edited. The rollout continues from what the server shows`,
  };
}

/** The server refuses the status of the target, as its definition bounds it. What happens could not be seen, so nothing does. */
export function statusRefused(refusal: string): { reason: string; message: string } {
  return {
    reason: 'StatusRefused',
    message: `its status cannot be written: ${withoutStop(refusal)}. Change what refuses it, or the field of the status that it names. No pod is changed until then; it is retried`,
  };
}

/** The server refuses to record a plan or a revision. Until it accepts, nothing is done, and no queue slot is taken. */
export function recordRefused(refusal: string): { reason: string; message: string } {
  return {
    reason: 'RecordRefused',
    message: `the record that must precede any change of pods cannot be written: ${withoutStop(refusal)}. Free some quota, grant the right or change what refuses it. It is retried every 30s`,
  };
}

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
  const possible = rulesOf(view).hasStable && view.stable !== to.hash && irreversible === undefined;
  const away = view.pods.some((pod) => pod.hash !== (goal ?? view.stable));
  if (possible && away) ways.push(`revert now: ${remediationCommand('revert', view, accepted)}`);
  // A plan that halted because of the revision of its pods would halt again, as long as these are there.
  if (reason !== 'UnplannedRevision' && reason !== 'ModeMismatch')
    ways.push(`retry: ${remediationCommand('resume', view, accepted)}`);
  return chooseOne(ways);
}
