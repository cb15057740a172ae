import { accept, atStep, carryOn, freshProgress } from './accept.ts';
import { withOwnRestarts } from './baseline.ts';
import { awayFrom, retainedOnTheWayBack } from './bound-state.ts';
import { answerCommand, processCommand } from './command-outcomes.ts';
import { facts } from './facts.ts';
import { judgedFromNow } from './rerun.ts';
import type { PlanObject } from './plan-object.ts';
import { podsAt } from './pods-at.ts';
import { retainedAtEnd } from './retained-units.ts';
import { selectionBefore, withRecorded } from './selection-bound.ts';
import { sizeOf } from './sizes.ts';
import type { FactDetails, JudgedFact, Situation } from './situation.ts';
import { type Blocked, blockedBy } from './blocked.ts';
import { endPlan, setProgress, type State, startRevert } from './state.ts';
import { columnOf, type FactName, table } from './table.ts';
import { countText } from '../values/text.ts';

/**
 * Finds the first row whose fact applies and whose outcome does something. Below a row that blocks, only the rows about
 * commands are judged; if none of them applies, the block is the result.
 *
 * @param pending receives why each waiting plan object waits, by its name
 */
export function judge(situation: Situation, pending: Map<string, Blocked>): JudgedFact | undefined {
  const column = columnOf(situation.accepted?.progress.phase);
  let block: JudgedFact | undefined;
  for (const { fact, cells, appliesWhenBlocked } of table) {
    const outcome = cells[column];
    if (outcome === 'stay' || (block !== undefined && !appliesWhenBlocked)) continue;
    const found = facts[fact](situation);
    if (found === undefined) continue;
    if (outcome === 'block') block = { fact, outcome, found };
    else if (outcome === 'wait') setPending(situation, fact, found, pending);
    else if (outcome === 'judge') {
      const alone = judgeObject(situation, found.plan, pending);
      if (alone !== undefined) return alone;
    } else return { fact, outcome, found };
  }
  return block;
}

/** Records that the plan objects a fact is about are pending because of it, except the active plan. */
function setPending(
  situation: Situation,
  fact: FactName,
  found: FactDetails,
  pending: Map<string, Blocked>,
): void {
  for (const plan of found.plans ?? [found.plan]) {
    const isActive = plan?.refused === undefined && plan?.spec.digest === situation.accepted?.spec.digest;
    if (plan !== undefined && !isActive) pending.set(plan.name, blockedBy(fact, { ...found, plan }));
  }
}

/**
 * Judges a plan object, and the commands about it, as if no plan had been accepted: the active plan has ended. Verdicts of
 * earlier plans still apply.
 */
function judgeObject(
  situation: Situation,
  plan: PlanObject | undefined,
  pending: Map<string, Blocked>,
): JudgedFact | undefined {
  if (plan === undefined) return undefined;
  const { accepted: before, commands } = situation;
  const own = commands.filter((command) => command.spec.digest === plan.spec.digest);
  const alone: Situation = { ...situation, accepted: undefined, before, plans: [plan], commands: own };
  const judged = judge(alone, pending);
  if (judged?.outcome !== 'block') return judged && { ...judged, object: plan };
  pending.set(plan.name, blockedBy(judged.fact, judged.found));
  return undefined;
}

