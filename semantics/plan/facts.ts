import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { tooManyBroken } from './baseline.ts';
import { waitsForCapacity } from './capacity.ts';
import { commandFacts, pausedBy, thePlan } from './command-facts.ts';
import { MODES, type Mode } from '../template/mode.ts';
import { areRelated, inheritedFrom, mayReturnTo } from './lineage.ts';
import { type Accepted, type Listed, retainedRecords } from './memory.ts';
import type { PlanObject } from './rollout-view.ts';
import { remediationCommand } from './remediation-command.ts';
import type { FactDetails, Situation } from './situation.ts';
import { isComplete } from './sizes.ts';
import { judgeStep, revertDone } from './steps.ts';
import { columnOf, type FactName } from './table.ts';
import { nextStable, unlistedPodsMessage, unlistedStableMessage } from './unlisted-revisions.ts';
import { verdictOn } from './verdict.ts';

/**
 * The test of each row of the table. A test is level-triggered: it reads the present situation, never an event. It
 * returns undefined where the fact does not apply.
 */
export const facts: Record<FactName, (s: Situation) => FactDetails | undefined> = {
  targetDeleted: ({ view }) => (view.deleting ? { message: 'the target is being deleted' } : undefined),

  targetUnsupported: ({ view }) => {
    if (view.invalid.length > 0) {
      const message = `${view.invalid.join('; ')}. No pod is changed until git corrects that`;
      return { message, reason: 'InvalidTarget' };
    }
    if (view.unsupported.length === 0) return undefined;
    return { message: `this runtime does not execute ${view.unsupported.join(', ')}` };
  },

  breakGlass: ({ breakGlass }) => {
    if (breakGlass === undefined) return undefined;
    const { by, expires, reason } = breakGlass.spec;
    const why = reason === undefined ? '' : `: ${reason}`;
    return {
      message: `${by ?? 'a user'} used BreakGlass until ${expires ?? ''}${why}. The target's own strategy applies`,
      command: breakGlass,
    };
  },

  planUnverified: ({ plans }) => {
    const plan = plans.find((p) => p.refused !== undefined);
    return plan && { message: plan.refused?.message ?? '', plan };
  },

  duplicatePlans: ({ plans, accepted }) => {
    const [first, other] = distinct(plans);
    if (first === undefined || other === undefined) return undefined;
    const [one, two] = [first, other].map(({ name, spec }) =>
      spec.digest === accepted?.spec.digest ? `${name} (active)` : name,
    );
    return { message: `${one} and ${two} both plan this target; delete one`, plans };
  },

  manifestWentBack: ({ view, accepted }) => {
    const goal = view.liveHash;
    if (accepted === undefined || !mayReturnTo(accepted, goal, view.complete)) return undefined;
    const { progress } = accepted;
    // Something else was completed after this plan had ended, so going back would not be the reverse of this plan.
    if (endedAt(accepted) !== undefined && endedAt(accepted) !== view.stable) return undefined;
    const atGoal = progress.phase === 'Reverting' || progress.phase === 'Reverted';
    if (atGoal && progress.goal === goal) return undefined;
    // Aborted before any pod was updated: there is nothing to revert, and the verdict still applies.
    const nowhere = view.stable === goal && view.pods.every((pod) => pod.hash === goal);
    if (nowhere && progress.phase === 'Aborted') return undefined;
    return { message: `the manifest is at ${view.nameOf(goal)} again`, goal };
  },

  manifestReturned: (s) => {
    const { view, accepted } = s;
    if (accepted?.progress.cause !== 'git' || view.liveHash !== accepted.spec.to.hash) return undefined;
    // Another plan to the same `to` came with the manifest: that plan was reviewed for it, not the old one.
    if (newPlan(s)?.spec.to.hash === view.liveHash) return undefined;
    return {
      message: `the manifest is at ${view.nameOf(view.liveHash)} again; the plan starts at its step 1`,
    };
  },

  newPlanSameTo: (s) => {
    const plan = newPlan(s);
    if (plan === undefined || s.accepted === undefined) return undefined;
    const { spec, progress } = s.accepted;
    if (plan.spec.to.hash !== spec.to.hash || s.view.liveHash !== spec.to.hash) return undefined;
    const active =
      progress.phase !== 'Succeeded' && progress.phase !== 'Reverted' && progress.phase !== 'Aborted';
    if (active && !areRelated(plan.spec, spec)) return undefined;
    if (active && !sameUpTo(spec, plan.spec, progress.step)) return undefined;
    if (standingVerdict(s, plan) !== undefined || unlistedMessage(s, plan.spec) !== undefined)
      return undefined;
    if (tooManyBroken(s.view, plan.spec.to.hash, s.accepted) !== undefined) return undefined;
    return { message: `${plan.name} continues the same change`, plan };
  },

  newPlanTakesOver: (s) => {
    const plan = newPlan(s);
    if (plan === undefined || s.accepted === undefined) return undefined;
    const { spec, progress } = s.accepted;
    // A plan that leads to the same revision, or starts from it, was made with knowledge of the change in progress,
    // though not of its plan. It starts at its own step 1 and skips none of its gates.
    const knows = [plan.spec.to, ...plan.spec.from].some((entry) => entry.hash === spec.to.hash);
    const related = knows || areRelated(plan.spec, spec);
    if (!related || s.view.liveHash !== plan.spec.to.hash) return undefined;
    // The target reverts to that revision already, and a revert needs no gates. The plan is judged once it is done.
    if (progress.phase === 'Reverting' && plan.spec.to.hash === progress.goal) return undefined;
    // A revert after a failure is not reversed by a plan to the revision that failed.
    if (progress.phase === 'Reverting' && progress.cause !== 'git' && plan.spec.to.hash === spec.to.hash)
      return undefined;
    if (standingVerdict(s, plan) !== undefined || unlistedMessage(s, plan.spec) !== undefined)
      return undefined;
    if (tooManyBroken(s.view, plan.spec.to.hash, s.accepted) !== undefined) return undefined;
    return { message: `${plan.name} takes over`, plan };
  },

  newPlanNeither: (s) => {
    const plan = newPlan(s);
    if (plan === undefined || s.accepted === undefined) return undefined;
    const name = `${plan.name} (${plan.spec.digest.slice(0, 11)})`;
    const pendingFor = pendingReason(s, plan, s.accepted);
    return {
      message: `${name} ${standingVerdict(s, plan) ?? pendingMessage(s, plan, s.accepted)}`,
      plan,
      ...(pendingFor === undefined ? {} : { reason: pendingFor }),
    };
  },

  planMissing: ({ plans, accepted }) =>
    plans.length === 0 && accepted !== undefined
      ? {
          message: `the object of plan ${accepted.spec.digest} is missing. Restore it${revertHint(accepted.spec)}`,
        }
      : undefined,

  manifestElsewhere: ({ view, plans, accepted }) => {
    const spec = accepted?.spec ?? plans[0]?.spec;
    if (spec === undefined || spec.to.hash === view.liveHash) return undefined;
    const [at, leads] = [view.nameOf(view.liveHash), view.nameOf(spec.to.hash)];
    if (!spec.from.some((f) => f.hash === view.liveHash)) {
      const help = 'Revert the manifest, or commit a plan that leads there';
      return {
        message: `the target's template is ${at}, which the plan neither starts from nor leads to. ${help}`,
      };
    }
    if (accepted !== undefined && spec.irreversible !== undefined) {
      const why = `a revert is impossible: ${spec.irreversible}`;
      return {
        message: `the manifest is at ${at} again, and ${why}. Set it to ${leads}, or plan from here`,
      };
    }
    if (accepted !== undefined && spec.from.some((f) => f.hash === view.liveHash && f.depart === true)) {
      const help = `Set the manifest to ${leads}, or commit a plan`;
      return {
        message: `the manifest is at ${at}, and a return to it needs its own plan. ${help}`,
      };
    }
    return { message: `waits for the manifest: the target is at ${at}, the plan leads to ${leads}` };
  },

  unlistedPod: (s) => {
    const { view, accepted, plans } = s;
    const spec = accepted?.spec ?? plans[0]?.spec;
    if (spec === undefined) return undefined;
    const message =
      unlistedPodsMessage(view, spec, listedRevisions(s, spec)) ??
      (accepted === undefined && nextStableFor(s, spec) === undefined ? unlistedMessage(s, spec) : undefined);
    return message === undefined ? undefined : { message };
  },

  beyondMode: (s) => {
    const { view, plans, accepted } = s;
    const spec = accepted?.spec ?? plans[0]?.spec;
    if (spec === undefined || view.onDelete) return undefined;
    for (const hash of new Set(view.pods.map((pod) => pod.hash))) {
      const entry = listedRevisions(s, spec).find((f) => f.hash === hash);
      if (hash === undefined || entry === undefined || hash === spec.to.hash) continue;
      const needed = view.modeTo(hash, spec.to.hash) ?? 'Recreate';
      if (rank(needed) > rank(entry.mode)) {
        return {
          message: `pods on ${view.nameOf(hash)} need ${needed}, and the plan allows ${entry.mode}. Run kruise plan --again, or undo the change that needs it`,
        };
      }
    }
    return undefined;
  },

  verdictStands: (s) => {
    const plan = s.accepted === undefined ? s.plans[0] : undefined;
    const verdict = plan && standingVerdict(s, plan);
    return verdict === undefined ? undefined : { message: `${plan?.name ?? ''} ${verdict}` };
  },

  paused: (s) => {
    const paused = pausedBy(s);
    if (paused === undefined) return undefined;
    const why = paused.reason === undefined ? '' : `: ${paused.reason}`;
    const plan = s.accepted ?? thePlan(s.plans);
    const how = plan === undefined ? '' : `: ${remediationCommand('resume', s.view, plan)}`;
    return { message: `${paused.by} paused it${why}. Resume continues it${how}` };
  },

  predecessor: ({ plans, accepted, context }) => {
    const plan = accepted === undefined ? plans[0] : undefined;
    const message = plan && context.predecessor(plan);
    return message === undefined ? undefined : { message, plan };
  },

  queued: (s) => {
    const { plans, accepted, context, view } = s;
    if (context.queued === undefined) return undefined;
    if (accepted !== undefined) return movesPods(s, accepted) ? { message: context.queued } : undefined;
    const [plan] = plans;
    // What moves no pod needs no slot.
    if (plan === undefined || isComplete(view, plan.spec)) return undefined;
    return { message: context.queued, plan };
  },

  staleStable: (s) => {
    const { view, accepted, plans } = s;
    const plan = accepted === undefined ? plans[0] : undefined;
    const goal = plan && nextStableFor(s, plan.spec);
    if (plan === undefined || goal === undefined) return undefined;
    const [next, before] = [view.nameOf(goal), view.nameOf(view.stable)];
    return {
      message: `${next} is stable now: most available pods are on it and none is on ${before}. The plan ${plan.name} starts from there`,
      goal,
    };
  },

  tooManyBroken: ({ view, plans, accepted, before }) => {
    const plan = accepted === undefined ? plans[0] : undefined;
    const message = plan && tooManyBroken(view, plan.spec.to.hash, before);
    return message === undefined ? undefined : { message };
  },

  acceptable: ({ plans, accepted }) => {
    const plan = accepted === undefined ? plans[0] : undefined;
    return plan && { message: `${plan.name} is accepted`, plan };
  },

  ...commandFacts,

  targetPaused: ({ view }) =>
    view.paused ? { message: "the target's own paused is true; set it to false in git" } : undefined,

  capacity: ({ view, accepted, context }) => {
    const wait = accepted && waitsForCapacity(view, accepted, context);
    return wait === undefined || wait.tooLong
      ? undefined
      : { message: wait.message, allowsUpdates: !wait.stops };
  },

  stepFailed: (s) => stepIs(s, 'failed'),
  stepDone: (s) => stepIs(s, 'done'),
};

