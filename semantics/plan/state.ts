import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { RetainedUnits } from '../revision/revision.ts';
import type { PodSelection } from '../values/pod-selection.ts';
import { leftWhenItBegins } from './bound-state.ts';
import { clocksUpTo, withoutRecovered } from './clocks.ts';
import { activeBreakGlass } from './command-facts.ts';
import type { Blocked } from './blocked.ts';
import type { Situation } from './situation.ts';
import { type Accepted, type Cause, activePlan, type Progress } from './memory.ts';
import type { Phase } from './phases.ts';
import type { AdvanceInput } from './advance-input.ts';
import { columnOf } from './table.ts';

/** A change of the records, which must be written before it is acted on. */
export type MemoryWrite =
  /**
   * The target is complete on `hash`; a bound retains the pods of `retained` on another revision. `attempt`: of a run, the
   * one that is complete; default 1. `selection`: of pods of others, which may get it again; omitted: the rules of the kind say.
   */
  | {
      do: 'complete';
      hash: string;
      retained: RetainedUnits | undefined;
      attempt?: number;
      selection?: PodSelection;
    }
  | { do: 'progress'; accepted: Accepted }
  /** A plan is accepted: its record is created, or found if it exists already. */
  | { do: 'accept'; spec: RolloutPlanSpec; progress: Progress };

/** One thing that happened, for Events and stories. */
export interface PhaseTransition {
  reason: string;
  message: string;
  warning: boolean;
}

/** One command that was answered in a reconcile. */
export interface CommandAnswer {
  uid: string;
  name: string;
  result: 'Accepted' | 'Refused' | 'Expired';
  message: string;
}

/** What one reconcile has found so far. The outcomes change it until no further row applies. */
export interface State {
  situation: Situation;
  blocked: Blocked | undefined;
  targetDeleted: boolean;
  writes: MemoryWrite[];
  transitions: PhaseTransition[];
  answered: CommandAnswer[];
  pending: Map<string, Blocked>;
  /** Uids of the commands whose objects show no answer yet. */
  unanswered: ReadonlySet<string>;
}

export function startingState(input: AdvanceInput): State {
  const { view, plans, commands, memory, progressClock, inSyncSince, context, now } = input;
  const { breakGlassRefusal = () => undefined } = input;
  const accepted = activePlan(memory);
  const consumed = new Set(memory.flatMap((m) => m.progress.consumed));
  const open = commands.filter((command) => command.result === undefined);
  const done = (uid: string): CommandAnswer['result'] | undefined => {
    if (consumed.has(uid)) return 'Accepted';
    return consumed.has(`!${uid}`) ? 'Refused' : undefined;
  };
  // A process may have ended after a command was executed, and before its answer was written.
  const answered = open.flatMap(({ uid, name }): CommandAnswer[] => {
    const result = done(uid);
    const message = result === 'Accepted' ? 'it was executed' : 'it was refused';
    return result === undefined ? [] : [{ uid, name, result, message }];
  });
  return {
    situation: {
      view,
      plans,
      memory,
      context,
      commands: open.filter((command) => done(command.uid) === undefined),
      breakGlass: activeBreakGlass(commands, breakGlassRefusal, now),
      breakGlassRefusal,
      accepted: accepted && {
        ...accepted,
        progress: withoutRecovered(
          clocksUpTo(accepted, progressClock, view, inSyncSince, now),
          view,
          accepted.spec.to.hash,
        ),
      },
      now,
    },
    blocked: undefined,
    targetDeleted: false,
    // A process may have ended after a plan was recorded, and before the plan it replaced was marked.
    writes: memory.flatMap((m): MemoryWrite[] => {
      const over =
        accepted !== undefined && m.progress.seq < accepted.progress.seq
          ? replacedBy(accepted.spec.digest, m)
          : undefined;
      return over === undefined ? [] : [{ do: 'progress', accepted: over }];
    }),
    transitions: [],
    answered,
    pending: new Map(),
    unanswered: new Set(open.map((command) => command.uid)),
  };
}

