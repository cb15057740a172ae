import type { Accepted, Progress } from './memory.ts';
import type { RolloutView, Ticker } from './rollout-view.ts';
import { podsAt } from './steps.ts';

/** A running clock is looked at this often, and written at most this often; a crash loses no more. */
export const LOOK_MS = 30_000;
/** A look that comes later than this after the last one was not observation but absence. */
const ABSENT_MS = 60_000;

/** Progress with its clocks up to now: what the ticker saw since the last write, if it is about this very step. */
export function clocksUpTo(
  accepted: Accepted,
  ticker: Ticker | undefined,
  view: RolloutView,
  inSyncSince: number,
  now: number,
): Progress {
  const { progress } = accepted;
  const available = podsAt(view, accepted.spec.to.hash).filter((pod) => pod.available).length;
  const same =
    ticker !== undefined &&
    ticker.digest === accepted.spec.digest &&
    ticker.progress.seq === progress.seq &&
    ticker.progress.step === progress.step &&
    ticker.progress.phase === progress.phase;
  const known = same ? ticker.progress : progress;
  const gone = same ? now - ticker.at : 0;
  // A clock that was set back has seen nothing; a look that came late, or saw a stale cache, has not observed.
  const observed = same && ticker.running && ticker.at >= inSyncSince && gone > 0 && gone <= ABSENT_MS;
  const passed = observed ? gone : 0;
  const better = available > known.best;
  return {
    ...progress,
    clockMs: known.clockMs + passed,
    idleMs: better ? 0 : known.idleMs + passed,
    best: better ? available : known.best,
  };
}
