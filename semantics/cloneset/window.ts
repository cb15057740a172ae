import { lowerOf } from '../limits/window.ts';
import type { Envelope } from '../plan/envelope.ts';
import { type IntOrPercent, scaleIntOrPercent } from '../values/int-or-percent.ts';
import type { NormalCloneSet } from './normalize.ts';

/** How percentages of maxUnavailable are rounded: down only where extra pods make up for it (OpenKruise cloneset, rule 6.3). */
export function unavailableRounding(maxSurge: number): 'up' | 'down' {
  return maxSurge > 0 ? 'down' : 'up';
}

/** The lower of the target's own numbers and those of the step's window, each rounded as OpenKruise rounds it. */
export function windowOf(
  {
    maxSurge: ownSurge,
    maxUnavailable,
    replicas,
  }: Pick<NormalCloneSet, 'maxSurge' | 'maxUnavailable' | 'replicas'>,
  { window }: Pick<Envelope, 'window'>,
): { maxUnavailable: IntOrPercent; maxSurge: IntOrPercent } {
  const maxSurge = lowerOf(ownSurge, window?.maxSurge, replicas, 'up');
  const round = unavailableRounding(scaleIntOrPercent(maxSurge, replicas, 'up'));
  return { maxSurge, maxUnavailable: lowerOf(maxUnavailable, window?.maxUnavailable, replicas, round) };
}

/** How many pods may be unavailable: percentages are rounded by the surge that is used (OpenKruise cloneset, rule 6.3). */
export function mostUnavailable(
  { maxUnavailable, maxSurge }: { maxUnavailable: IntOrPercent; maxSurge: IntOrPercent },
  { replicas, paused }: Pick<NormalCloneSet, 'replicas' | 'paused'>,
): number {
  const surge = paused ? 0 : scaleIntOrPercent(maxSurge, replicas, 'up');
  return scaleIntOrPercent(maxUnavailable, replicas, unavailableRounding(surge));
}
