import type { PlanCondition, RolloutPlanStatus } from '../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { timestamp } from '../values/timestamp.ts';
import type { Advance } from './advance.ts';
import { approvalText, refusedText } from './held.ts';
import { type Accepted, type Phase, previouslyAccepted } from './memory.ts';
import type { PlanObject, RolloutView } from './rollout-view.ts';
import { podsAt, wantedAt } from './sizes.ts';
import { STALE_MS, staleAt } from './stale.ts';
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
 * The status of a plan object: a projection of the accepted plan, never memory itself. It shows what the *target* does;
 * `digest` names whose plan runs. A plan that is not in force is Pending and says why.
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
  // While another plan moves the target, that is what every plan object of the target shows.
  const moving =
    accepted !== undefined && ['active', 'Reverting'].includes(columnOf(accepted.progress.phase));
  const inForce = own || moving ? accepted : undefined;
  const pending = result.pending.get(plan.name) ?? (own ? undefined : blocked);
  const stale = inForce === undefined ? staleAt(plan, view) : undefined;
  const waiting: Phase = stale !== undefined && stale <= now ? 'Stale' : 'Pending';
  const phase: Phase = inForce?.progress.phase ?? waiting;
  const status: RolloutPlanStatus = {
    observedGeneration: generation,
    phase,
    digest: accepted?.spec.digest ?? plan.spec.digest,
  };
  const verdict = inForce?.progress.message;
  const obstacle = own ? blocked : pending;
  const refused = moving && blocked === undefined ? result.refused : undefined;
  if (inForce !== undefined) {
    const total = inForce.spec.steps.length;
    const at = Math.min(inForce.progress.step, total - 1);
    const done = Math.min(inForce.progress.step + 1, total);
    status.step = inForce.spec.steps[at]?.id ?? '';
    status.steps = `${phase === 'Succeeded' ? total : done}/${total}`;
    status.updated = `${podsAt(view, inForce.spec.to.hash).length}/${wantedAt(view, inForce, at)}`;
    const waitingOn = blocked?.reason ?? refused?.reason ?? result.waitingLabel;
    if (waitingOn !== '') status.waitingOn = waitingOn;
    const isSame = before?.phase === phase && before.step === status.step && before.digest === status.digest;
    const { until, deadline } = isSame ? before : {};
    if (result.doneAt !== undefined) status.until = told(result.doneAt, until, now);
    if (result.failsAt !== undefined) status.deadline = told(result.failsAt, deadline, now);
    if (result.boundedBy !== undefined) status.boundedBy = result.boundedBy;
  }
  if (obstacle !== undefined && inForce === undefined) status.waitingOn = obstacle.reason;
  const isAsking = inForce?.progress.phase === 'AwaitingApproval' && blocked === undefined;
  // What was said to a plan that waits is kept beside it.
  const { approved = [], paused } =
    inForce?.progress ?? previouslyAccepted(memory, plan.spec.digest)?.progress ?? {};
  if (approved.length > 0) status.approved = [...approved];
  if (paused !== undefined && ['Pending', 'active', 'Reverting'].includes(columnOf(inForce?.progress.phase)))
    status.pausedBy = paused.by;
  const said = refused === undefined ? verdict : refusedText(refused);
  const why = obstacle?.message ?? (isAsking ? approvalText(view, inForce) : said);
  const isWaiting = inForce !== undefined && !isAsking && refused === undefined && result.waitingOn !== '';
  const waits = isWaiting ? [`waits for ${result.waitingOn}`] : [];
  const message = [why ?? [], waits].flat().join('; ');
  if (message !== '') status.message = message;
  const astray = obstacle?.fact === 'manifestElsewhere' && now >= view.liveSince + STALE_MS;
  status.conditions = conditions(
    phase,
    astray,
    inForce?.progress.cause,
    obstacle?.reason,
    inForce?.progress.reason,
    message,
    inForce && result.boundedBy,
  ).map((c) =>
    withTimes(
      c,
      before?.conditions?.find((old) => old.type === c.type),
      now,
    ),
  );
  return status;
}

/** A start of the runtime, or another leader, takes about as long; nobody looks at a clock more closely than that. */
const CLOSE_MS = 15_000;

/**
 * When a clock will end, milliseconds since 1970, as a text. A clock that stood for a while ends later: what was told before
 * is left as long as it is close, or off by no more than a tenth of what is left, so that a runtime that starts again and
 * again has better to do than to say so.
 */
function told(at: number, before: string | undefined, now: number): string {
  const close = Math.max(CLOSE_MS, (at - now) / 10);
  return before !== undefined && Math.abs(Date.parse(before) - at) <= close ? before : timestamp(at);
}

/** The status of a plan whose target is not there, or of a kind that is not executed. */
export function orphanStatus(
  plan: KubeObject,
  why: { reason: string; message: string },
  now: number,
): RolloutPlanStatus {
  const before = plan['status'] as RolloutPlanStatus | undefined;
  const wanted = conditions('Pending', false, undefined, why.reason, undefined, why.message);
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
 * kstatus conditions (plan, section 12): a plan that moves is Reconciling; one that waits for a person, to approve or to
 * delete pods, is Ready, so that
 * a Flux `wait: true` ends; one that ended badly is Stalled.
 */
function conditions(
  phase: Phase,
  astray: boolean,
  cause: string | undefined,
  obstacle: string | undefined,
  reason: string | undefined,
  message: string | undefined,
  boundedBy?: string,
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
  if (boundedBy === ON_DELETE && obstacle === undefined) return [is('Ready', 'True', ON_DELETE)];
  const column = columnOf(phase);
  const bad =
    phase === 'Stale' ||
    (astray && column === 'active') ||
    column === 'Halted' ||
    column === 'Aborted' ||
    column === 'Reverted' ||
    obstacle === 'Unverified' ||
    obstacle === 'InvalidTarget' ||
    obstacle === 'UnsupportedSemantics';
  // What goes back says why, so that a person's word is not taken for a failure.
  const why = obstacle ?? (bad || column === 'Reverting' ? (reason ?? phase) : phase);
  return bad
    ? [is('Ready', 'False', why), is('Stalled', 'True', why)]
    : [is('Ready', 'False', why), is('Reconciling', 'True', why)];
}

function withTimes(next: PlanCondition, before: PlanCondition | undefined, now: number): PlanCondition {
  const kept = before?.status === next.status ? before.lastTransitionTime : undefined;
  return { ...next, lastTransitionTime: kept ?? timestamp(now) };
}
