import type { AdvanceInput, AwayRecord } from './advance-input.ts';
import { isUnderWay, setProgress, type State } from './state.ts';

/** Milliseconds between two records of the same lists of units. */
const AWAY_RECORD_MS = 30_000;
/** The same where a node is lost. */
const LOST_RECORD_MS = 1_000;

/**
 * Lets the progress follow the units that say nothing about the change for the time being. A node that is lost is recorded at once, or a
 * second after the last record: the process that comes next would take the restart of its pod for harm. All else is recorded at most
 * every 30 seconds, and with any other change; between these it is only in memory, and the target goes on.
 *
 * Example: 800 nodes come back one after the other, or are lost so, and each reconcile finds another list. If each of these were recorded
 * before anything is done, nothing would be done.
 *
 * @param judgeAgain judges the state with what is in memory now, as the next reconcile would after a record
 */
export function recordAway(
  state: State,
  { progressClock, now }: AdvanceInput,
  judgeAgain: () => void,
): AwayRecord {
  const { accepted, view } = state.situation;
  const isKnown = progressClock !== undefined && progressClock.digest === accepted?.spec.digest;
  const before: AwayRecord = isKnown ? progressClock.away : { recordedAt: undefined, isAhead: false };
  if (accepted === undefined || !isUnderWay(accepted.progress.phase)) return { ...before, isAhead: false };
  const rules = view.rules(accepted.spec);
  const next = rules.followAway(view, accepted);
  if (next === undefined && !before.isAhead) return before;
  const sinceRecord = now - (before.recordedAt ?? 0);
  const hasLost =
    before.hasLost === true || (next !== undefined && rules.hasLost(view, accepted.progress, next));
  // The clock of the system may have been set back.
  const isDue = sinceRecord >= pauseOf({ hasLost }) || sinceRecord < 0;
  if (isDue || state.writes.length > 0) {
    setProgress(state, next ?? accepted.progress);
    return { recordedAt: now, isAhead: false };
  }
  if (next === undefined) return before;
  state.situation = { ...state.situation, accepted: { ...accepted, progress: next } };
  judgeAgain();
  return state.writes.length > 0
    ? { recordedAt: now, isAhead: false }
    : { recordedAt: before.recordedAt, isAhead: true, hasLost };
}

/** When the lists are recorded at the latest, milliseconds since 1970; undefined: the record has them. */
export function awayRecordedAt({ recordedAt = 0, isAhead, hasLost }: AwayRecord): number | undefined {
  return isAhead ? recordedAt + pauseOf({ hasLost }) : undefined;
}

function pauseOf({ hasLost = false }: Pick<AwayRecord, 'hasLost'>): number {
  return hasLost ? LOST_RECORD_MS : AWAY_RECORD_MS;
}
