import { type IntOrPercent, scaleIntOrPercent } from '../values/int-or-percent.ts';
import { mostUnavailable } from './limits.ts';

/** Pods of one side (old or new), counted by class. Each pod is in the first class that applies. */
export interface SideCounts {
  /** In lifecycle state PreparingDelete. */
  preparingDelete: number;
  /** Marked for deletion by label or by `podsToDelete`. */
  toDelete: number;
  /** Live, not marked, not available. */
  unavailable: number;
  /** Live, not marked, available. */
  available: number;
}

export interface DiffInput {
  replicas: number;
  /** Wanted old pods, already resolved and clamped to [0, replicas]. */
  partition: number;
  maxUnavailable: IntOrPercent;
  maxSurge: IntOrPercent;
  /** `scaleStrategy.maxUnavailable`; undefined: no limit on creation. */
  scaleMaxUnavailable: IntOrPercent | undefined;
  /** Surge is off while paused. */
  paused: boolean;
  /** Pods may be updated now; false: they stay on their revision, and no surge is used for them. */
  moving: boolean;
  /** Surplus new pods are reverted while old ones are missing (OpenKruise's feature gate CloneSetPartitionRollback). */
  rollback?: boolean;
  /** Pods in PreparingDelete do not count as replicas. */
  excludePreparingDelete?: boolean;
  /** Under a plan, new pods in PreparingDelete still count as new: no other pod takes their place before they are gone. */
  isBounded?: boolean;
  old: SideCounts;
  new: SideCounts;
}

export interface Diff {
  useSurge: number;
  useSurgeOld: number;
  scaleUp: number;
  /** How many of `scaleUp` are created on the old revision; may exceed `scaleUp`, and means all then. */
  scaleUpOld: number;
  scaleUpLimit: number;
  scaleDown: number;
  /** How many of `scaleDown` are old pods; may exceed `scaleDown`, and means all then. */
  scaleDownOld: number;
  /** How many ready pods this decision may delete. */
  deleteReadyLimit: number;
  /** How many pods are to be updated; negative: so many are to be reverted. */
  update: number;
  updateMaxUnavailable: number;
}

const UNLIMITED = 2147483647;

/**
 * How many pods to create, delete and update now (OpenKruise cloneset, rule 6.3): pure arithmetic over counts. `rollback`
 * stands for the feature gate CloneSetPartitionRollback; for PreparingUpdateAsUpdate it is called with other counts. The
 * examples of the rule are its table test.
 */
export function diffCloneSet(input: DiffInput): Diff {
  const { replicas, partition } = input;
  const surgeLimit = input.paused ? 0 : scaleIntOrPercent(input.maxSurge, replicas, 'up');
  const maxUnavailable = mostUnavailable(input, input);
  const createLimit =
    input.scaleMaxUnavailable === undefined
      ? UNLIMITED
      : scaleIntOrPercent(input.scaleMaxUnavailable, replicas, 'up');

  const countOf = input.excludePreparingDelete === true ? live : total;
  const oldTotal = countOf(input.old);
  const counted = oldTotal + countOf(input.new);
  const active = total(input.old) + total(input.new);
  const toDelete = input.old.toDelete + input.new.toDelete;
  const unavailable =
    input.old.preparingDelete + input.old.unavailable + input.new.preparingDelete + input.new.unavailable;

  const moves = input.moving ? movesOf(input) : 0;
  const surge = surgeUse({ input, surgeLimit, maxUnavailable, toDelete, unavailable, moves });
  const want = replicas + surge.use;
  const wantOld = partition + surge.old;

  const scaleUp = Math.max(want - counted, 0);
  const scaleDown = Math.max(counted - toDelete - want, 0);
  return {
    useSurge: surge.use,
    useSurgeOld: surge.old,
    scaleUp,
    scaleUpOld: scaleUp > 0 ? Math.max(wantOld - oldTotal, 0) : 0,
    scaleUpLimit: Math.min(scaleUp, Math.max(createLimit - unavailable, 0)),
    scaleDown,
    scaleDownOld: scaleDown > 0 ? Math.max(oldTotal - input.old.toDelete - wantOld, 0) : 0,
    deleteReadyLimit:
      toDelete > 0 || scaleDown > 0 ? Math.max(maxUnavailable + (active - replicas) - unavailable, 0) : 0,
    update: moves,
    updateMaxUnavailable: moves === 0 ? 0 : maxUnavailable + active - replicas,
  };
}

interface SurgeInput {
  input: DiffInput;
  surgeLimit: number;
  maxUnavailable: number;
  toDelete: number;
  unavailable: number;
  moves: number;
}

/** How many pods one side has too many and the other too few: positive to be updated, negative to be reverted. */
function movesOf({
  replicas,
  partition,
  rollback,
  excludePreparingDelete,
  isBounded,
  old,
  new: fresh,
}: DiffInput): number {
  const leaving = isBounded === true && excludePreparingDelete !== true ? fresh.preparingDelete : 0;
  const oldSurplus = live(old) - partition;
  const newSurplus = live(fresh) + leaving - (replicas - partition);
  if (oldSurplus > 0 && newSurplus < 0) return Math.min(oldSurplus, -newSurplus);
  return rollback === true && oldSurplus < 0 && newSurplus > 0 ? -Math.min(-oldSurplus, newSurplus) : 0;
}

/** How much of maxSurge is used now: to replace marked pods first, or to update old ones. */
function surgeUse(s: SurgeInput): { use: number; old: number } {
  if (s.surgeLimit === 0) return { use: 0, old: 0 };
  let forDelete = 0;
  let forDeleteOld = 0;
  if (s.toDelete > 0) {
    forDelete = Math.min(Math.max(s.unavailable + s.toDelete - s.maxUnavailable, 0), s.toDelete);
    forDeleteOld = Math.max(forDelete - s.input.new.toDelete, 0);
  }
  const forUpdate = Math.abs(s.moves);
  if (forDelete >= forUpdate) {
    const use = Math.min(s.surgeLimit, forDelete);
    return { use, old: Math.min(forDeleteOld, use) };
  }
  const use = Math.min(s.surgeLimit, forUpdate);
  return { use, old: s.moves < 0 ? use : 0 };
}

/** Live = not PreparingDelete; marked pods are live. */
function live(side: SideCounts): number {
  return side.toDelete + side.unavailable + side.available;
}

function total(side: SideCounts): number {
  return side.preparingDelete + live(side);
}
