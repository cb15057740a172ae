import { type KindLimits, limitAt, lowerOf } from '../limits/window.ts';
import type { Envelope } from '../plan/envelope.ts';
import { scaleIntOrPercent } from '../values/int-or-percent.ts';
import { normalizeStatefulSet, type NormalStatefulSet } from './normalize.ts';

const ROLLING = ['spec', 'updateStrategy', 'rollingUpdate'];

/**
 * How many pods may be unavailable during an update: a percentage of `replicas` rounds down, and the result is at least 1
 * (OpenKruise advanced-statefulset, rule 6.6). With OrderedReady it is always 1.
 */
export const statefulSetLimits: KindLimits = {
  windowFields(manifest) {
    const { isOrdered, maxUnavailable } = normalizeStatefulSet(manifest);
    return { maxUnavailable: isOrdered ? 1 : maxUnavailable };
  },
  inUnits({ maxUnavailable }, replicas) {
    if (maxUnavailable === undefined) return {};
    const limit = limitAt(maxUnavailable, replicas, 'down');
    return { maxUnavailable: limit.count < 1 ? { count: 1 } : limit };
  },
  order: [[...ROLLING, 'unorderedUpdate']],
  minReadySeconds: () => [...ROLLING, 'minReadySeconds'],
};

/** The target's own limit, or the lower of that and the envelope's. */
export function updateBudget(
  spec: Pick<NormalStatefulSet, 'isOrdered' | 'maxUnavailable' | 'replicas'>,
  { window }: Pick<Envelope, 'window'>,
): number {
  const { isOrdered, maxUnavailable, replicas } = spec;
  const lower = lowerOf(
    statefulSetLimits,
    { maxUnavailable: isOrdered ? 1 : maxUnavailable },
    window,
    replicas,
  );
  return lower.maxUnavailable?.count ?? 1;
}

/** How many pods may be missing or unavailable while pods are created; Infinity: no limit. It rounds the same way. */
export function creationBudget({ scaleMaxUnavailable, replicas }: NormalStatefulSet): number {
  if (scaleMaxUnavailable === undefined) return Infinity;
  return Math.max(scaleIntOrPercent(scaleMaxUnavailable, replicas, 'down'), 1);
}
