import type { Accepted, Progress } from './memory.ts';
import type { RolloutView } from './rollout-view.ts';
import type { ProgressClock } from './advance-input.ts';
import { podsAt } from './pods-at.ts';
import { boundedRestarts } from './record-limit.ts';

/** Milliseconds after which a running clock is observed again. It is written no more often. */
export const CLOCK_OBSERVE_MS = 30_000;
/** Milliseconds between two reconciles beyond which the time between them does not count as observed. */
const ABSENT_MS = 60_000;

/** Progress with its clocks up to now. The progress clock counts only if it is of this step of this plan. */
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
  const elapsed = same ? now - progressClock.at : 0;
  // No time counts as observed if the system clock was set back, the reconcile came late, or a cache was stale.
  const observed =
    same &&
    progressClock.counting !== undefined &&
    progressClock.at >= inSyncSince &&
    elapsed > 0 &&
    elapsed <= ABSENT_MS;
  const passed = observed ? elapsed : 0;
  const better = available > known.best;
  const counting = same ? progressClock.counting : undefined;
  const step = counting === 'capacity' ? 0 : passed;
  const passing = counting === 'passing' ? passed : 0;
  return {
    ...progress,
    ...(same && awayIn(progressClock)),
    clockMs: known.clockMs + step,
    // For a check step a passing check is progress, as an available pod is for an update step.
    idleMs: better || passing > 0 ? 0 : known.idleMs + step,
    best: better ? available : known.best,
    passMs: positive((known.passMs ?? 0) + passing),
    capacityMs: positive(better ? 0 : (known.capacityMs ?? 0) + passed - step),
  };
}

/** What the progress in memory knows of units that are away, where it is ahead of the record. */
function awayIn({ away: { isAhead }, progress: known }: ProgressClock): Partial<Progress> {
  if (!isAhead) return {};
  const { away, down, baseline } = known;
  return { away, down, baseline };
}

/**
 * Removes recovered pods from the baseline: what breaks them from now on counts against the change. Restarts of the revision `to` until
 * then do not.
 */
export function withoutRecovered(progress: Progress, view: RolloutView, to: string): Progress {
  const { baseline, excused } = progress;
  if (baseline.unavailable.length === 0 && excused === undefined) return progress;
  const available = view.pods.filter((pod) => pod.available);
  const working = new Set(available.map((pod) => pod.unit));
  const broken = (units: readonly string[]): string[] => units.filter((unit) => !working.has(unit));
  const left = broken(baseline.unavailable);
  const waited = excused === undefined ? undefined : broken(excused);
  if (left.length === baseline.unavailable.length && waited?.length === excused?.length) return progress;
  const recovered = new Set([...baseline.unavailable, ...(excused ?? [])]);
  const restarts = available.flatMap(({ hash, unit, restarts: n }) =>
    hash === to && n > 0 && recovered.has(unit) ? [[unit, n] as const] : [],
  );
  const next: Progress = {
    ...progress,
    baseline: { ...baseline, unavailable: left },
    excused: waited === undefined || waited.length === 0 ? undefined : waited,
  };
  if (restarts.length === 0) return next;
  const all = Object.entries({ ...baseline.restarts, ...Object.fromEntries(restarts) });
  const bounded = boundedRestarts(next, all, baseline.otherRestarts);
  return { ...next, baseline: { unavailable: left, ...bounded } };
}

/** Zero is not stored: most steps never use these clocks. */
function positive(ms: number): number | undefined {
  return ms > 0 ? ms : undefined;
}
