import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { ownedPods, updatesNone, rolloutSize } from '../../semantics/kinds/git-units.ts';
import type { Mode } from '../../semantics/template/mode.ts';
import type { Target } from '../plan/target.ts';
import { leastRounds, paceOf } from './window.ts';

/**
 * The least duration of the update steps, milliseconds: each round waits for the grace period before containers change in
 * place, and for minReadySeconds afterwards. Pulling, starting and becoming ready takes further time, which is unknown.
 *
 * @param done how many units have the change already
 */
export function leastMs(steps: readonly Step[], target: Target, mode: Mode, done = 0): number {
  const { normal } = target;
  if (mode === 'MetadataOnly' || updatesNone(normal.units)) return 0;
  const own = ownedPods(normal.units);
  if (own === undefined) return 0;
  const grace = mode === 'InPlace' ? own.gracePeriodSeconds : 0;
  const replicas = rolloutSize(normal.units) ?? 0;
  return leastRounds(steps, paceOf(target), replicas, done) * (grace + own.minReadySeconds) * 1000;
}
