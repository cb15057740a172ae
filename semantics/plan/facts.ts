import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { MODES, type Mode } from '../template/mode.ts';
import { tooManyBroken } from './baseline.ts';
import { waitsForCapacity } from './capacity.ts';
import { commandFacts, pausedBy, thePlan } from './command-facts.ts';
import { growthElsewhere, hasNoGrowthLeft, isSameGrowth } from './growth-facts.ts';
import { mayReturnTo } from './lineage.ts';
import type { Accepted } from './memory.ts';
import { newPlan, newPlanFacts } from './new-plan-facts.ts';
import { distinct } from './plan-object.ts';
import { remediationCommand } from './remediation-command.ts';
import { type RolloutView, takesSlot } from './rollout-view.ts';
import type { FactDetails, Situation } from './situation.ts';
import { movable } from './selector-bound.ts';
import { isAsStated, isSelectionBack } from './selection-bound.ts';
import { listedRevisions, nextStableFor, standingVerdict, unlistedMessage } from './start-conditions.ts';
import { judgeStep } from './steps.ts';
import { columnOf, type FactName } from './table.ts';
import { ownPods, type RunUnits } from './units.ts';
import { untouchable } from './untouchable.ts';
import { unlistedPodsMessage } from './unlisted-revisions.ts';
import { windowMismatch } from './window-facts.ts';

/**
 * The test of each row of the table. A test is level-triggered: it reads the present situation, never an event. It
 * returns undefined where the fact does not apply.
 */
