import { type IntOrPercent, scaleIntOrPercent } from '../values/int-or-percent.ts';

/** Pods of one side (old or new), counted by class. Classes exclude each other in the order they stand here. */
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
  /** `scaleStrategy.maxUnavailable`; undefined = no limit on creation. */
  scaleMaxUnavailable: IntOrPercent | undefined;
  /** Surge is off while paused. */
  paused: boolean;
  /** Pods may be taken from the old side to the new one now; false leaves them where they are and spends no surge on it. */
  moving: boolean;
  /** A surplus of new pods goes back to the old side, and a lack of old ones asks for it (gate CloneSetPartitionRollback). */
  rollback?: boolean;
  old: SideCounts;
  new: SideCounts;
}

export interface Diff {
  useSurge: number;
  useSurgeOld: number;
  scaleUp: number;
  /** Of `scaleUp`, how many at the old side's revision; may exceed it, then all are. */
  scaleUpOld: number;
  scaleUpLimit: number;
  scaleDown: number;
  /** Of `scaleDown`, how many from the old side; may exceed it, then all are. */
  scaleDownOld: number;
  /** How many ready pods this pass may delete. */
  deleteReadyLimit: number;
  /** How many pods are to move to the update revision; negative: so many go back to the old side's. */
  update: number;
  updateMaxUnavailable: number;
}

const UNLIMITED = 2147483647;

/**
 * How many pods to create, delete and update now (OpenKruise cloneset, rule 6.3, with the gate
 * PreparingUpdateAsUpdate off, and CloneSetPartitionRollback as the input says): pure arithmetic over counts. The worked cases of the
 * rule are its table test.
 */
export function diffCloneSet(input: DiffInput): Diff {
  const { replicas, partition } = input;
  const surgeLimit = input.paused ? 0 : scaleIntOrPercent(input.maxSurge, replicas, 'up');
  const maxUnavailable = scaleIntOrPercent(input.maxUnavailable, replicas, surgeLimit > 0 ? 'down' : 'up');
  const createLimit =
    input.scaleMaxUnavailable === undefined
      ? UNLIMITED
      : scaleIntOrPercent(input.scaleMaxUnavailable, replicas, 'up');

  const oldTotal = total(input.old);
  const newTotal = total(input.new);
  const active = oldTotal + newTotal;
  const toDelete = input.old.toDelete + input.new.toDelete;
  const unavailable =
    input.old.preparingDelete + input.old.unavailable + input.new.preparingDelete + input.new.unavailable;

  const moves = input.moving ? movesOf(input) : 0;
  const surge = surgeUse({ input, surgeLimit, maxUnavailable, toDelete, unavailable, moves });
  const want = replicas + surge.use;
  const wantOld = partition + surge.old;

  const scaleUp = Math.max(want - active, 0);
  const scaleDown = Math.max(active - toDelete - want, 0);
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

/** Pods that one side has too many of and the other too few: positive to the new side, negative to the old one. */
function movesOf({ replicas, partition, rollback, old, new: fresh }: DiffInput): number {
  const oldSurplus = live(old) - partition;
  const newSurplus = live(fresh) - (replicas - partition);
  if (oldSurplus > 0 && newSurplus < 0) return Math.min(oldSurplus, -newSurplus);
  return rollback === true && oldSurplus < 0 && newSurplus > 0 ? -Math.min(-oldSurplus, newSurplus) : 0;
}

/** The part of maxSurge that has a use now: replacing marked pods first, or moving old pods to new ones. */
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
