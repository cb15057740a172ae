import { type IntOrPercent, scaleIntOrPercent } from '../values/int-or-percent.ts';
import { mostUnavailable } from './limits.ts';

/** Pods of one side (old or new), counted by class. Each pod is in the first class that applies. */
export interface SideCounts {
  /** In lifecycle state PreparingDelete. */
  preparingDelete: number;
  /** Marked for deletion by label or by `podsToDelete`, or to be recreated. */
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
  /** The limits of updates: the lower of those of the target and of its plan. */
  maxUnavailable: IntOrPercent;
  maxSurge: IntOrPercent;
  /** The target's own limits. What a user deletes, and a scale-in, have these alone. Default: those of updates. */
  own?: { maxUnavailable: IntOrPercent; maxSurge: IntOrPercent };
  /** How many of the marked pods an update recreates. Default: none. */
  recreated?: number;
  /** How many of those that are not available hold up no update. Default: none. */
  excused?: number;
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
  /** How many of them an update may recreate. */
  recreateReadyLimit: number;
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
  const { replicas, partition, own = input, recreated = 0, excused = 0 } = input;
  const surgeLimit = surgeLimitOf(input, input);
  const maxUnavailable = mostUnavailable(input, input);
  const ownUnavailable = Math.max(mostUnavailable(own, input), maxUnavailable);
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
  const forDelete = surgeForDeletions({
    deleted: toDelete - recreated,
    recreated,
    unavailable,
    own: { maxUnavailable: ownUnavailable, maxSurge: Math.max(surgeLimitOf(own, input), surgeLimit) },
    update: { maxUnavailable, maxSurge: surgeLimit },
  });
  const surge = surgeUse({ forDelete, surgeLimit, marked: input.new.toDelete, moves });
  const want = replicas + surge.use;
  const wantOld = partition + surge.old;

  const scaleUp = Math.max(want - counted, 0);
  const scaleDown = Math.max(counted - toDelete - want, 0);
  const readyLimit = (most: number, down: number): number =>
    toDelete > 0 || scaleDown > 0 ? Math.max(most + (active - replicas) - down, 0) : 0;
  return {
    useSurge: surge.use,
    useSurgeOld: surge.old,
    scaleUp,
    scaleUpOld: scaleUp > 0 ? Math.max(wantOld - oldTotal, 0) : 0,
    scaleUpLimit: Math.min(scaleUp, Math.max(createLimit - (unavailable - excused), 0)),
    scaleDown,
    scaleDownOld: scaleDown > 0 ? Math.max(oldTotal - input.old.toDelete - wantOld, 0) : 0,
    deleteReadyLimit: readyLimit(ownUnavailable, unavailable),
    recreateReadyLimit: readyLimit(maxUnavailable, unavailable - excused),
    update: moves,
    updateMaxUnavailable: moves === 0 ? 0 : maxUnavailable + active - replicas,
  };
}

function surgeLimitOf(
  { maxSurge }: { maxSurge: IntOrPercent },
  { paused, replicas }: Pick<DiffInput, 'paused' | 'replicas'>,
): number {
  return paused ? 0 : scaleIntOrPercent(maxSurge, replicas, 'up');
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

/** Extra pods. */
interface Surge {
  /** How many would keep within maxUnavailable. */
  needed: number;
  /** How many of them maxSurge allows. */
  use: number;
}

interface Counts {
  maxUnavailable: number;
  maxSurge: number;
}

/** Extra pods for marked ones: those that an update recreates have the limits of updates, the others the target's own. */
function surgeForDeletions(s: {
  deleted: number;
  recreated: number;
  unavailable: number;
  own: Counts;
  update: Counts;
}): Surge {
  const beyond = (count: number, { maxUnavailable }: Counts): number =>
    Math.max(s.unavailable + count - maxUnavailable, 0);
  const deleted = Math.min(beyond(s.deleted, s.own), s.deleted);
  const recreated = Math.min(beyond(s.deleted + s.recreated, s.update), s.recreated);
  return {
    needed: deleted + recreated,
    use: Math.min(s.own.maxSurge, deleted + Math.min(s.update.maxSurge, recreated)),
  };
}

/**
 * How much of maxSurge is used now: to replace marked pods first, or to update old ones.
 *
 * @param marked how many marked pods are on the new side
 */
function surgeUse({
  forDelete,
  surgeLimit,
  marked,
  moves,
}: {
  forDelete: Surge;
  surgeLimit: number;
  marked: number;
  moves: number;
}): { use: number; old: number } {
  const forUpdate = Math.abs(moves);
  const useForUpdate = Math.min(surgeLimit, forUpdate);
  if (forDelete.needed >= forUpdate || forDelete.use > useForUpdate) {
    const { needed, use } = forDelete;
    return { use, old: Math.min(Math.max(needed - marked, 0), use) };
  }
  return { use: useForUpdate, old: moves < 0 ? useForUpdate : 0 };
}

/** Live = not PreparingDelete; marked pods are live. */
function live(side: SideCounts): number {
  return side.toDelete + side.unavailable + side.available;
}

function total(side: SideCounts): number {
  return side.preparingDelete + live(side);
}