/** Sets the progress of the active plan, and records the phase transition to report, if any. */
export function setProgress(state: State, progress: Progress, transition?: PhaseTransition): void {
  const { accepted } = state.situation;
  if (accepted === undefined) return;
  const changed: Accepted = { ...accepted, progress };
  state.situation = { ...state.situation, accepted: changed };
  if (transition !== undefined) state.transitions.push(transition);
  replaceWrite(state, changed);
}

/** Several changes of a plan in one reconcile become one write, of its last state. */
export function replaceWrite(state: State, accepted: Accepted): void {
  const { digest } = accepted.spec;
  const index = state.writes.findLastIndex(
    (w) =>
      (w.do === 'accept' && w.spec.digest === digest) ||
      (w.do === 'progress' &&
        w.accepted.spec.digest === digest &&
        w.accepted.progress.phase !== 'Superseded'),
  );
  const before = index === -1 ? undefined : state.writes.splice(index, 1)[0];
  state.writes.push(
    before?.do === 'accept'
      ? { do: 'accept', spec: before.spec, progress: accepted.progress }
      : { do: 'progress', accepted },
  );
}

/**
 * The record of a plan that another plan with this digest has replaced. One that was reverting for a failure, or by a user's
 * command, keeps its verdict. Undefined: the plan had ended already, and its record stays as it is.
 */
export function replacedBy(digest: string, replaced: Accepted): Accepted | undefined {
  const { progress } = replaced;
  const isBack = progress.phase === 'Reverting';
  if (!isBack && !isUnderWay(progress.phase)) return undefined;
  const ended: Progress =
    isBack && progress.cause !== 'git'
      ? { ...progress, phase: 'Reverted' }
      : { ...progress, phase: 'Superseded', reason: 'TakenOver', message: digest };
  return { ...replaced, progress: ended };
}

/**
 * Sorts writes so that a crash between any two of them is harmless: first that the target is complete, then the active
 * plan, then the plans that it replaced.
 */
export function inOrder(writes: readonly MemoryWrite[], current: string | undefined): MemoryWrite[] {
  const rank = (write: MemoryWrite): number => {
    if (write.do === 'complete') return 0;
    return write.do === 'progress' && write.accepted.spec.digest !== current ? 2 : 1;
  };
  return [...writes].sort((a, b) => rank(a) - rank(b));
}

export function isUnderWay(phase: Phase): boolean {
  return columnOf(phase) === 'active';
}

/** Starts a revert of every pod to one earlier revision. A paused rollout stays paused. */
export function startRevert(state: State, goal: string, cause: Cause, reason: string, message: string): void {
  const { accepted, view } = state.situation;
  if (accepted === undefined) return;
  const { atGoal: _earlier, ...progress } = accepted.progress;
  const waits = progress.paused === undefined ? '' : '; it is paused and waits for Resume';
  const isEarlier = cause === 'git' && goal !== progress.before?.stable;
  const left = leftWhenItBegins(view, accepted, goal);
  if (left !== undefined) state.writes.push({ do: 'complete', hash: goal, retained: left.retained });
  setProgress(
    state,
    {
      ...progress,
      phase: 'Reverting',
      cause,
      goal,
      ...(isEarlier && view.selector !== undefined && { atGoal: { stable: goal, selector: view.selector } }),
      reason,
      message,
    },
    {
      reason: 'GoingBack',
      message: `reverts to ${view.nameOf(goal)}: ${message}${waits}`,
      warning: cause !== 'git',
    },
  );
}

/** Ends the active plan in a phase that is a verdict on the change. */
export function endPlan(
  state: State,
  phase: Phase,
  cause: Cause,
  reason: string,
  message: string,
  goal = state.situation.accepted?.progress.goal,
): void {
  const { accepted } = state.situation;
  if (accepted === undefined) return;
  const { paused: _paused, ...progress } = accepted.progress;
  setProgress(
    state,
    { ...progress, phase, cause, reason, message, goal },
    { reason: phase, message, warning: true },
  );
}
