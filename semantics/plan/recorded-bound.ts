import { hasFields, isObject, isOptional, isText } from '../values/json-shape.ts';
import { isPodSelection, isSelectorShape, type PodSelection } from '../values/pod-selection.ts';
import type { LabelSelector } from '../values/selector.ts';

/**
 * What a plan records of a bound that is not its own. How many units that bound has left, and on which revision, is on record at the
 * revision that became stable with it, which outlives the plan.
 */
export interface RecordedBound {
  /** Hash of the revision that was stable under it. */
  stable: string;
  /** The selector of the only units that get this revision. Omitted: every unit may. */
  selector?: LabelSelector;
  /** Of pods of others: which of them may get this revision. Omitted: nothing was on record. */
  selection?: PodSelection;
}

export function isRecordedBound(value: unknown): boolean {
  return hasFields(value, {
    stable: isText,
    selector: isOptional(isSelectorShape),
    selection: isOptional(isPodSelection),
  });
}

/** A record of a plan with its bounds as values, or whatever else this is. Its JSON has them as fields (`boundFields`). */
export function withBounds(record: unknown): unknown {
  if (!isObject(record)) return record;
  const { stable, standing, selected, goalSelector, ...rest } = record;
  return {
    ...rest,
    ...(stable !== undefined && { before: { stable, selector: standing, selection: selected } }),
    ...(goalSelector !== undefined && { atGoal: { stable: rest['goal'], selector: goalSelector } }),
  };
}

/**
 * The fields that record what held before a plan, and what is to hold at its goal. An older runtime may continue the record, so that
 * their names never change.
 *
 * Example: `{stable: A, selector: S, selection: P}` before a plan that goes back to B, where the selector T is to hold, is recorded as
 * `stable: A`, `standing: S`, `selected: P`, `goal: B` and `goalSelector: T`.
 */
export function boundFields(
  before: RecordedBound | undefined,
  atGoal: RecordedBound | undefined,
): { stable?: string; standing?: LabelSelector; selected?: PodSelection; goalSelector?: LabelSelector } {
  return {
    ...(before !== undefined && { stable: before.stable }),
    ...(before?.selector !== undefined && { standing: before.selector }),
    ...(before?.selection !== undefined && { selected: before.selection }),
    ...(atGoal?.selector !== undefined && { goalSelector: atGoal.selector }),
  };
}
