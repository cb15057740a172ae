import { excusing, takeBaseline } from './baseline.ts';
import { boundNow, recordOf } from './bound-state.ts';
import { continuedRerun, finishedBefore, rerunOf } from './rerun.ts';
import { opensToNewPods } from './new-pods.ts';
import { opensFurther } from './selection-bound.ts';
import { statedPartition } from './stated-partition.ts';
import { podsAt } from './pods-at.ts';
import { sizeOf } from './sizes.ts';
import { phaseOfStep } from './step.ts';
import { firstStepNotDone } from './steps.ts';
import { inheritedFrom } from './lineage.ts';
import { type Accepted, type Listed, type Progress, previouslyAccepted } from './memory.ts';
import type { RolloutView, StepStart } from './rollout-view.ts';
import type { PlanObject } from './plan-object.ts';
import { latestChange } from './later-pods.ts';
import { downAccepted, downOf } from './nodes-down.ts';
import { fitting } from './record-limit.ts';
import { isUnderWay, replacedBy, type State } from './state.ts';
import { columnOf } from './table.ts';
import { isSameSelector } from '../values/selector.ts';

/**
 * Accepts a plan. Its record is written first, so that a crash in between leaves an active plan.
 *
 * @param replaced the plan that it replaces
 * @param at `same`: it continues at the step of the replaced plan; `first`: it starts at its step 1
 */
export function accept(
  state: State,
  plan: PlanObject,
  replaced: Accepted | undefined,
  at: 'first' | 'same',
): boolean {
  const { memory, accepted: before, view } = state.situation;
  const fresh = freshProgress(state, nextSeq(state), plan.spec.to.hash, inheritedFrom(plan.spec, before));
  const record = previouslyAccepted(memory, plan.spec.digest)?.progress;
  const base: Accepted = {
    name: '',
    spec: plan.spec,
    progress: {
      ...fresh,
      ...finishedBefore(view, plan.spec, state.situation.now),
      // A pause of the target also applies to the plans that follow.
      ...(replaced?.progress.paused === undefined ? {} : { paused: replaced.progress.paused }),
      approved: record?.approved ?? [],
      consumed: [...fresh.consumed, ...(record?.consumed ?? [])],
    },
    object: { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: '' } },
  };
  state.situation = { ...state.situation, accepted: base };
  begin(state, plan, base, replaced, at);
  const superseded = replaced && replacedBy(plan.spec.digest, replaced);
  if (superseded !== undefined) state.writes.push({ do: 'progress', accepted: superseded });
  return true;
}

/**
 * A plan goes on where another one is: only limits, or steps to come, are others. It has the phase, the step, the clocks, the
 * baseline and the verdict of that one, and nothing that was approved for it. A plan that has succeeded sends no Event.
 */
export function carryOn(state: State, plan: PlanObject, replaced: Accepted): boolean {
  const { memory, view, accepted } = state.situation;
  const { approved: _approved, recorded, ...progress } = replaced.progress;
  const inherited = inheritedFrom(plan.spec, accepted);
  const record = previouslyAccepted(memory, plan.spec.digest)?.progress;
  const next: Progress = {
    ...progress,
    seq: nextSeq(state),
    inherited,
    // Loosened limits hold from here. The order stays as it is until the change is rolled out.
    recorded: { ...view.limits.recorded(), ...recorded, limits: view.limits.written },
    approved: record?.approved ?? [],
    consumed: [...progress.consumed, ...(record?.consumed ?? [])],
  };
  state.situation = { ...state.situation, accepted: { ...replaced, spec: plan.spec } };
  const { steps, digest } = plan.spec;
  const where = steps[progress.step]?.id ?? '';
  const message = `${plan.name} (${digest}) continues ${replaced.spec.digest}, which is ${progress.phase} at ${where}`;
  acceptProgress(state, plan, next, 'PlanAccepted', message);
  if (progress.phase === 'Succeeded') state.transitions.pop();
  const superseded = replacedBy(digest, replaced);
  if (superseded !== undefined) state.writes.push({ do: 'progress', accepted: superseded });
  return true;
}

