import { partitionValue } from '../../semantics/values/int-or-percent.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Mode } from '../../semantics/template/mode.ts';
import type { Change } from '../plan/change.ts';
import { valueAt } from '../validate/schema-errors.ts';
import type { ForecastRow } from './forecast-row.ts';

/** What becomes of the volume claims of pods, at the expected number of replicas. */
export interface ClaimForecast {
  /** They stay with their pods, or with those that follow them. */
  retained: number;
  /** They go with the pods that are taken, and what is in them. */
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
 * What a rollout does to claims: in place they are not touched, and a pod that is
 * recreated takes its own with it. Those of pods that people delete are taken over, unless that is switched off. Undefined:
 * there are none.
 */
export function claimsIn(
  { base, head }: Change,
  mode: Mode,
  { moving }: Movement,
): ClaimForecast | undefined {
  if (head === undefined) return undefined;
  const { volumeClaimTemplates: templates, replicas, onDelete, policy, reuseClaims } = head.normal;
  const before = (base?.normal ?? head.normal).volumeClaimTemplates;
  if (before.length + templates.length === 0) return undefined;
  if (onDelete && reuseClaims) {
    const names = new Set(before.map(nameOf));
    const added = templates.filter((template) => !names.has(nameOf(template))).length;
    return { retained: replicas * before.length, deleted: 0, made: moving * added };
  }
  const goes = mode === 'Recreate' && policy !== 'InPlaceOnly';
  const taken = goes ? moving : 0;
  return {
    retained: (replicas - taken) * before.length,
    deleted: taken * before.length,
    made: taken * templates.length,
  };
}

function nameOf(template: JsonObject): unknown {
  return valueAt(template, ['metadata', 'name']);
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
