import { lowerOf } from '../limits/window.ts';
import type { Envelope } from '../plan/envelope.ts';
import { type IntOrPercent, scaleIntOrPercent } from '../values/int-or-percent.ts';
import type { NormalCloneSet } from './normalize.ts';

/** The lower of the target's own numbers and those of the step's window, each rounded as OpenKruise rounds it. */
export function windowOf(
  { maxSurge: ownSurge, maxUnavailable, replicas }: NormalCloneSet,
  { window }: Envelope,
): { maxUnavailable: IntOrPercent; maxSurge: IntOrPercent } {
  const maxSurge = lowerOf(ownSurge, window?.maxSurge, replicas, 'up');
  const round = scaleIntOrPercent(maxSurge, replicas, 'up') > 0 ? 'down' : 'up';
  return { maxSurge, maxUnavailable: lowerOf(maxUnavailable, window?.maxUnavailable, replicas, round) };
}