/** Starts an accepted plan: at the step of the plan it continues, or at step 1. It ends at once if nothing is left to do. */
function begin(
  state: State,
  plan: PlanObject,
  base: Accepted,
  replaced: Accepted | undefined,
  at: 'first' | 'same',
): void {
  const continued = at === 'same' ? replaced : undefined;
  const { view } = state.situation;
  // If nothing is left to do, no later step would remove the bound of an earlier plan.
  const unbound = view.retained !== undefined && statedPartition(plan.spec.to.bound) === 0;
  const rules = view.rules(plan.spec);
  if (rules.isComplete(view, plan.spec)) {
    const already = rules.alreadyThere(view);
    const progress: Progress = {
      ...base.progress,
      phase: 'Succeeded',
      step: plan.spec.steps.length,
      reason: 'AlreadyThere',
      message: already,
    };
    if (unbound) state.writes.push({ do: 'complete', hash: plan.spec.to.hash, retained: undefined });
    acceptProgress(state, plan, progress, 'PlanSucceeded', `${plan.name}: ${already}`);
    return;
  }
  const step = continued === undefined ? 0 : continuedStep(view, base, continued);
  if (step >= plan.spec.steps.length) {
    const progress: Progress = {
      ...base.progress,
      phase: 'Succeeded',
      step,
      reason: 'Completed',
      message: 'nothing is left to do',
    };
    acceptProgress(state, plan, progress, 'PlanSucceeded', `${plan.name}: nothing is left to do`);
    return;
  }
  // Pods that broke under the plan that this one continues still count against the change.
  const carried = continued !== undefined && isUnderWay(continued.progress.phase);
  const failed = continued !== undefined && continued.progress.phase === 'Halted';
  // Its sizes are those of that one where it goes on in the same step.
  const isSameStep = (carried || failed) && step === continued.progress.step;
  const before = isSameStep ? { ...base.progress, ...startOf(continued.progress), step } : base.progress;
  const fresh = atStep(state, before, step);
  const excused = failed ? excusing(view, plan.spec.to.hash, continued.progress) : undefined;
  const joined: Progress = {
    ...fresh,
    ...(carried
      ? {
          baseline: continued.progress.baseline,
          down: continued.progress.down,
          ...continuedRerun(continued.progress),
        }
      : {}),
    ...(failed
      ? {
          ...excused,
          down: continued.progress.down,
          ...downAccepted(view, { ...continued.progress, ...excused }),
        }
      : {}),
  };
  // Its lists are of two plans, and a record has room for few names.
  const away = joined.away && fitting(joined, 'away', joined.away);
  const progress = away === undefined ? joined : { ...joined, away };
  const where = `step ${step + 1} of ${plan.spec.steps.length}, ${plan.spec.steps[step]?.id ?? ''}`;
  const attempt = (plan.spec.attempt ?? 1) > 1 ? `, attempt ${plan.spec.attempt}` : '';
  acceptProgress(
    state,
    plan,
    progress,
    'PlanAccepted',
    `${plan.name} (${plan.spec.digest}) is active at ${where}${attempt}${replacedText(replaced)}`,
  );
}

/**
 * The step at which a plan goes on. Where it opens to pods that the one before has left out, no step of that one counts.
 *
 * Example: the plan before has the steps `1`, approval, `100%`, and waits for the approval, its second step: this one goes on there.
 * If the one before has succeeded with `partition: 4` of 10 pods, this one starts at its first step that is not done: `1` and `50%`
 * are done with 6 pods, `100%` is not.
 */
function continuedStep(view: RolloutView, base: Accepted, { spec, progress }: Accepted): number {
  const hasEnded = progress.phase === 'Succeeded';
  if (opensFurther(view, base.spec, hasEnded ? undefined : spec)) return 0;
  const isSameBound = !hasEnded && isSameSelector(spec.to.bound.selector, base.spec.to.bound.selector);
  if (!isSameBound && opensToNewPods(view, base.spec)) return 0;
  return hasEnded ? firstStepNotDone(view, base) : progress.step;
}