/** Applies the outcome to the state. Returns true if more facts may apply afterwards. */
export function apply(state: State, judged: JudgedFact): boolean {
  const { outcome, found, fact } = judged;
  const { accepted, view } = state.situation;
  switch (outcome) {
    case 'gone':
      state.targetDeleted = fact === 'targetDeleted';
      return false;
    case 'block':
      state.blocked = blockedBy(fact, found);
      if (accepted !== undefined)
        for (const { name } of found.plans ?? (found.plan ? [found.plan] : []))
          state.pending.set(name, state.blocked);
      return false;
    case 'accept':
      return found.plan !== undefined && accept(state, found.plan, undefined, 'first');
    case 'takeOver':
      return found.plan !== undefined && accept(state, found.plan, accepted, 'first');
    case 'continue':
      return found.plan !== undefined && accept(state, found.plan, accepted, 'same');
    case 'carryOn':
      return found.plan !== undefined && accepted !== undefined && carryOn(state, found.plan, accepted);
    case 'settle':
      settle(state, found);
      return false;
    case 'goBack':
      startRevert(state, found.goal ?? view.liveHash, 'git', 'WentBack', found.message);
      return true;
    case 'restart':
      restart(state, found);
      return true;
    case 'halt':
      endPlan(
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
      return next(state, found);
    case 'keep':
    case 'refuse':
    case 'grant':
    case 'abort':
    case 'revert':
    case 'pause':
    case 'unpause':
    case 'resume':
      processCommand(state, judged);
      return true;
    case 'judge':
    case 'stay':
    case 'wait':
    case 'never':
      throw new Error(
        `the rollout of ${view.name} is in a state that cannot be: ${fact} in ${accepted?.progress.phase ?? 'Pending'}`,
      );
  }
}

/** Another revision becomes stable. The plan that waits for that is judged again once this is recorded. */
function settle(state: State, { goal, message }: FactDetails): void {
  if (goal === undefined) return;
  state.writes.push({ do: 'complete', hash: goal, retained: undefined });
  state.transitions.push({ reason: 'StableMoved', message, warning: false });
}

/** The active plan starts again at step 1: the manifest returned to its revision, or a user sent Resume. */
function restart(state: State, found: FactDetails): void {
  const { accepted, view, now } = state.situation;
  if (accepted === undefined) return;
  const { seq, inherited = [], before, recorded } = accepted.progress;
  if (found.command !== undefined) answerCommand(state, found.command, 'Accepted', found.message);
  const fresh = freshProgress(state, seq, accepted.spec.to.hash, inherited);
  // A change in git ends no pause; the command Resume does.
  const paused = found.command === undefined ? accepted.progress.paused : undefined;
  setProgress(
    state,
    {
      ...atStep(state, fresh, 0),
      // The plan was accepted once, and a revert still leads to the revision that was stable then, and to its bound.
      // Limits that were loosened since hold from the next plan.
      ...(before === undefined ? {} : { before }),
      ...(recorded === undefined ? {} : { recorded }),
      ...(paused === undefined ? {} : { paused }),
      ...(found.command !== undefined && judgedFromNow(view, now)),
    },
    {
      reason: found.command === undefined ? 'Restarted' : 'Resumed',
      message: found.message,
      warning: false,
    },
  );
}

/** The step is done: the next one starts, or the plan has succeeded. A reverting rollout is Reverted. */
function next(state: State, { step: judged }: Pick<FactDetails, 'step'>): boolean {
  const { accepted, view } = state.situation;
  if (accepted === undefined) return false;
  const { progress, spec } = accepted;
  if (progress.phase === 'Reverting' && !view.rules().hasStable) {
    const { paused: _paused, ...rest } = progress;
    const message = `no further node begins; it was started on ${podsAt(view, spec.to.hash).length}`;
    setProgress(state, { ...rest, phase: 'Reverted' }, { reason: 'RolledBack', message, warning: false });
    return true;
  }
  if (progress.phase === 'Reverting') {
    const goal = progress.goal ?? view.stable;
    const retainedPods = retainedOnTheWayBack(view, accepted, goal);
    // Pods that the rollout took from the retained ones are not retained any more.
    if (progress.cause === 'git' || retainedPods?.n !== view.retained?.n) {
      const selection = progress.cause === 'git' ? selectionBefore(view, progress, goal) : undefined;
      state.writes.push({
        do: 'complete',
        hash: goal,
        retained: retainedPods,
        ...(selection !== undefined && { selection }),
      });
      // A plan to the goal that has waited has nothing left to do: neither gates nor soaks.
      state.situation = {
        ...state.situation,
        view: { ...withRecorded(view, selection), stable: goal },
      };
    }
    // What was away or down meanwhile is of no use any more, and a record has room for few names.
    const { paused: _paused, unreverted: _unreverted, away: _away, down: _down, ...rest } = progress;
    const unreverted = view.rules(accepted.spec).unreverted(view, accepted);
    const others = awayFrom(view, accepted, goal).length - unreverted.length;
    const staysElsewhere = view.pods.some(({ hash }) => hash !== goal);
    setProgress(
      state,
      { ...rest, phase: 'Reverted', ...(unreverted.length > 0 && { unreverted }) },
      {
        reason: 'RolledBack',
        message:
          others === 0
            ? `every pod ${staysElsewhere ? 'that the plan has moved ' : ''}is at ${view.nameOf(goal)} again${butFor(unreverted)}`
            : `new pods are created at ${view.nameOf(goal)} again; ${others} stay as they are until they are deleted`,
        warning: progress.cause !== 'git',
      },
    );
    return true;
  }
  const step = spec.steps[progress.step];
  const following = spec.steps[progress.step + 1];
  const without = judged?.is === 'done' && judged.without !== undefined ? `, ${judged.without}` : '';
  if (following !== undefined) {
    const of = `step ${progress.step + 2} of ${spec.steps.length}, ${following.id}`;
    const updated = step?.update === undefined ? progress : withOwnRestarts(view, spec.to.hash, progress);
    setProgress(state, atStep(state, updated, progress.step + 1), {
      reason: 'StepStarted',
      message: `${step?.id ?? ''} is done${without}; ${of}`,
      warning: false,
    });
    return true;
  }
  state.writes.push({
    do: 'complete',
    hash: spec.to.hash,
    retained: view.rules().hasStable ? retainedAtEnd(view, accepted) : undefined,
    ...(spec.attempt === undefined ? {} : { attempt: spec.attempt }),
  });
  setProgress(
    state,
    {
      ...progress,
      phase: 'Succeeded',
      step: spec.steps.length,
      reason: 'Completed',
      message: `every step is done${without}`,
    },
    { reason: 'PlanSucceeded', message: `every step is done${without}`, warning: false },
  );
  return true;
}

/** What a way back has ended without, as the end of a sentence. */
function butFor({ length }: readonly string[]): string {
  if (length === 0) return '';
  return `, but for ${countText(length, 'node')} that ${length === 1 ? 'is' : 'are'} not Ready, and ${length === 1 ? 'follows' : 'follow'}`;
}

/** The step failed: halt, or revert to the stable revision, as `onFailure` says. */
function fail(state: State, found: FactDetails): void {
  const { accepted, view } = state.situation;
  const step = found.step;
  if (accepted === undefined || step?.is !== 'failed') return;
  const { spec, progress } = accepted;
  const failing = spec.steps.slice(0, progress.step + 1);
  // A gate without its own `onFailure` uses that of the update step before it.
  const onFailure = failing.at(-1)?.onFailure ?? failing.findLast(sizeOf)?.onFailure ?? 'Halt';
  // In a continuation `stable` is the plan's own revision: there is nothing to revert to.
  const canGoBack = view.rules().hasStable && spec.irreversible === undefined && view.stable !== spec.to.hash;
  if (onFailure === 'Revert' && canGoBack) {
    startRevert(state, view.stable, 'failure', step.reason, step.message);
  } else {
    endPlan(state, 'Halted', 'failure', step.reason, step.message);
  }
}
