import { partitionValue } from '../../semantics/values/int-or-percent.ts';
import type { Mode } from '../../semantics/plan/envelope.ts';
import type { Change } from '../plan/change.ts';
import type { ForecastRow } from './forecast.ts';

/** What becomes of the volume claims of pods, at the expected number of replicas. */
export interface ClaimForecast {
  /** They stay with their pods. */
  kept: number;
  /** They go with the pods that are recreated, and what is in them. */
  deleted: number;
  made: number;
}

/** How many pods get a change, and how many have it already as it goes on. */
export interface Movement {
  moving: number;
  moved: number;
}

/** Of these pods, with what the partition keeps back taken off: a continuation takes only those that were kept back before. */
export function movementOf({ action, base, head }: Change, replicas: number): Movement {
  const heldIn = (state: Change['base']): number => partitionValue(state?.normal.partition ?? 0, replicas);
  const moved = action === 'Bound' ? replicas - heldIn(base) : 0;
  return { moving: Math.max(replicas - heldIn(head) - moved, 0), moved };
}

/**
 * What a roll-out does to claims (OpenKruise cloneset, rule 6.7): in place they are not touched, and a pod that is
 * recreated takes its own with it. Undefined: there are none, or people delete the pods, whose claims are taken over.
 */
export function claimsIn(
  { base, head }: Change,
  mode: Mode,
  { moving }: Movement,
): ClaimForecast | undefined {
  const each = head?.normal.volumeClaimTemplates.length ?? 0;
  const before = base?.normal.volumeClaimTemplates.length ?? each;
  if (head === undefined || before + each === 0 || head.normal.type === 'OnDelete') return undefined;
  const recreated = mode === 'Recreate' && head.normal.policy !== 'InPlaceOnly' ? moving : 0;
  return {
    kept: (head.normal.replicas - recreated) * before,
    deleted: recreated * before,
    made: recreated * each,
  };
}

/** Adds to each step what of it happens there: as many parts of it as pods of all that move. */
export function rowsWithClaims(
  rows: readonly ForecastRow[],
  { deleted, made }: ClaimForecast,
  { moving, moved }: Movement,
): ForecastRow[] {
  let before = moved;
  return rows.map((row) => {
    const count = Math.max((row.pods?.expected ?? 0) - before, 0);
    before += count;
    const part = count / Math.max(moving, 1);
    if (count === 0 || deleted + made === 0) return row;
    return { ...row, what: `${row.what}; claims: ${deleted * part} deleted, ${made * part} made` };
  });
}
