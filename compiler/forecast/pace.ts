import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { Mode } from '../../semantics/template/mode.ts';
import type { Target } from '../plan/target.ts';
import { leastRounds, paceOf } from './window.ts';

/**
 * How long the update steps take at the least, milliseconds: each round waits for the grace period before containers change
 * in place, and for minReadySeconds after. What pulling, starting and readiness take comes on top, and is not known.
 */
export function leastMs(steps: readonly Step[], target: Target, mode: Mode): number {
  const { normal } = target;
  if (mode === 'MetadataOnly' || normal.onDelete) return 0;
  const grace = mode === 'InPlace' ? normal.gracePeriodSeconds : 0;
  return leastRounds(steps, paceOf(target)) * (grace + normal.minReadySeconds) * 1000;
}
