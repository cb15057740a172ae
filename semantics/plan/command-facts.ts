import { tooManyToExcuse } from './baseline.ts';
import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { FactDetails, Situation } from './situation.ts';
import { type Progress, previouslyAccepted } from './memory.ts';
import type { Command } from './advance-input.ts';
import type { PlanObject } from './plan-object.ts';
import type { RolloutView } from './rollout-view.ts';
import { remediationCommand } from './remediation-command.ts';
import { SYNC_MS } from './sync-order.ts';
import { type Column, columnOf, type FactName } from './table.ts';

type CommandFact = Extract<FactName, `command${string}` | `${string}Asked`>;

/** Facts about commands. One command is judged at a time, the oldest first. */
export const commandFacts: Record<CommandFact, (s: Situation) => FactDetails | undefined> = {
  commandExpired: (s) => {
    const command = nextCommand(s);
    if (command === undefined || !isExpired(command, s.now)) return undefined;
    return {
      message: `it expired at ${command.spec.expires ?? ''}; send it again if you still want it`,
      command,
    };
  },

  commandElsewhere: (s) => {
    const command = nextCommand(s);
    if (command === undefined || command.spec.action === 'BreakGlass') return undefined;
    const plan = addressedPlan(s);
    const { digest, action } = command.spec;
    if (plan !== undefined && (digest === undefined || digest === plan.digest)) return undefined;
    if (waitingPlanFor(s, command) !== undefined) return undefined;
    const broken = s.plans.find(
      (p) => p.refused !== undefined && (digest ?? p.spec.digest) === p.spec.digest,
    );
    if (broken !== undefined) {
      const why = `plan ${broken.name} is not valid: ${broken.refused?.message ?? ''}`;
      return { message: `${why}. Fix that first, and send the command again`, command };
    }
    if (plan === undefined) {
      const waits =
        s.plans.length === 0
          ? 'none waits. Commit the plan, wait for the sync, and send the command again'
          : 'the one that waits is not valid; kruise status shows why. Fix it, and send the command again';
      return { message: `no plan is active, and ${waits}`, command };
    }
    // If the active plan has ended, the command was meant for the plan that waits.
    const hasEnded = endedColumns.includes(columnOf(s.accepted?.progress.phase));
    const here = (hasEnded ? thePlan(s.plans)?.spec : undefined) ?? plan;
    const where = `it is for plan ${digest}, and the plan here is ${here.digest}`;
    const what =
      hasEnded && here.digest === s.accepted?.spec.digest
        ? ', which has ended. Sync the other plan, and send the command again'
        : `; ${commandForPlanHere(s.view, here, action, command.spec.step)}`;
    return { message: `${where}${what}`, command };
  },

  commandImpossible: (s) => {
    const command = nextCommand(s);
    const message = command && impossible(s, command);
    return message === undefined ? undefined : { message, command };
  },

  breakGlassAsked: (s) => requested(s, 'BreakGlass'),
  abortAsked: (s) => requested(s, 'Abort'),
  revertAsked: (s) => requested(s, 'Revert'),
  pauseAsked: (s) => requested(s, 'Pause'),
  unpauseAsked: (s) => (pausedBy(s) === undefined ? undefined : requested(s, 'Resume')),
  resumeAsked: (s) => requested(s, 'Resume'),
  approveAsked: (s) => {
    const command = nextCommand(s);
    if (command === undefined || waitingPlanFor(s, command) !== undefined) return undefined;
    const found = requested(s, 'Approve');
    const plan = addressedPlan(s);
    return found && plan && { ...found, message: `${found.message}${effectiveWhen(s, plan, command)}` };
  },
  approveAheadAsked: (s) => {
    const command = nextCommand(s);
    const plan = command && waitingPlanFor(s, command);
    const found = plan && requested(s, 'Approve');
    return (
      found && { ...found, plan, message: `${found.message}${effectiveWhen(s, plan.spec, found.command)}` }
    );
  },
};

/** The plan object that an approval is for, where that plan waits and is not the one a command is about by default. */
function waitingPlanFor(s: Situation, { spec: { action, digest } }: Command): PlanObject | undefined {
  if (action !== 'Approve' || digest === undefined || digest === addressedPlan(s)?.digest) return undefined;
  // If the active plan has ended, the plan that waits is judged by itself, with its commands.
  if (endedColumns.includes(columnOf(s.accepted?.progress.phase))) return undefined;
  return s.plans.find((plan) => plan.refused === undefined && plan.spec.digest === digest);
}

/** Up to this many steps are named one by one; of more, only the first and the last. */
const MAX_NAMED_STEPS = 4;

