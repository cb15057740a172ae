import type { Accepted, Progress } from './memory.ts';
import type { RolloutView, ProgressClock } from './rollout-view.ts';
import { podsAt } from './sizes.ts';

/** A running clock is looked at this often, and written at most this often; a crash loses no more. */
export const CLOCK_OBSERVE_MS = 30_000;
/** A look that comes later than this after the last one was not observation but absence. */
const ABSENT_MS = 60_000;

/** Progress with its clocks up to now: what the ticker saw since the last write, if it is about this very step. */
export function clocksUpTo(
  accepted: Accepted,
  progressClock: ProgressClock | undefined,
  view: RolloutView,
  inSyncSince: number,
  now: number,
): Progress {
  const { progress } = accepted;
  const available = podsAt(view, accepted.spec.to.hash).filter((pod) => pod.available).length;
  const same =
    progressClock !== undefined &&
    progressClock.digest === accepted.spec.digest &&
    progressClock.progress.seq === progress.seq &&
    progressClock.progress.step === progress.step &&
    progressClock.progress.phase === progress.phase;
  const known = same ? progressClock.progress : progress;
  const gone = same ? now - progressClock.at : 0;
  // A clock that was set back has seen nothing; a look that came late, or saw a stale cache, has not observed.
  const observed =
    same &&
    progressClock.counting !== undefined &&
    progressClock.at >= inSyncSince &&
    gone > 0 &&
    gone <= ABSENT_MS;
  const passed = observed ? gone : 0;
  const better = available > known.best;
  const counting = same ? progressClock.counting : undefined;
  const step = counting === 'capacity' ? 0 : passed;
  const passing = counting === 'passing' ? passed : 0;
  return {
    ...progress,
    clockMs: known.clockMs + step,
    // A check that passes is what its step waits for, as an update waits for pods.
    idleMs: better || passing > 0 ? 0 : known.idleMs + step,
    best: better ? available : known.best,
    passMs: positive((known.passMs ?? 0) + passing),
    capacityMs: positive(better ? 0 : (known.capacityMs ?? 0) + passed - step),
  };
}

/** A pod that was broken and works is a working pod: what happens to it from now on is held against the change. */
export function withoutRecovered(progress: Progress, view: RolloutView): Progress {
  const { baseline, excused } = progress;
  if (baseline.unavailable.length === 0 && excused === undefined) return progress;
  const working = new Set(view.pods.filter((pod) => pod.available).map((pod) => pod.unit));
  const broken = (units: readonly string[]): string[] => units.filter((unit) => !working.has(unit));
  const left = broken(baseline.unavailable);
  const waited = excused === undefined ? undefined : broken(excused);
  if (left.length === baseline.unavailable.length && waited?.length === excused?.length) return progress;
  return {
    ...progress,
    baseline: { ...baseline, unavailable: left },
    excused: waited === undefined || waited.length === 0 ? undefined : waited,
  };
}

/** Times that most steps have none of are not written down while they are zero. */
function positive(ms: number): number | undefined {
  return ms > 0 ? ms : undefined;
}
