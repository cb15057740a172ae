import { firstStepNotDone, phaseOfStep, podsAt } from './steps.ts';
import { inheritedFrom, type Listed } from './lineage.ts';
import type { Accepted, Progress } from './memory.ts';
import type { PlanObject } from './rollout-view.ts';
import { isUnderWay, type State } from './state.ts';

/**
 * Accepts a plan: its snapshot first, everything else after, so that a crash in between leaves a plan in force.
 * `replaced` is the plan it takes the place of; `at: 'same'` goes on where that one was, else it begins at step 1.
 */
export function accept(
  state: State,
  plan: PlanObject,
  replaced: Accepted | undefined,
  at: 'first' | 'same',
): boolean {
  const { memory, accepted: before } = state.situation;
  const seq = Math.max(0, ...memory.map((m) => m.progress.seq)) + 1;
  const base: Accepted = {
    name: '',
    spec: plan.spec,
    progress: freshProgress(state, seq, plan.spec.to.hash, inheritedFrom(plan.spec, before)),
    object: { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: '' } },
  };
  state.situation = { ...state.situation, accepted: base };
  begin(state, plan, base, at === 'same' ? replaced : undefined);
  if (replaced !== undefined && isUnderWay(replaced.progress.phase)) {
    const superseded: Progress = {
      ...replaced.progress,
      phase: 'Superseded',
      reason: 'TakenOver',
      message: plan.spec.digest,
    };
    state.writes.push({ do: 'progress', accepted: { ...replaced, progress: superseded } });
  }
  return true;
}

/** Where an accepted plan begins: nowhere when nothing is left to do, at the step of the plan it continues, or at step 1. */
function begin(state: State, plan: PlanObject, base: Accepted, continued: Accepted | undefined): void {
  const { view } = state.situation;
  // Where nothing is left to do nothing else would take the bound of an earlier plan away.
  const unbound = view.held !== undefined && (plan.spec.to.bound.partition ?? 0) === 0;
  const elsewhere = view.pods.some((pod) => pod.hash !== plan.spec.to.hash);
  if (view.stable === plan.spec.to.hash && !elsewhere) {
    const already =
      view.pods.length === 0
        ? 'there is no pod yet, and every one is made on it'
        : 'every pod is on it already';
    const progress: Progress = {
      ...base.progress,
      phase: 'Succeeded',
      step: plan.spec.steps.length,
      reason: 'AlreadyThere',
      message: already,
    };
    if (unbound) state.writes.push({ do: 'complete', hash: plan.spec.to.hash, held: undefined });
    acceptProgress(state, plan, progress, 'PlanSucceeded', `${plan.name}: ${already}`);
    return;
  }
  let step = 0;
  if (continued !== undefined) {
    step = continued.progress.phase === 'Succeeded' ? firstStepNotDone(view, base) : continued.progress.step;
  }
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
  const fresh = atStep(state, base.progress, step);
  // What broke under the plan that this one continues is not old: it is still held against the change.
  const carried = continued !== undefined && isUnderWay(continued.progress.phase);
  const progress = carried ? { ...fresh, baseline: continued.progress.baseline } : fresh;
  const where = `step ${step + 1} of ${plan.spec.steps.length}, ${plan.spec.steps[step]?.id ?? ''}`;
  acceptProgress(
    state,
    plan,
    progress,
    'PlanAccepted',
    `${plan.name} (${plan.spec.digest}) is in force at ${where}`,
  );
}

function acceptProgress(
  state: State,
  plan: PlanObject,
  progress: Progress,
  reason: string,
  message: string,
): void {
  state.writes.push({ do: 'accept', spec: plan.spec, progress });
  state.turns.push({ reason, message, warning: false });
  const accepted = state.situation.accepted;
  if (accepted !== undefined) state.situation = { ...state.situation, accepted: { ...accepted, progress } };
}

/** Progress of a plan that begins now; what is already wrong is written down and not held against it. */
export function freshProgress(
  state: State,
  seq: number,
  to: string | undefined,
  inherited: readonly Listed[],
): Progress {
  const { view, now, accepted } = state.situation;
  // Only pods that are at `to` already: a pod's restarts count from the end of its own update.
  const restarted = podsAt(view, to ?? '')
    .filter((pod) => pod.restarts > 0)
    .map((pod) => [pod.uid, pod.restarts] as const);
  return {
    seq,
    phase: 'Running',
    step: 0,
    frozenN: view.replicas,
    clockMs: 0,
    idleMs: 0,
    best: podsAt(view, to ?? '').filter((pod) => pod.available).length,
    stepSince: now,
    baseline: {
      unavailable: view.pods
        .filter((pod) => !pod.available)
        .map((pod) => pod.uid)
        .sort(),
      restarts: Object.fromEntries([...restarted].sort(([a], [b]) => (a < b ? -1 : 1))),
    },
    ...(inherited.length === 0 ? {} : { inherited: [...inherited] }),
    approved: [],
    consumed: accepted?.progress.consumed ?? [],
  };
}

/** The same progress at the beginning of a step: clocks at zero, N frozen anew where pods are to be taken. */
export function atStep(state: State, progress: Progress, index: number): Progress {
  const { view, accepted, now } = state.situation;
  const step = accepted?.spec.steps[index];
  const { cause: _cause, reason: _reason, message: _message, goal: _goal, ...rest } = progress;
  return {
    ...rest,
    phase: step === undefined ? 'Running' : phaseOfStep(step),
    step: index,
    frozenN: step?.update ? view.replicas : progress.frozenN,
    clockMs: 0,
    idleMs: 0,
    best: podsAt(view, accepted?.spec.to.hash ?? '').filter((pod) => pod.available).length,
    stepSince: now,
  };
}