/** Which plan was replaced, and in which phase, as the end of a sentence; '' if it had succeeded. */
function replacedText(replaced: Accepted | undefined): string {
  if (replaced === undefined || columnOf(replaced.progress.phase) === 'Succeeded') return '';
  const { spec, progress } = replaced;
  const step = spec.steps[progress.step]?.id ?? '';
  return `; it replaces ${spec.digest}, which was ${progress.phase} at ${step}`;
}

function acceptProgress(
  state: State,
  plan: PlanObject,
  progress: Progress,
  reason: string,
  message: string,
): void {
  state.writes.push({ do: 'accept', spec: plan.spec, progress });
  state.transitions.push({ reason, message, warning: false });
  const accepted = state.situation.accepted;
  if (accepted !== undefined) state.situation = { ...state.situation, accepted: { ...accepted, progress } };
}

/** The number in the order of acceptance for the plan that is accepted next. */
export function nextSeq({ situation: { memory } }: State): number {
  return Math.max(0, ...memory.map((m) => m.progress.seq)) + 1;
}

/** Progress of a plan that starts now. */
export function freshProgress(state: State, seq: number, to: string, inherited: readonly Listed[]): Progress {
  const { view, now, accepted } = state.situation;
  const baseline = takeBaseline(view, to, accepted);
  const down = downOf(view, { baseline });
  return {
    seq,
    phase: 'Running',
    step: 0,
    ...view.rules().atStart(view, undefined),
    ...down,
    ...view.rules().awayAtFirst(view, accepted, { baseline, ...down }),
    clockMs: 0,
    idleMs: 0,
    best: podsAt(view, to).filter((pod) => pod.available).length,
    ...latestChange(view, now),
    baseline,
    ...rerunOf(view, to),
    before: recordOf(boundNow(accepted, view)),
    recorded: view.limits.recorded(),
    ...(inherited.length === 0 ? {} : { inherited: [...inherited] }),
    approved: [],
    consumed: accepted?.progress.consumed ?? [],
  };
}

/** What the step of a plan has recorded of the units. */
function startOf({
  frozenN,
  missed,
  outside,
  joinedUntil,
  labeled,
  beyond,
  parts,
  away,
}: Progress): StepStart {
  return {
    frozenN,
    ...(missed !== undefined && { missed }),
    ...(outside !== undefined && { outside }),
    ...(joinedUntil !== undefined && { joinedUntil }),
    ...(labeled !== undefined && { labeled }),
    ...(beyond !== undefined && { beyond }),
    ...(parts !== undefined && { parts }),
    ...(away !== undefined && { away }),
  };
}

/** The same progress at the start of a step: clocks at zero, and the number of units frozen anew in a step that changes some. */
export function atStep(state: State, progress: Progress, index: number): Progress {
  const { view, accepted, now } = state.situation;
  const step = accepted?.spec.steps[index];
  const {
    cause: _cause,
    reason: _reason,
    message: _message,
    goal: _goal,
    atGoal: _atGoal,
    passMs: _passMs,
    capacityMs: _capacityMs,
    excused: _excused,
    labeled,
    beyond,
    parts,
    ...rest
  } = progress;
  const { frozenN, outside, joinedUntil } = progress;
  const isChange = accepted !== undefined && step !== undefined && sizeOf(step) !== undefined;
  return {
    ...rest,
    phase: step === undefined ? 'Running' : phaseOfStep(step),
    step: index,
    ...view.rules().atStart(view, progress, isChange ? { spec: accepted.spec, step: index } : undefined),
    ...(!isChange && {
      frozenN,
      ...(outside !== undefined && { outside }),
      ...(joinedUntil !== undefined && { joinedUntil }),
      ...(labeled !== undefined && { labeled }),
      ...(beyond !== undefined && { beyond }),
      ...(parts !== undefined && { parts }),
    }),
    clockMs: 0,
    idleMs: 0,
    best: podsAt(view, accepted?.spec.to.hash ?? '').filter((pod) => pod.available).length,
    ...latestChange(view, now),
  };
}