/** The revision that a plan ended on; undefined while it has not ended, or ended without completing the target. */
function endedAt({ spec, progress }: Accepted): string | undefined {
  if (progress.phase === 'Succeeded') return spec.to.hash;
  return progress.phase === 'Reverted' ? progress.goal : undefined;
}

/** The second remedy for a missing plan object: a revert, where that is possible. */
function revertHint({ irreversible }: RolloutPlanSpec): string {
  return irreversible === undefined
    ? ', or revert the manifest'
    : `. A revert is impossible: ${irreversible}`;
}

/** The one plan object that is not the active plan. */
function newPlan({ plans, accepted }: Situation): PlanObject | undefined {
  // Of two different plans, neither is the new one.
  if (distinct(plans).length > 1) return undefined;
  return plans.find((plan) => plan.refused === undefined && plan.spec.digest !== accepted?.spec.digest);
}

function pendingMessage(s: Situation, plan: PlanObject, accepted: Accepted): string {
  const { view } = s;
  if (accepted.progress.phase === 'Reverting') return 'waits until the target is reverted';
  if (plan.spec.to.hash !== view.liveHash) return 'waits for its manifest';
  const unlisted = unlistedMessage(s, plan.spec);
  const broken = tooManyBroken(view, plan.spec.to.hash, accepted);
  if (areRelated(plan.spec, accepted.spec) && broken !== undefined) return `cannot take over: ${broken}`;
  if (areRelated(plan.spec, accepted.spec) && unlisted !== undefined) return `cannot take over: ${unlisted}`;
  return `does not supersede ${accepted.spec.digest.slice(0, 11)}, which is active. Plan it again on top of that one, or revert the manifest first`;
}

