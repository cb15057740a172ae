import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { fieldsOf, type LimitField, type Window } from '../../semantics/limits/window.ts';
import { scaleIntOrPercent } from '../../semantics/values/int-or-percent.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Locate } from '../validate/schema-errors.ts';
import type { Change } from './change.ts';
import { numbersOfUnits } from './numbers-of-units.ts';

/** The limits that a step states. */
export function windowIn(step: Step | undefined): Window {
  const parallelism = step?.run?.parallelism;
  return step?.update?.window ?? (parallelism === undefined ? {} : { parallelism });
}

/**
 * Reports limits of steps that are wider than the target's own, which has no effect. Both are counted as the kind rounds them; where
 * the number of units is not in git, a limit must be wider at each example.
 *
 * @param nodes how many nodes kruise.yaml assumes
 * @param isReturn the limit is that of an option, for a change that goes back
 */
export function windowProblems(
  change: Change,
  steps: readonly Step[],
  nodes: number | undefined,
  isReturn: boolean,
  locate: Locate,
): Diagnostic[] {
  const { head, type } = change;
  if (head === undefined) return [];
  const own = type.limits.windowFields(head.manifest.object);
  const numbers = numbersOfUnits(change, nodes);
  // A limit that the kind does not read lets no unit go.
  const ownAt = (field: LimitField, units: number): number =>
    type.limits.inUnits(own, units)[field]?.count ?? 0;
  const statedAt = (window: Window, field: LimitField, units: number): number =>
    type.limits.inUnits({ ...own, ...window }, units)[field]?.count ??
    scaleIntOrPercent(window[field] ?? 0, units, 'up');
  return steps.flatMap((step) => {
    const window = windowIn(step);
    return fieldsOf(window).flatMap((field) => {
      const isWider = numbers.every((units) => statedAt(window, field, units) > ownAt(field, units));
      if (!isWider) return [];
      const args = { field, plan: String(window[field]), target: String(own[field] ?? 0), isReturn };
      return [diagnostic('KR3006', args, locate(['metadata', 'name'], 'value'))];
    });
  });
}
