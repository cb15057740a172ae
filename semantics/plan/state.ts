import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { clocksUpTo } from './clocks.ts';
import type { Found, Situation } from './facts.ts';
import type { Accepted, Phase, Progress } from './memory.ts';
import type { AdvanceInput } from './rollout-view.ts';
import { columnOf, type FactName } from './table.ts';

/** What must be on record before anything is done about it, in this order. */
export type MemoryWrite =
  /** The target is wholly on `hash`; `held` pods stay behind by a bound. */
  | { do: 'complete'; hash: string; held: { hash: string; n: number } | undefined }
  | { do: 'progress'; accepted: Accepted }
  /** A plan is accepted: its snapshot is created, or found again. */
  | { do: 'accept'; spec: RolloutPlanSpec; progress: Progress };

export interface Blocked {
  fact: FactName;
  reason: string;
  message: string;
}

/** One thing that happened, for Events and stories. */
export interface Turn {
  reason: string;
  message: string;
  warning: boolean;
}

/** One command that was answered in a look. */
export interface Answer {
  uid: string;
  name: string;
  accepted: boolean;
  message: string;
}

/** What one look has found so far; turned by the outcomes until nothing more follows. */
export interface State {
  situation: Situation;
  blocked: Blocked | undefined;
  gone: boolean;
  writes: MemoryWrite[];
  turns: Turn[];
  answered: Answer[];
  pending: Map<string, Blocked>;
}

export function startingState(input: AdvanceInput): State {
  const { view, plans, commands, memory, ticker, inSyncSince, now } = input;
  // A superseded plan is never in force, not even where the snapshot of its successor was lost.
  const accepted = memory
    .filter((m) => m.progress.phase !== 'Superseded')
    .sort((a, b) => b.progress.seq - a.progress.seq)[0];
  const consumed = new Set(accepted?.progress.consumed);
  return {
    situation: {
      view,
      plans,
      memory,
      commands: commands.filter((command) => !consumed.has(command.uid)),
      accepted: accepted && { ...accepted, progress: clocksUpTo(accepted, ticker, view, inSyncSince, now) },
      now,
    },
    blocked: undefined,
    gone: false,
    writes: [],
    turns: [],
    answered: [],
    pending: new Map(),
  };
}

export function setProgress(state: State, progress: Progress, turn: Turn): void {
  const { accepted } = state.situation;
  if (accepted === undefined) return;
  const changed: Accepted = { ...accepted, progress };
  state.situation = { ...state.situation, accepted: changed };
  state.turns.push(turn);
  replaceWrite(state, changed);
}

/** Several turns in one look are one write: the last state of the plan in force. */
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
 * The order in which writes are safe to be cut short: what is complete before the plan that says so, and a plan that
 * was replaced only after its successor.
 */
export function inOrder(writes: readonly MemoryWrite[]): MemoryWrite[] {
  const rank = (write: MemoryWrite): number => {
    if (write.do === 'complete') return 0;
    return write.do === 'progress' && write.accepted.progress.phase === 'Superseded' ? 2 : 1;
  };
  return [...writes].sort((a, b) => rank(a) - rank(b));
}

export function isUnderWay(phase: Phase): boolean {
  return columnOf(phase) === 'active';
}

export function blockedBy(fact: FactName, found: Found): Blocked {
  const reasons: Partial<Record<FactName, string>> = {
    targetUnsupported: 'UnsupportedSemantics',
    planUnverified: found.plan?.refused?.reason ?? 'Unverified',
    duplicatePlans: 'DuplicateTarget',
    newPlanNeither: 'NotSuperseding',
    planMissing: 'PlanMissing',
    manifestElsewhere: 'ManifestChanged',
    unlistedPod: 'UnplannedRevision',
    beyondMode: 'ModeMismatch',
    verdictStands: 'Verdict',
    targetPaused: 'TargetPaused',
  };
  return { fact, reason: reasons[fact] ?? 'Blocked', message: found.message };
}
