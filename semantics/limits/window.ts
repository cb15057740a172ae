import { type IntOrPercent, scaleIntOrPercent } from '../values/int-or-percent.ts';

/**
 * The lower of the target's own number and the step's window. Percentages are compared by their count at this number of
 * replicas, rounded as the kind rounds the field.
 */
export function lowerOf(
  own: IntOrPercent,
  window: IntOrPercent | undefined,
  replicas: number,
  round: 'up' | 'down',
): IntOrPercent {
  if (window === undefined) return own;
  return scaleIntOrPercent(window, replicas, round) < scaleIntOrPercent(own, replicas, round) ? window : own;
}