export const facts: Record<FactName, (s: Situation) => FactDetails | undefined> = {
  targetDeleted: ({ view }) => (view.deleting ? { message: 'the target is being deleted' } : undefined),

  targetUnsupported: ({ view }) => untouchable(view),

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
    if (accepted === undefined) return undefined;
    if (view.units.of === 'run') return runWentBack(view, view.units, accepted);
    if (hasNoGrowthLeft(view, accepted))
      return { message: 'no claim has to grow with the manifest any more', goal };
    const isSelection = isSelectionBack(view, accepted);
    if (!isSelection && !mayReturnTo(accepted, goal, view.complete)) return undefined;
    const { progress } = accepted;
    // Something else was completed after this plan had ended, so going back would not be the reverse of this plan.
    if (endedAt(accepted) !== undefined && endedAt(accepted) !== view.stable) return undefined;
    const atGoal = progress.phase === 'Reverting' || progress.phase === 'Reverted';
    if (atGoal && progress.goal === goal) return undefined;
    // Aborted before any pod was updated: there is nothing to revert, and the verdict still applies.
    const nowhere = view.stable === goal && view.pods.every((pod) => pod.hash === goal);
    if (nowhere && progress.phase === 'Aborted') return undefined;
    const what = isSelection ? 'selects what it did before' : `is at ${view.nameOf(goal)} again`;
    return { message: `the manifest ${what}`, goal };
  },

  manifestReturned: (s) => {
    const { view, accepted } = s;
    if (accepted?.progress.cause !== 'git' || view.liveHash !== accepted.spec.to.hash) return undefined;
    if (!isSameGrowth(view, accepted.spec) || !isAsStated(view, accepted.spec)) return undefined;
    // Another plan to the same `to` came with the manifest: that plan was reviewed for it, not the old one.
    if (newPlan(s)?.spec.to.hash === view.liveHash) return undefined;
    return {
      message: `the manifest is at ${view.nameOf(view.liveHash)} again; the plan starts at its step 1`,
    };
  },

  ...newPlanFacts,

  planMissing: ({ plans, accepted }) =>
    plans.length === 0 && accepted !== undefined
      ? {
          message: `the object of plan ${accepted.spec.digest} is missing. Restore it${revertHint(accepted.spec)}`,
        }
      : undefined,

  manifestElsewhere: ({ view, plans, accepted }) => {
    const spec = accepted?.spec ?? plans[0]?.spec;
    if (spec === undefined) return undefined;
    if (spec.to.hash === view.liveHash) return growthElsewhere(view, spec, accepted !== undefined);
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
    if (spec === undefined || !view.rules().hasStable) return undefined;
    const message =
      unlistedPodsMessage(view, spec, listedRevisions(s, spec)) ??
      (accepted === undefined && nextStableFor(s, spec) === undefined ? unlistedMessage(s, spec) : undefined);
    return message === undefined ? undefined : { message };
  },

  beyondMode: (s) => {
    const { view, plans, accepted } = s;
    const spec = accepted?.spec ?? plans[0]?.spec;
    if (spec === undefined || view.onDelete || !view.rules().hasStable) return undefined;
    for (const hash of new Set(movable(view, spec).map((pod) => pod.hash))) {
      const entry = listedRevisions(s, spec).find((f) => f.hash === hash);
      if (hash === undefined || entry === undefined || hash === spec.to.hash) continue;
      const needed = view.modeTo(hash, spec.to.hash) ?? 'Recreate';
      if (rank(needed) > rank(entry.mode)) {
        const resized = modeWithResize(view, hash, spec.to.hash);
        const help =
          resized !== undefined && rank(resized) <= rank(entry.mode)
            ? 'The runtime cannot patch pods/resize here: give it that right on Kubernetes 1.33 or later, or undo the change'
            : 'Run kruise plan --again, or undo the change that needs it';
        return {
          message: `pods on ${view.nameOf(hash)} need ${needed}, and the plan allows ${entry.mode}. ${help}`,
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
    if (context.queued === undefined || !takesSlot(view)) return undefined;
    if (accepted !== undefined) return movesPods(s, accepted) ? { message: context.queued } : undefined;
    const [plan] = plans;
    // What moves no pod needs no slot.
    if (plan === undefined || view.rules(plan.spec).isComplete(view, plan.spec)) return undefined;
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

  windowMismatch,

  capacity: ({ view, accepted, context }) => {
    const wait = accepted && waitsForCapacity(view, accepted, context);
    return wait === undefined || wait.tooLong
      ? undefined
      : { message: wait.message, allowsUpdates: !wait.stops };
  },

  stepFailed: (s) => stepIs(s, 'failed'),
  stepDone: (s) => stepIs(s, 'done'),
};

/** A run is never undone. If the manifest is at an earlier run again, no further unit begins. */
function runWentBack(
  { liveHash: goal }: RolloutView,
  { runs }: RunUnits,
  accepted: Accepted,
): FactDetails | undefined {
  if (goal === accepted.spec.to.hash || !runs.has(goal)) return undefined;
  const { phase } = accepted.progress;
  if (phase === 'Succeeded' || phase === 'Reverted' || phase === 'Reverting') return undefined;
  return { message: 'the manifest is at an earlier run again, and this one begins on no further node', goal };
}

/** The mode of an update if the runtime were allowed to resize containers; undefined: that changes nothing. */
function modeWithResize({ units }: RolloutView, from: string, to: string): Mode | undefined {
  return ownPods(units)?.modeWithResize?.(from, to);
}

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

/** The step in progress updates pods, or waits for updated ones, and nothing but a queue slot can stop it. */
function movesPods({ view, context, now }: Situation, accepted: Accepted): boolean {
  if (accepted.progress.phase !== 'Running' || view.paused || view.onDelete || view.replicas === 0)
    return false;
  const step = judgeStep(view, accepted, context, now);
  return step.is === 'underway' && step.boundedBy === undefined;
}

function stepIs({ view, accepted, context, now }: Situation, is: 'done' | 'failed'): FactDetails | undefined {
  if (accepted === undefined) return undefined;
  const { phase } = accepted.progress;
  if (phase === 'Reverting') {
    return is === 'done' && view.rules(accepted.spec).backWaitsFor(view, accepted) === ''
      ? { message: 'every pod is reverted' }
      : undefined;
  }
  if (columnOf(phase) !== 'active') return undefined;
  const step = judgeStep(view, accepted, context, now);
  if (step.is !== is) return undefined;
  return { message: step.is === 'failed' ? step.message : 'the step is done', step };
}

function rank(mode: Mode): number {
  return MODES.indexOf(mode);
}
