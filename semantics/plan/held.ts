import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import type { EventDraft } from '../decision.ts';
import { partitionValue } from '../values/int-or-percent.ts';
import { truncateUtf8 } from '../values/text.ts';
import type { Advance } from './advance.ts';
import { withoutStop } from './capacity.ts';
import { type CreationBackoff, backoffHeld } from './creation-backoff.ts';
import { type Accepted, hasVerdict } from './memory.ts';
import type { PlanObject, PodRow, RefusedPod, RolloutView } from './rollout-view.ts';
import { remediationCommand } from './remediation-command.ts';
import { columnOf } from './table.ts';
import { ON_DELETE } from './update-step.ts';

/** The condition on the target that reports why it waits. */
export const HELD_CONDITION = 'plan.kruise.io/Held';

/** Reasons that are intended waits: their Event is Normal. */
const MEANT = new Set([
  'AwaitingApproval',
  'Paused',
  'TargetPaused',
  'Predecessor',
  'Queued',
  'Bound',
  'BoundedByPartition',
  'OnDelete',
]);

/**
 * The Event that a target is held, for whoever describes it; undefined as long as the reason is the one in its status,
 * whatever the message says now: the status is what a runtime that was started again goes by.
 */
export function heldEvent(
  target: KubeObject,
  held: { reason: string; message: string } | undefined,
): EventDraft | undefined {
  const { conditions } = (target['status'] ?? {}) as { conditions?: Condition[] };
  const told = conditions?.find(({ type, status }) => type === HELD_CONDITION && status === 'True');
  return held === undefined || told?.reason === held.reason ? undefined : heldEventDraft(held);
}

/** The Event that a target is held for this reason. */
export function heldEventDraft({ reason, message }: { reason: string; message: string }): EventDraft {
  const type = MEANT.has(reason) ? 'Normal' : 'Warning';
  return { type, reason: 'Held', message: `${reason}: ${message}` };
}

/** A plan may be applied shortly after its manifest. */
const PLAN_FOLLOWS_MS = 10_000;

/** Delay before a reason is reported other than in the status, in milliseconds. */
export function reportDelayMs(reason: string): number {
  return reason === 'NoPlan' ? PLAN_FOLLOWS_MS : 0;
}

/** Its pods belong to another controller, and adoption is not enabled. */
export function notAdopted({ kind, namespace, name }: Pick<RolloutView, 'kind' | 'namespace' | 'name'>): {
  reason: string;
  message: string;
} {
  return {
    reason: 'NotAdopted',
    message: `the pods of ${kind} ${namespace}/${name} were created by another controller, such as OpenKruise; stop that controller, then start kruise run with --adopt`,
  };
}

/**
 * An object that is part of it takes more memory than this process keeps of one, or of all that lie in its namespace.
 * Nothing is decided on a part of what there is.
 */
export function tooLarge(
  { metadata }: KubeObject,
  oversized: { kind: string; name: string; limit: 'object' | 'namespace' },
): { reason: string; message: string } {
  const which = `${oversized.kind} ${oversized.name}`;
  const message =
    oversized.limit === 'object'
      ? `${which} exceeds the memory or nesting limit for one object; make it smaller, or delete it if nothing needs it`
      : `no memory is left for ${which}: the objects of namespace ${metadata.namespace ?? ''}, or of all namespaces together, exceed the limit; delete objects that nothing needs`;
  return { reason: 'TooLarge', message };
}

/** Its pods have claims that this process may not see: without them none of its pods can be made or deleted. */
export function claimsForbidden(refusal: string): { reason: string; message: string } {
  return {
    reason: 'ClaimsUnseen',
    message: `its pods have claims, and they cannot be listed: ${withoutStop(refusal)}; grant the right`,
  };
}

/** It depends on objects that this process may not see. */
export function needUnseen(plural: string, refusal: string): { reason: string; message: string } {
  return {
    reason: 'NeedUnseen',
    message: `it depends on ${plural}, and they cannot be listed: ${withoutStop(refusal)}; grant the right`,
  };
}

/**
 * This program failed on it. `error` may hold what anybody wrote: it is cut, and the whole of it is in the log alone.
 */
