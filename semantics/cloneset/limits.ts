import { type KindLimits, limitAt, type Limits, lowerOf, type Window } from '../limits/window.ts';
import type { Envelope } from '../plan/envelope.ts';
import { type IntOrPercent, scaleIntOrPercent } from '../values/int-or-percent.ts';
import { normalizeCloneSet, type NormalCloneSet } from './normalize.ts';

const STRATEGY = ['spec', 'updateStrategy'];
const ROLLING = [...STRATEGY, 'rollingUpdate'];

/** How many pods of a CloneSet change at once (OpenKruise cloneset, rule 6.3). Either version has its own fields. */
export const cloneSetLimits: KindLimits = {
  windowFields(manifest) {
    const { maxUnavailable, maxSurge } = normalizeCloneSet(manifest);
    return { maxUnavailable, maxSurge };
  },
  inUnits,
  order: [ROLLING, STRATEGY].flatMap((at) => [
    [...at, 'priorityStrategy'],
    [...at, 'scatterStrategy'],
  ]),
  minReadySeconds: () => ['spec', 'minReadySeconds'],
};

function inUnits({ maxUnavailable, maxSurge }: Window, replicas: number): Limits {
  const surge = maxSurge === undefined ? undefined : limitAt(maxSurge, replicas, 'up');
  return {
    ...(maxUnavailable !== undefined && {
      maxUnavailable: limitAt(maxUnavailable, replicas, unavailableRounding(surge?.count ?? 0)),
    }),
    ...(surge !== undefined && { maxSurge: surge }),
  };
}

/** How percentages of maxUnavailable are rounded: down only where extra pods make up for it (OpenKruise cloneset, rule 6.3). */
function unavailableRounding(maxSurge: number): 'up' | 'down' {
  return maxSurge > 0 ? 'down' : 'up';
}

/** The target's own limits, or the lower of these and the envelope's, as counts. */
export function limitsUnder(
  spec: Pick<NormalCloneSet, 'maxSurge' | 'maxUnavailable' | 'replicas'>,
  { window }: Pick<Envelope, 'window'>,
): { maxUnavailable: IntOrPercent; maxSurge: IntOrPercent } {
  const { maxSurge, maxUnavailable, replicas } = spec;
  if (window === undefined) return { maxSurge, maxUnavailable };
  const lower = lowerOf(cloneSetLimits, { maxSurge, maxUnavailable }, window, replicas);
  return { maxUnavailable: lower.maxUnavailable?.count ?? 0, maxSurge: lower.maxSurge?.count ?? 0 };
}

/** How many pods may be unavailable: percentages are rounded by the surge that is used (OpenKruise cloneset, rule 6.3). */
export function mostUnavailable(
  { maxUnavailable, maxSurge }: { maxUnavailable: IntOrPercent; maxSurge: IntOrPercent },
  { replicas, paused }: Pick<NormalCloneSet, 'replicas' | 'paused'>,
): number {
  const surge = paused ? 0 : scaleIntOrPercent(maxSurge, replicas, 'up');
  return scaleIntOrPercent(maxUnavailable, replicas, unavailableRounding(surge));
}