/** What must happen before an early approval takes effect, as the end of a sentence; '' at its own step. */
function effectiveWhen(s: Situation, plan: RolloutPlanSpec, command: Command | undefined): string {
  const isActive = s.accepted?.spec.digest === plan.digest;
  const from = isActive ? (s.accepted?.progress.step ?? 0) : 0;
  const ids = plan.steps.slice(from, indexOf(plan, command?.spec.step ?? '')).map(({ id }) => id);
  const [first = '', last = ''] = [ids[0], ids.at(-1)];
  const named = [ids.slice(0, -1).join(', '), last].filter((part) => part !== '').join(' and ');
  const steps = ids.length > MAX_NAMED_STEPS ? `${first} to ${last} (${ids.length} steps)` : named;
  const conditions = [
    ...(isActive ? [] : ['the plan is accepted']),
    ...(ids.length === 0 ? [] : [`${steps} ${ids.length === 1 ? 'is' : 'are'} done`]),
  ];
  return conditions.length === 0 ? '' : `; it takes effect when ${conditions.join(' and ')}`;
}

/** The same command for the plan that is here, or why there is none. */
function commandForPlanHere(
  view: RolloutView,
  plan: RolloutPlanSpec,
  action: Exclude<Command['spec']['action'], 'BreakGlass'>,
  step: string | undefined,
): string {
  const verb = action.toLowerCase() as Lowercase<typeof action>;
  if (action !== 'Approve') return `for the plan here: ${remediationCommand(verb, view, { spec: plan })}`;
  const steps = approvalsOf(plan);
  const [asked = steps[0]] = steps.filter((id) => id === step);
  if (asked === undefined) return 'the plan here needs no approval; to approve the other, sync it first';
  return `for the plan here: ${remediationCommand(verb, view, { spec: plan }, asked)}`;
}

/** Ids of the steps of a plan that need an approval. */
function approvalsOf({ steps }: RolloutPlanSpec): string[] {
  return steps.filter(({ approve }) => approve !== undefined).map(({ id }) => id);
}

/** Break glass is for emergencies, so its duration is limited. */
const MAX_BREAK_GLASS_MS = 7 * 24 * 3_600_000;

/**
 * The BreakGlass command in effect: of several, the one that expires last. One without an expiry, or that lasts longer
 * than allowed, never takes effect. One that was accepted stays in effect, even if it would be refused now.
 *
 * @param refusal why one that was created at this time is refused here; undefined: it is allowed. Default: all are
 */
export function activeBreakGlass(
  commands: readonly Command[],
  refusal: ((createdAt: number) => string | undefined) | undefined,
  now: number,
): Command | undefined {
  return commands
    .filter(
      (command) =>
        command.spec.action === 'BreakGlass' &&
        ((command.result === undefined && refusal?.(command.createdAt) === undefined) ||
          command.result === 'Accepted') &&
        breakGlassProblem(command) === undefined &&
        !isExpired(command, now),
    )
    .sort((a, b) => Date.parse(b.spec.expires ?? '') - Date.parse(a.spec.expires ?? ''))[0];
}

function breakGlassProblem({ spec: { expires }, createdAt }: Command): string | undefined {
  if (expires === undefined)
    return 'BreakGlass needs spec.expires, a time within seven days; send it again with --expires';
  return Date.parse(expires) > createdAt + MAX_BREAK_GLASS_MS
    ? 'BreakGlass lasts seven days at most; send it again with an earlier --expires'
    : undefined;
}

/** An expiry that cannot be parsed counts as passed: a command that may be too old is not executed. */
export function isExpired({ spec: { expires } }: Command, now: number): boolean {
  return expires !== undefined && !(Date.parse(expires) > now);
}

/** The oldest command that need not wait for its plan. */
export function nextCommand(s: Situation): Command | undefined {
  return s.commands.find((command) => !waitsForItsPlan(s, command));
}

/** When a command that waits for its plan is judged again, milliseconds since 1970; undefined: none waits. */
export function planArrivalEndsAt(s: Situation): number | undefined {
  const waiting = s.commands.filter((c) => isPlanUnknown(s, c) && s.now < c.createdAt + SYNC_MS);
  return waiting.length === 0 ? undefined : Math.min(...waiting.map((c) => c.createdAt + SYNC_MS));
}

/**
 * Whether a command is not answered yet: its plan may still arrive. A command about a plan object that waits while the
 * active plan has ended is answered where that object is judged by itself.
 */
function waitsForItsPlan(s: Situation, command: Command): boolean {
  const { action, digest } = command.spec;
  if (action === 'BreakGlass' || isExpired(command, s.now)) return false;
  if (isPlanUnknown(s, command)) return s.now < command.createdAt + SYNC_MS;
  if (digest === undefined || digest === addressedPlan(s)?.digest) return false;
  const waits = s.plans.some((plan) => plan.refused === undefined && plan.spec.digest === digest);
  return waits && endedColumns.includes(columnOf(s.accepted?.progress.phase));
}

