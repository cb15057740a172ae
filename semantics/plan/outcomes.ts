import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { accept, atStep, freshProgress } from './accept.ts';
import { facts, type Found, type Situation } from './facts.ts';
import type { Cause, Phase } from './memory.ts';
import type { PlanObject, RolloutView } from './rollout-view.ts';
import { type Blocked, blockedBy, setProgress, type State, type Turn } from './state.ts';
import { columnOf, type FactName, type Outcome, table } from './table.ts';

export interface Judged {
  fact: FactName;
  outcome: Outcome;
  found: Found;
}

/** The first row whose fact applies, and whose cell says that something follows, decides. */
export function judge(situation: Situation, pending: Map<string, Blocked>): Judged | undefined {
  const column = columnOf(situation.accepted?.progress.phase);
  for (const row of table) {
    const outcome = row.cells[column];
    if (outcome === 'stay') continue;
    const found = facts[row.fact](situation);
    if (found === undefined) continue;
    if (outcome !== 'wait') return { fact: row.fact, outcome, found };
    for (const plan of found.plans ?? [found.plan]) {
      const inForce = plan?.refused === undefined && plan?.spec.digest === situation.accepted?.spec.digest;
      if (plan !== undefined && !inForce) pending.set(plan.name, blockedBy(row.fact, { ...found, plan }));
    }
  }
  return undefined;
}

/** Does what the cell says; true when there may be more to judge. */
export function apply(state: State, judged: Judged): boolean {
  const { outcome, found, fact } = judged;
  const { accepted, view } = state.situation;
  switch (outcome) {
    case 'gone':
      state.gone = fact === 'targetDeleted';
      return false;
    case 'block':
      state.blocked = blockedBy(fact, found);
      if (found.plan !== undefined && accepted !== undefined)
        state.pending.set(found.plan.name, state.blocked);
      return false;
    case 'judge':
      return judgeObject(state, found.plan);
    case 'accept':
      return found.plan !== undefined && accept(state, found.plan, undefined, 'first');
    case 'takeOver':
      return found.plan !== undefined && accept(state, found.plan, accepted, 'first');
    case 'continue':
      return found.plan !== undefined && accept(state, found.plan, accepted, 'same');
    case 'goBack':
      turnBack(state, view.liveHash, 'git', 'WentBack', found.message);
      return true;
    case 'restart':
      setProgress(
        state,
        atStep(
          state,
          freshProgress(
            state,
            accepted?.progress.seq ?? 1,
            accepted?.spec.to.hash,
            accepted?.progress.inherited ?? [],
          ),
          0,
        ),
        {
          reason: 'Restarted',
          message: found.message,
          warning: false,
        },
      );
      return true;
    case 'halt':
      end(
        state,
        'Halted',
        'failure',
        fact === 'unlistedPod' ? 'UnplannedRevision' : 'ModeMismatch',
        found.message,
      );
      return true;
    case 'fail':
      fail(state, found);
      return true;
    case 'next':
      return next(state);
    case 'keep':
      return answer(state, found, true);
    case 'refuse':
      return answer(state, { ...found, message: refusal(fact, found, accepted?.progress.phase) }, false);
    case 'stay':
    case 'wait':
    case 'never':
      throw new Error(
        `the roll-out of ${view.name} is in a state that cannot be: ${fact} in ${accepted?.progress.phase ?? 'Pending'}`,
      );
  }
}

/** The plan object present is judged as if none had been accepted before; the verdicts of old ones still stand. */
function judgeObject(state: State, plan: PlanObject | undefined): boolean {
  if (plan === undefined) return false;
  const { accepted: before } = state.situation;
  const alone: Situation = { ...state.situation, accepted: undefined, before, plans: [plan], commands: [] };
  const judged = judge(alone, state.pending);
  if (judged?.outcome === 'accept') return accept(state, plan, undefined, 'first');
  if (judged !== undefined) state.pending.set(plan.name, blockedBy(judged.fact, judged.found));
  return false;
}