export function internalError(error: unknown): { reason: string; message: string } {
  const text = truncateUtf8(error instanceof Error ? `${error.name}: ${error.message}` : String(error), 300);
  return {
    reason: 'InternalError',
    message: `the runtime failed on this target and does not change it: ${text}; it retries every 30 s. Undo the last manual change to the target, its pods and its ControllerRevisions. Report the error: it is a defect of the runtime`,
  };
}

/** The caches of these resources have not shown for a minute what a target was decided on before, and no list is complete. */
export function cachesStale(plurals: readonly string[]): { reason: string; message: string } {
  return {
    reason: 'CachesStale',
    message: `the caches have lagged behind recorded writes for a minute, and nothing is decided until they catch up; check the log for why lists of ${plurals.join(' and ')} do not complete`,
  };
}

/** A list shows that what was recorded, or written by this process, is of another history. `versions`: by plural. */
export function recordDiscarded(versions: ReadonlyMap<string, number>): { reason: string; message: string } {
  const what = [...versions].map(([plural, version]) => `${plural} at version ${version}`).join(' and ');
  return {
    reason: 'RecordDiscarded',
    message: `the record refers to ${what}, which a later list shows the server never had; it was restored from a backup, or the record was edited; the rollout continues from what the server shows`,
  };
}

/** What has to be on record first, a plan or a revision, is refused: until then nothing is done, and no slot is held. */
export function recordRefused(refusal: string): { reason: string; message: string } {
  return {
    reason: 'RecordRefused',
    message: `the record that must precede any change of pods cannot be written: ${withoutStop(refusal)}; free some quota, grant the right or change what refuses it; it is retried every 30 s`,
  };
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
  const { accepted, blocked, boundedBy, creationBackoff, refused } = result;
  if (blocked?.fact === 'paused') return { reason: blocked.reason, message: blocked.message };
  // Nobody asked for that, and the pods are missing, or as they should not be, whatever else the target waits for.
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
  // A plan may come before its manifest: until that is here, the target is where it should be.
  const behind = view.liveHash !== view.stable || view.pods.some((pod) => pod.hash !== view.liveHash);
  if (accepted === undefined && !behind && blocked?.fact !== 'targetUnsupported') return undefined;
  // While the glass is broken the target is on its way, past its plans.
  if (blocked?.fact === 'breakGlass') return undefined;
  if (blocked !== undefined) return { reason: blocked.reason, message: blocked.message };
  const column = columnOf(accepted?.progress.phase);
  const name = `${view.kind} ${view.namespace}/${view.name}`;
  if (accepted !== undefined && accepted.progress.phase === 'AwaitingApproval')
    return { reason: 'AwaitingApproval', message: approvalText(view, accepted) };
  if (boundedBy === ON_DELETE) return { reason: ON_DELETE, message: onDeleteText(view, result) };
  if (boundedBy !== undefined) {
    return {
      reason: 'BoundedByPartition',
      message: `the partition of ${name} retains the other pods; the plan continues when the manifest allows more`,
    };
  }
  if (accepted !== undefined && hasVerdict(accepted.progress) && accepted.spec.to.hash === view.liveHash) {
    return {
      reason: accepted.progress.phase,
      message: `${accepted.progress.message ?? ''}; ${wayOut(view, accepted)}`,
    };
  }
  if (result.envelope.goal === view.liveHash || !behind) {
    return view.retained === undefined || column === 'active'
      ? undefined
      : heldBack(view, view.retained.n, name);
  }
  if (column === 'active' || column === 'Reverting') return undefined;
  const pending = plans.map((plan) => result.pending.get(plan.name)).find((p) => p !== undefined);
  if (pending === undefined && result.verdict !== undefined)
    return { reason: 'Verdict', message: `the template of ${name} ${result.verdict}` };
  return pending === undefined
    ? {
        reason: 'NoPlan',
        message: `the template of ${name} changed and no plan covers it; run kruise plan and commit its output; add --again if the change is merged already`,
      }
    : { reason: pending.reason, message: pending.message };
}

/** What waits to be made is still wanted, as pods of a revision that was left meanwhile are not. */
function matters({ kind, nextAt }: CreationBackoff, { pods, replicas }: RolloutView): boolean {
  return kind === 'ControllerRevision' || nextAt === undefined || pods.length < replicas;
}