/** Columns of plans that have ended: a plan object that waits is judged by itself. */
const endedColumns: readonly Column[] = ['Succeeded', 'Reverted', 'Aborted'];

/** The command is about a plan that is neither present nor recorded. */
function isPlanUnknown(s: Situation, { spec: { action, digest } }: Command): boolean {
  if (action === 'BreakGlass') return false;
  if (digest === undefined) return addressedPlan(s) === undefined;
  return ![...s.plans, ...s.memory].some((known) => known.spec.digest === digest);
}

/** The plan that a command without a digest is about: the active one, else the only one that waits. */
function addressedPlan({ accepted, plans }: Situation): RolloutPlanSpec | undefined {
  if (accepted !== undefined) return accepted.spec;
  return thePlan(plans)?.spec;
}

/** The plan object, where there is exactly one that is valid; objects with the same digest count as one. */
export function thePlan(plans: readonly PlanObject[]): PlanObject | undefined {
  const [plan] = plans;
  if (plan === undefined || plan.refused !== undefined) return undefined;
  return plans.every((other) => other.spec.digest === plan.spec.digest) ? plan : undefined;
}

function requested(s: Situation, action: Command['spec']['action']): FactDetails | undefined {
  const command = nextCommand(s);
  if (command?.spec.action !== action) return undefined;
  const { by = 'a user', reason, step = '', expires = '' } = command.spec;
  const phrases: Record<typeof action, string> = {
    Approve: `approved ${step}`,
    Pause: 'paused it',
    Resume: 'resumed it',
    Abort: 'aborted it',
    Revert: 'requested a revert',
    BreakGlass: `used BreakGlass until ${expires}`,
  };
  return { message: `${by} ${phrases[action]}${reason === undefined ? '' : `: ${reason}`}`, command };
}

/** Who paused the active plan, or the one that waits; undefined: nobody. A plan that has ended is not paused. */
export function pausedBy(s: Situation): Progress['paused'] {
  const waiting = s.accepted === undefined ? thePlan(s.plans) : undefined;
  const progress =
    s.accepted?.progress ?? (waiting && previouslyAccepted(s.memory, waiting.spec.digest)?.progress);
  const column = columnOf(progress?.phase);
  return column === 'Pending' || column === 'active' || column === 'Reverting' ? progress?.paused : undefined;
}

function indexOf(plan: RolloutPlanSpec | undefined, id: string): number {
  return plan?.steps.findIndex((step) => step.id === id) ?? -1;
}

/** Why a command cannot be executed, whatever the phase allows; undefined: it can. */
function impossible(s: Situation, command: Command): string | undefined {
  const { action, step, digest } = command.spec;
  const { accepted, view } = s;
  const plan = waitingPlanFor(s, command)?.spec ?? addressedPlan(s);
  const column = columnOf(accepted?.progress.phase);
  switch (action) {
    case 'BreakGlass':
      return breakGlassProblem(command) ?? s.breakGlassRefusal(command.createdAt);
    case 'Approve': {
      const steps = plan === undefined ? [] : approvalsOf(plan);
      const list = steps.length === 0 ? 'it has none' : `its approvals are ${steps.join(', ')}`;
      if (step === undefined || digest === undefined)
        return `Approve needs spec.step and spec.digest; ${list}, and kruise approve fills in both`;
      if (!steps.includes(step)) return `the plan has no step ${step} that waits for an approval; ${list}`;
      const done = accepted?.spec.digest === plan?.digest ? (accepted?.progress.step ?? 0) : 0;
      const open = steps.filter((id) => indexOf(plan, id) >= done);
      return indexOf(plan, step) < done
        ? `step ${step} is done already; ${open.length === 0 ? 'no further approval is needed' : `still open: ${open.join(', ')}`}`
        : undefined;
    }
    case 'Revert':
      if (accepted === undefined || !['active', 'Halted', 'Aborted'].includes(column)) return undefined;
      if (!view.rules().hasStable) return 'a run cannot be undone. Abort ends it: no further node begins';
      if (accepted.spec.irreversible !== undefined)
        return `a revert is impossible: ${accepted.spec.irreversible}; commit the next change with its plan`;
      return view.stable === accepted.spec.to.hash
        ? 'there is nothing to revert to: the target is complete on the revision of the plan. To move the pods back, revert the commit in git'
        : undefined;
    case 'Resume':
      if (column === 'Halted' && accepted !== undefined) return tooManyToExcuse(view, accepted);
      return (column === 'Reverted' || column === 'Aborted') && accepted?.spec.to.hash !== view.liveHash
        ? 'the manifest is not at the revision of the plan; set it to that, or commit a plan for what it has'
        : undefined;
    case 'Abort':
      return column === 'Reverting' && accepted?.progress.cause === 'git'
        ? 'the manifest requests the revert; Pause stops it, or change the manifest'
        : undefined;
    case 'Pause':
      return undefined;
  }
}
