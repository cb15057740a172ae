import { lowerOf } from '../limits/window.ts';
import type { Envelope } from '../plan/envelope.ts';
import { scaleIntOrPercent } from '../values/int-or-percent.ts';
import type { NormalStatefulSet } from './normalize.ts';

/**
 * How many pods may be unavailable during an update: a percentage of `replicas` rounds down, and the result is at least 1
 * (OpenKruise advanced-statefulset, rule 6.6). With OrderedReady it is always 1.
 */
export function updateBudget(
  {
    isOrdered,
    maxUnavailable,
    replicas,
  }: Pick<NormalStatefulSet, 'isOrdered' | 'maxUnavailable' | 'replicas'>,
  { window }: Pick<Envelope, 'window'>,
): number {
  if (isOrdered) return 1;
  const lower = lowerOf(maxUnavailable, window?.maxUnavailable, replicas, 'down');
  return Math.max(scaleIntOrPercent(lower, replicas, 'down'), 1);
}

/** How many pods may be missing or unavailable while pods are created; Infinity: no limit. It rounds the same way. */
export function creationBudget({ scaleMaxUnavailable, replicas }: NormalStatefulSet): number {
  if (scaleMaxUnavailable === undefined) return Infinity;
  return Math.max(scaleIntOrPercent(scaleMaxUnavailable, replicas, 'down'), 1);
}
