import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { NormalCloneSet } from '../../semantics/cloneset/normalize.ts';
import type { Mode } from '../../semantics/template/mode.ts';
import { leastRounds } from './window.ts';

/**
 * How long the update steps take at the least, milliseconds: each round waits for the grace period before containers change
 * in place, and for minReadySeconds after. What pulling, starting and readiness take comes on top, and is not known.
 */
export function leastMs(steps: readonly Step[], normal: NormalCloneSet, mode: Mode): number {
  if (mode === 'MetadataOnly' || normal.type === 'OnDelete') return 0;
  const grace = mode === 'InPlace' ? normal.gracePeriodSeconds : 0;
  return leastRounds(steps, normal) * (grace + normal.minReadySeconds) * 1000;
}