/** The reason for a new plan object that waits for something other than the active plan; undefined: the row's reason. */
function pendingReason({ view }: Situation, { spec }: PlanObject, accepted: Accepted): string | undefined {
  if (spec.to.hash !== view.liveHash) return 'ManifestChanged';
  const isRelated = areRelated(spec, accepted.spec);
  return isRelated && tooManyBroken(view, spec.to.hash, accepted) !== undefined ? 'TooManyBroken' : undefined;
}

/** Plans of one digest are one plan. */
function distinct(plans: readonly PlanObject[]): PlanObject[] {
  return plans.filter((plan, i) => plans.findIndex((p) => p.spec.digest === plan.spec.digest) === i);
}

/** The revisions that pods may be on when this plan starts or continues: its own `from`, and those it inherits. */
function listedRevisions(s: Situation, spec: RolloutPlanSpec): Listed[] {
  const own = s.accepted?.spec.digest === spec.digest;
  const more = own ? (s.accepted?.progress.inherited ?? []) : inheritedFrom(spec, s.accepted ?? s.before);
  return [...spec.from, ...more];
}

/** Why a plan cannot be accepted now, as a sentence: pods, or `stable`, are on a revision that it does not list. */
function unlistedMessage(s: Situation, spec: RolloutPlanSpec): string | undefined {
  const known = listedRevisions(s, spec);
  return unlistedPodsMessage(s.view, spec, known) ?? unlistedStableMessage(s.view, spec, known);
}