/** What a person can do where the strategy takes no pod: as many get the change as the step allows. */
function onDeleteText({ name, namespace }: RolloutView, { waitingOn }: Advance): string {
  return `the strategy of ${name} is OnDelete; it waits for ${waitingOn}: kubectl delete pod -n ${namespace} NAME`;
}

/** What a plan at an approval waits for, with the command that gives it. */
export function approvalText(view: RolloutView, accepted: Accepted): string {
  const step = accepted.spec.steps[accepted.progress.step]?.id ?? '';
  return `waits for approval${broken(view, accepted)}: ${remediationCommand('approve', view, accepted, step)}`;
}

/** The message for a refused write of a pod: what failed, why, and what to do. */
export function refusedText({ reason, message, claim }: RefusedPod): string {
  const what = claim === true ? 'a claim' : 'a pod';
  const said = withoutStop(message);
  const again = 'it is retried every 30 s';
  switch (reason) {
    case 'NoCapacity':
      return said;
    case 'FailedCreate':
      return `${what} cannot be created: ${said}; change the template or what refuses it; ${again}`;
    case 'FailedUpdate':
      return `${what} cannot be updated: ${said}; grant the right or change what refuses it; ${again}`;
    case 'FailedDelete':
      return `${what} cannot be deleted: ${said}; grant the right or change what refuses it; ${again}`;
  }
}

/** The first pod by name whose update cannot be ended, and what a person can do about it. */
function stuckText({ pods, namespace, claimsDeletedWithPods }: RolloutView): string | undefined {
  let first: PodRow | undefined;
  for (const pod of pods)
    if (pod.stuck !== undefined && (first === undefined || pod.name < first.name)) first = pod;
  if (first === undefined) return undefined;
  const { name, stuck } = first;
  const cost = claimsDeletedWithPods ? '; this deletes its claims and their data too' : '';
  return `pod ${name} stays out of traffic, and its update cannot finish: ${stuck}; fix the annotation, or replace the pod: kubectl delete pod -n ${namespace} ${name}${cost}`;
}

/** Unavailable pods on the new revision, for the person who approves; '' if there are none. */
function broken(view: RolloutView, { spec }: Accepted): string {
  const there = view.pods.filter((pod) => pod.hash === spec.to.hash);
  const [pod, ...more] = there.filter((each) => !each.available);
  if (pod === undefined) return '';
  const trouble = pod.problem === undefined ? '' : ` (${pod.problem})`;
  return `, and ${more.length + 1} of ${there.length} on it are not available, ${pod.name}${trouble} among them`;
}

/** The remediation for a rollout that has failed. */
function wayOut(view: RolloutView, accepted: Accepted): string {
  const { goal, reason } = accepted.progress;
  const { to, irreversible } = accepted.spec;
  const possible = view.stable !== to.hash && irreversible === undefined;
  const away = view.pods.some((pod) => pod.hash !== (goal ?? view.stable));
  const revert = possible && away ? `, revert: ${remediationCommand('revert', view, accepted)}` : '';
  // What halted for where its pods are halts again as long as they are there.
  if (reason === 'UnplannedRevision' || reason === 'ModeMismatch')
    return `revert the manifest, or change it and commit its plan${revert}`;
  return `revert the manifest, or change it and commit its plan${revert}, or resume: ${remediationCommand('resume', view, accepted)}`;
}

/** Pods behind a standing bound: where git has loosened it since, a plan is what is missing. */
function heldBack(view: RolloutView, n: number, name: string): { reason: string; message: string } {
  const pods = n === 1 ? '1 pod stays' : `${n} pods stay`;
  if (partitionValue(view.partition, view.replicas) < n) {
    return {
      reason: 'NoPlan',
      message: `${pods} on the old revision: the partition of ${name} was lowered and no plan covers it; run kruise plan and commit its output; add --again if the change is merged already`,
    };
  }
  return {
    reason: 'Bound',
    message: `${pods} on the old revision because of the partition of the last plan; to continue, lower it in git and commit its plan`,
  };
}