/** The step is done: on to the next one, or the end; a roll-out that went back is over. */
function next(state: State): boolean {
  const { accepted, view } = state.situation;
  if (accepted === undefined) return false;
  const { progress, spec } = accepted;
  if (progress.phase === 'Reverting') {
    const goal = progress.goal ?? view.stable;
    const held = goal === view.stable ? stillHeld(view) : undefined;
    // What was taken from the held pods on the way is not held any more.
    if (progress.cause === 'git' || held?.n !== view.held?.n)
      state.writes.push({ do: 'complete', hash: goal, held });
    const phase: Phase = 'Reverted';
    setProgress(
      state,
      { ...progress, phase },
      {
        reason: 'RolledBack',
        message: `every pod is at ${view.nameOf(goal)} again`,
        warning: progress.cause !== 'git',
      },
    );
    return true;
  }
  const step = spec.steps[progress.step];
  const following = spec.steps[progress.step + 1];
  if (following !== undefined) {
    const of = `step ${progress.step + 2} of ${spec.steps.length}, ${following.id}`;
    setProgress(state, atStep(state, progress, progress.step + 1), {
      reason: 'StepStarted',
      message: `${step?.id ?? ''} is done; ${of}`,
      warning: false,
    });
    return true;
  }
  state.writes.push({ do: 'complete', hash: spec.to.hash, held: heldBehind(view, spec) });
  setProgress(
    state,
    {
      ...progress,
      phase: 'Succeeded',
      step: spec.steps.length,
      reason: 'Completed',
      message: 'every step is done',
    },
    { reason: 'PlanSucceeded', message: 'every step is done', warning: false },
  );
  return true;
}

/** The held pods that are still at their revision. */
function stillHeld({ held, pods }: RolloutView): { hash: string; n: number } | undefined {
  const n = pods.filter((pod) => pod.hash === held?.hash).length;
  return held === undefined || n === 0 ? undefined : { hash: held.hash, n: Math.min(held.n, n) };
}

/** The pods that the bound in `to` keeps back: most of them share a revision, and that one is remembered. */
function heldBehind(view: RolloutView, spec: RolloutPlanSpec): { hash: string; n: number } | undefined {
  const counts = new Map<string, number>();
  for (const pod of view.pods) {
    if (pod.hash !== undefined && pod.hash !== spec.to.hash)
      counts.set(pod.hash, (counts.get(pod.hash) ?? 0) + 1);
  }
  const [most] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return most === undefined
    ? undefined
    : { hash: most[0], n: [...counts.values()].reduce((a, b) => a + b, 0) };
}

/** The step failed: freeze, or go to the stable revision, never to one in between. */
function fail(state: State, found: Found): void {
  const { accepted, view } = state.situation;
  const step = found.step;
  if (accepted === undefined || step?.is !== 'failed') return;
  const { spec, progress } = accepted;
  const failing = spec.steps.slice(0, progress.step + 1);
  // A gate without its own answer has that of the update step before it.
  const onFailure = failing.at(-1)?.onFailure ?? failing.findLast((s) => s.update)?.onFailure ?? 'Halt';
  // In a continuation `stable` is where the plan leads: there is nothing to go back to.
  const canGoBack = spec.irreversible === undefined && view.stable !== spec.to.hash;
  if (onFailure === 'Revert' && canGoBack) {
    turnBack(state, view.stable, 'failure', step.reason, step.message);
  } else {
    end(state, 'Halted', 'failure', step.reason, step.message);
  }
}

function turnBack(state: State, goal: string, cause: Cause, reason: string, message: string): void {
  const { accepted, view } = state.situation;
  if (accepted === undefined) return;
  setProgress(
    state,
    { ...accepted.progress, phase: 'Reverting', cause, goal, reason, message },
    {
      reason: 'GoingBack',
      message: `goes back to ${view.nameOf(goal)}: ${message}`,
      warning: cause === 'failure',
    },
  );
}

function end(state: State, phase: Phase, cause: Cause, reason: string, message: string): void {
  const { accepted } = state.situation;
  if (accepted === undefined) return;
  setProgress(
    state,
    { ...accepted.progress, phase, cause, reason, message },
    { reason: phase, message, warning: true },
  );
}

/** An approval that fits is refused for where the roll-out stands; what else is refused says why by itself. */
function refusal(fact: FactName, found: Found, phase: Phase = 'Pending'): string {
  return fact === 'approve' ? `refused: ${found.message}, and the roll-out is ${phase}` : found.message;
}

/** Answers a command, once: it is remembered by uid on the plan in force. */
function answer(state: State, found: Found, kept: boolean): boolean {
  const { accepted } = state.situation;
  const { command } = found;
  if (command === undefined) return false;
  state.answered.push({ uid: command.uid, name: command.name, accepted: kept, message: found.message });
  state.situation = {
    ...state.situation,
    commands: state.situation.commands.filter((c) => c.uid !== command.uid),
  };
  const turn: Turn = { reason: kept ? 'Approved' : 'CommandRefused', message: found.message, warning: !kept };
  if (accepted === undefined) {
    state.turns.push(turn);
    return true;
  }
  const { progress } = accepted;
  const approved =
    kept && command.spec.step
      ? [...new Set([...progress.approved, command.spec.step])].sort()
      : progress.approved;
  setProgress(
    state,
    { ...progress, approved, consumed: [...progress.consumed, command.uid].slice(-20) },
    turn,
  );
  return true;
}