/** The revision that must become stable before the plan is accepted; undefined: none is needed, or none qualifies. */
function nextStableFor({ memory, view, ...s }: Situation, spec: RolloutPlanSpec): string | undefined {
  const known = listedRevisions({ memory, view, ...s }, spec);
  if (
    unlistedPodsMessage(view, spec, known) !== undefined ||
    unlistedStableMessage(view, spec, known) === undefined
  )
    return undefined;
  const next = nextStable(view, retainedRecords(memory, s.accepted ?? s.before));
  return next === spec.to.hash || known.some(({ hash }) => hash === next) ? next : undefined;
}

function sameUpTo(a: RolloutPlanSpec, b: RolloutPlanSpec, step: number): boolean {
  return canonicalJson(a.steps.slice(0, step + 1)) === canonicalJson(b.steps.slice(0, step + 1));
}

/** The step in progress updates pods, or waits for updated ones, and nothing but a queue slot can stop it. */
function movesPods({ view, context, now }: Situation, accepted: Accepted): boolean {
  if (accepted.progress.phase !== 'Running' || view.paused || view.onDelete || view.replicas === 0)
    return false;
  const step = judgeStep(view, accepted, context, now);
  return step.is === 'underway' && step.boundedBy === undefined;
}

/** Why a plan may not start: a verdict on the same change still applies. */
function standingVerdict({ memory, view, ...s }: Situation, plan: PlanObject): string | undefined {
  return verdictOn(retainedRecords(memory, s.accepted ?? s.before), view, plan.spec.to.hash, plan.spec);
}

function stepIs({ view, accepted, context, now }: Situation, is: 'done' | 'failed'): FactDetails | undefined {
  if (accepted === undefined) return undefined;
  const { phase } = accepted.progress;
  if (phase === 'Reverting') {
    return is === 'done' && revertDone(view, accepted) ? { message: 'every pod is reverted' } : undefined;
  }
  if (columnOf(phase) !== 'active') return undefined;
  const step = judgeStep(view, accepted, context, now);
  if (step.is !== is) return undefined;
  return { message: step.is === 'failed' ? step.message : 'the step is done', step };
}

function rank(mode: Mode): number {
  return MODES.indexOf(mode);
}
