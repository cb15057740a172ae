import type { JsonObject } from '../../schemas/wire/json.ts';
import type { GitManifest } from '../../semantics/kinds/git-side.ts';
import { claimTemplates, ownedPods, updatesOf, wantedReplicas } from '../../semantics/kinds/git-units.ts';
import type { Mode } from '../../semantics/template/mode.ts';
import { retainedAfter, retainedBefore } from '../plan/bound.ts';
import type { Change } from '../plan/change.ts';
import { claimMoves } from './claim-moves.ts';
import type { ClaimMoves } from './claim-moves.ts';
import { valueAt } from '../validate/schema-errors.ts';
import type { ForecastRow } from './forecast-row.ts';

/** The effect of a rollout on volume claims, at the expected number of replicas. */
export interface ClaimForecast {
  /** Claims that stay with their pods, or are reused by the replacements. */
  retained: number;
  /** Claims that are deleted with their pods, data included. */
  deleted: number;
  created: number;
  /** Pods are recreated, and their replacements of the same name reuse the claims. */
  reused?: true;
  /** Units come or go by name, beside the rollout: their claims are not in the counts above. */
  moves?: ClaimMoves;
}

/** The number of pods that change, and of those that already have the change when a continuation starts. */
export interface Movement {
  moving: number;
  done: number;
}

/**
 * Counts the pods of a rollout without those retained by the bound. A continuation changes only pods that the bound
 * retained before.
 */
export function movementOf(change: Change, replicas: number): Movement {
  const { action, base } = change;
  const before = base === undefined ? 0 : retainedBefore(base.normal, replicas);
  const after = retainedAfter(change, replicas);
  const done = action === 'Bound' ? replicas - before : 0;
  return { moving: Math.max(replicas - after - done, 0), done };
}

/**
 * The effect of a rollout on claims. An update in place does not touch them; recreating a pod deletes its claims.
 * Replacements of pods that users delete reuse the claims, unless that is disabled; those of kinds whose claims outlive pods
 * always do. Undefined: the target has no claims.
 */
export function claimsIn(change: Change, mode: Mode, { moving }: Movement): ClaimForecast | undefined {
  const { base, head } = change;
  if (head === undefined) return undefined;
  const { units } = head.normal;
  const [own, updates] = [ownedPods(units), updatesOf(units)];
  if (own === undefined || updates === undefined) return undefined;
  const { onDelete, policy } = updates;
  const { volumeClaimTemplates: templates, reuseClaims, claimsOutlivePods } = own;
  const replicas = wantedReplicas(units) ?? 0;
  const before = claimTemplates((base ?? head).normal.units);
  if (before.length + templates.length === 0) return undefined;
  const moves = claimMoves(change);
  const isRecreated = mode === 'Recreate' && policy !== 'InPlaceOnly';
  if ((onDelete && reuseClaims) || (claimsOutlivePods && (isRecreated || moves !== undefined))) {
    const names = new Set(before.map(nameOf));
    const added = templates.filter((template) => !names.has(nameOf(template))).length;
    const isReused = isRecreated && !onDelete && moving > 0;
    return {
      retained: (moves?.staying ?? replicas) * before.length,
      deleted: 0,
      created: isRecreated || onDelete ? Math.min(moving, moves?.staying ?? moving) * added : 0,
      ...(isReused && { reused: true }),
      ...(moves !== undefined && { moves }),
    };
  }
  const recreated = isRecreated ? moving : 0;
  return {
    retained: (replicas - recreated) * before.length,
    deleted: recreated * before.length,
    created: recreated * templates.length,
  };
}

/** How many claims are deleted with each pod that is recreated or scaled in. */
export function claimsLostWithPod({ units }: Pick<GitManifest, 'units'>): number {
  const own = ownedPods(units);
  return own === undefined || own.claimsOutlivePods ? 0 : own.volumeClaimTemplates.length;
}

function nameOf(template: JsonObject): unknown {
  return valueAt(template, ['metadata', 'name']);
}

/** Adds to each step the claims that it deletes and creates, in proportion to its pods. */
export function rowsWithClaims(
  rows: readonly ForecastRow[],
  { deleted, created, moves }: ClaimForecast,
  { moving, done }: Movement,
): readonly ForecastRow[] {
  // Units that come get their claims when they are created, which is no part of a step.
  if (moves !== undefined) return rows;
  let before = done;
  return rows.map((row) => {
    const count = Math.max((row.pods?.expected ?? 0) - before, 0);
    before += count;
    const part = count / Math.max(moving, 1);
    if (count === 0 || deleted + created === 0) return row;
    return { ...row, what: `${row.what}; claims: ${deleted * part} deleted, ${created * part} created` };
  });
}
