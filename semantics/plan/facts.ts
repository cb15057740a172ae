import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { MODES, type Mode } from './envelope.ts';
import { areRelated, inheritedFrom, type Listed } from './lineage.ts';
import type { Accepted, Progress } from './memory.ts';
import type { Command, PlanObject, RolloutView } from './rollout-view.ts';
import { judgeStep, revertDone, type StepJudgement } from './steps.ts';
import { columnOf, type FactName } from './table.ts';

/** Everything a fact is judged from. */
export interface Situation {
  view: RolloutView;
  plans: readonly PlanObject[];
  commands: readonly Command[];
  memory: readonly Accepted[];
  /** The accepted plan in force, with its clocks up to now; undefined while none, or while an object is judged for acceptance. */
  accepted: Accepted | undefined;
  /** The plan in force while an object is judged as if there were none. */
  before?: Accepted | undefined;
  now: number;
}

/** A fact that applies: why, for people, and what it is about. */
export interface Found {
  message: string;
  plan?: PlanObject;
  /** Plans it is about, where there are several. */
  plans?: readonly PlanObject[];
  command?: Command;
  step?: StepJudgement;
}

/** Each fact as a level-triggered test: what is so now, never what just happened. */
export const facts: Record<FactName, (s: Situation) => Found | undefined> = {
  targetDeleted: ({ view }) => (view.deleting ? { message: 'the target is being deleted' } : undefined),

  targetUnsupported: ({ view }) =>
    view.unsupported.length === 0
      ? undefined
      : { message: `this runtime does not execute ${view.unsupported.join(', ')}` },

  planUnverified: ({ plans }) => {
    const plan = plans.find((p) => p.refused !== undefined);
    return plan && { message: plan.refused?.message ?? '', plan };
  },

  duplicatePlans: ({ plans }) => {
    const [first, other] = distinct(plans);
    if (first === undefined || other === undefined) return undefined;
    return { message: `${first.name} and ${other.name} both plan this target; delete one`, plans };
  },

  manifestWentBack: (s) => {
    const { view, accepted } = s;
    if (accepted === undefined || accepted.spec.irreversible !== undefined) return undefined;
    const { spec, progress } = accepted;
    const back = view.liveHash !== spec.to.hash && listed(s, spec).some((f) => f.hash === view.liveHash);
    if (!back || !view.complete.has(view.liveHash)) return undefined;
    const atGoal = progress.phase === 'Reverting' || progress.phase === 'Reverted';
    if (atGoal && progress.goal === view.liveHash) return undefined;
    return { message: `the manifest is at ${view.nameOf(view.liveHash)} again` };
  },

  manifestReturned: (s) => {
    const { view, accepted } = s;
    if (accepted?.progress.cause !== 'git' || view.liveHash !== accepted.spec.to.hash) return undefined;
    // Another plan to the same `to` came with the manifest: that one was reviewed, not the old one.
    if (newPlan(s)?.spec.to.hash === view.liveHash) return undefined;
    return { message: 'the manifest is at `to` again' };
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
    if (standingVerdict(s, plan) !== undefined || unlisted(s, plan.spec) !== undefined) return undefined;
    return { message: `${plan.name} goes on with the same change`, plan };
  },

  newPlanTakesOver: (s) => {
    const plan = newPlan(s);
    if (plan === undefined || s.accepted === undefined) return undefined;
    if (!areRelated(plan.spec, s.accepted.spec) || s.view.liveHash !== plan.spec.to.hash) return undefined;
    const { spec, progress } = s.accepted;
    // Going back is under way already, and needs no gates; the plan that leads there is judged when it is over.
    if (progress.phase === 'Reverting' && plan.spec.to.hash === progress.goal) return undefined;
    // A roll-out that goes back for a failure is not turned round by the change it goes back from.
    if (progress.phase === 'Reverting' && progress.cause !== 'git' && plan.spec.to.hash === spec.to.hash)
      return undefined;
    if (standingVerdict(s, plan) !== undefined || unlisted(s, plan.spec) !== undefined) return undefined;
    return { message: `${plan.name} takes over`, plan };
  },

  newPlanNeither: (s) => {
    const plan = newPlan(s);
    if (plan === undefined || s.accepted === undefined) return undefined;
    const name = `${plan.name} (${plan.spec.digest.slice(0, 11)})`;
    return { message: `${name} ${standingVerdict(s, plan) ?? whyNotYet(s, plan, s.accepted)}`, plan };
  },

  planMissing: ({ plans, accepted }) =>
    plans.length === 0 && accepted !== undefined
      ? { message: 'the plan object is gone; put it back, or let the manifest go back' }
      : undefined,

  manifestElsewhere: ({ view, plans, accepted }) => {
    const spec = accepted?.spec ?? plans[0]?.spec;
    if (spec === undefined || spec.to.hash === view.liveHash) return undefined;
    return {
      message: spec.from.some((f) => f.hash === view.liveHash)
        ? `waits for the manifest: the target is at ${view.nameOf(view.liveHash)}, the plan leads to ${view.nameOf(spec.to.hash)}`
        : `the target's template is ${view.nameOf(view.liveHash)}, which the plan neither starts from nor leads to; run kruise plan again`,
    };
  },

  unlistedPod: (s) => {
    const spec = s.accepted?.spec ?? s.plans[0]?.spec;
    const message = spec && unlisted(s, spec);
    return message === undefined ? undefined : { message };
  },

  beyondMode: (s) => {
    const { view, plans, accepted } = s;
    const spec = accepted?.spec ?? plans[0]?.spec;
    if (spec === undefined) return undefined;
    for (const hash of new Set(view.pods.map((pod) => pod.hash))) {
      const entry = listed(s, spec).find((f) => f.hash === hash);
      if (hash === undefined || entry === undefined || hash === spec.to.hash) continue;
      const needed = view.modeTo(hash, spec.to.hash) ?? 'Recreate';
      if (rank(needed) > rank(entry.mode)) {
        return {
          message: `pods on ${view.nameOf(hash)} would need ${needed}, and the plan allows ${entry.mode}`,
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

  acceptable: ({ plans, accepted }) => {
    const plan = accepted === undefined ? plans[0] : undefined;
    return plan && { message: `${plan.name} is accepted`, plan };
  },

  approve: ({ commands, accepted, now }) => {
    const command = commands.find(
      (c) =>
        c.spec.action === 'Approve' &&
        accepted !== undefined &&
        approvesAStep(c, accepted) &&
        !isExpired(c, now),
    );
    return (
      command && { message: `${command.spec.by ?? 'somebody'} approved ${command.spec.step ?? ''}`, command }
    );
  },

  approveOther: ({ commands, accepted, now }) => {
    const command = commands.find((c) => c.spec.action === 'Approve');
    if (command === undefined) return undefined;
    if (isExpired(command, now))
      return { message: `refused: it expired at ${command.spec.expires ?? ''}`, command };
    const about = accepted === undefined ? 'no plan is in force' : `in force is ${accepted.spec.digest}`;
    return {
      message: `refused: it approves step ${command.spec.step ?? '(none)'} of ${command.spec.digest ?? '(none)'}; ${about}`,
      command,
    };
  },

  otherCommand: ({ commands }) => {
    const command = commands[0];
    return (
      command && { message: `refused: this runtime does not execute ${command.spec.action} yet`, command }
    );
  },

  targetPaused: ({ view }) => (view.paused ? { message: "the target's own paused is true" } : undefined),

  stepFailed: (s) => stepIs(s, 'failed'),
  stepDone: (s) => stepIs(s, 'done'),
};

/** The one plan object that is not the plan in force. */
function newPlan({ plans, accepted }: Situation): PlanObject | undefined {
  // Of two that contradict each other neither is the new one.
  if (distinct(plans).length > 1) return undefined;
  return plans.find((plan) => plan.refused === undefined && plan.spec.digest !== accepted?.spec.digest);
}

function whyNotYet(s: Situation, plan: PlanObject, accepted: Accepted): string {
  const { view } = s;
  if (accepted.progress.phase === 'Reverting') return 'waits until the target has gone back';
  if (plan.spec.to.hash !== view.liveHash) return 'waits for its manifest';
  const stray = unlisted(s, plan.spec);
  if (areRelated(plan.spec, accepted.spec) && stray !== undefined) return `cannot take over: ${stray}`;
  return `does not supersede ${accepted.spec.digest.slice(0, 11)}, which is in force`;
}

/** Plans of one digest are one plan. */
function distinct(plans: readonly PlanObject[]): PlanObject[] {
  return plans.filter((plan, i) => plans.findIndex((p) => p.spec.digest === plan.spec.digest) === i);
}

/** Where pods may be when this plan starts or goes on: its own list, and what it inherits or has inherited. */
function listed(s: Situation, spec: RolloutPlanSpec): Listed[] {
  const own = s.accepted?.spec.digest === spec.digest;
  const more = own ? (s.accepted?.progress.inherited ?? []) : inheritedFrom(spec, s.accepted ?? s.before);
  return [...spec.from, ...more];
}

/** A sentence about a pod that is elsewhere; undefined when there is none. */
function unlisted(s: Situation, spec: RolloutPlanSpec): string | undefined {
  const known = new Set([spec.to.hash, ...listed(s, spec).map((f) => f.hash)]);
  const pod = s.view.pods.find(({ hash }) => hash === undefined || !known.has(hash));
  if (pod === undefined) return undefined;
  const where = pod.hash === undefined ? 'a revision that left no object' : s.view.nameOf(pod.hash);
  return `pod ${pod.name} is on ${where}, which the plan does not start from`;
}

function sameUpTo(a: RolloutPlanSpec, b: RolloutPlanSpec, step: number): boolean {
  return canonicalJson(a.steps.slice(0, step + 1)) === canonicalJson(b.steps.slice(0, step + 1));
}

/**
 * A failure or a person's word about the same change stands until `Resume` or a higher `attempt` (plan, section 6): the
 * latest plan to the same `to` tells.
 */
function standingVerdict({ memory }: Situation, plan: PlanObject): string | undefined {
  const last = memory
    .filter((m) => m.spec.to.hash === plan.spec.to.hash)
    .sort((a, b) => b.progress.seq - a.progress.seq)[0];
  if (last === undefined || !hasVerdict(last.progress)) return undefined;
  if ((plan.spec.attempt ?? 1) > (last.spec.attempt ?? 1)) return undefined;
  return `leads where a roll-out has ended ${last.progress.phase} (${last.progress.reason ?? ''}); put the manifest back, or change it`;
}

function hasVerdict(progress: Progress): boolean {
  if (progress.phase === 'Halted' || progress.phase === 'Aborted') return true;
  return progress.phase === 'Reverted' && progress.cause !== 'git';
}

/** An expiry that cannot be read has passed: a word that may be too old is not acted on. */
function isExpired({ spec: { expires } }: Command, now: number): boolean {
  return expires !== undefined && !(Date.parse(expires) > now);
}

function approvesAStep(command: Command, accepted: Accepted): boolean {
  const steps = accepted.spec.steps.slice(accepted.progress.step);
  return (
    command.spec.digest === accepted.spec.digest &&
    steps.some((step) => step.approve !== undefined && step.id === command.spec.step)
  );
}

function stepIs({ view, accepted, now }: Situation, is: 'done' | 'failed'): Found | undefined {
  if (accepted === undefined) return undefined;
  const { phase } = accepted.progress;
  if (phase === 'Reverting') {
    return is === 'done' && revertDone(view, accepted) ? { message: 'every pod is back' } : undefined;
  }
  if (columnOf(phase) !== 'active') return undefined;
  const step = judgeStep(view, accepted, accepted.progress, now);
  if (step.is !== is) return undefined;
  return { message: step.is === 'failed' ? step.message : 'the step is done', step };
}

function rank(mode: Mode): number {
  return MODES.indexOf(mode);
}
