import type { KubeObject } from '../../schemas/wire/object.ts';
import { groupKindOf } from '../owner.ts';
import { isSameWorkload } from '../pod/workload.ts';
import { isObject } from '../values/json-shape.ts';
import { objectOf } from '../values/read.ts';
import { selectorsOverlap } from '../values/selector-overlap.ts';
import { type LabelSelector, type LabelSelectorRequirement } from '../values/selector.ts';
import { isEmptySelector, type NormalBudget } from './normalize.ts';

/**
 * The labels of the pods that a budget keeps from being evicted. Ignored ones are left out where one term selects them, as a selector cannot
 * say that not all of several terms hold. Undefined: it names a workload whose selector is unknown.
 *
 * @param workloads those that exist
 */
export function evictionSelector(
  { coverage, ignored }: Pick<NormalBudget, 'coverage' | 'ignored'>,
  workloads: readonly KubeObject[],
): LabelSelector | undefined {
  switch (coverage.by) {
    case 'nothing':
      return undefined;
    case 'selector':
      return withoutIgnored(coverage.selector, ignored);
    case 'workload': {
      const { workload } = coverage;
      const found = workloads.find((each) =>
        isSameWorkload({ ...groupKindOf(each), name: each.metadata.name }, workload),
      );
      const { selector } = objectOf(found?.['spec']);
      if (!isObject(selector) || isEmptySelector(selector)) return undefined;
      return withoutIgnored(selector, ignored);
    }
  }
}

function withoutIgnored(selector: LabelSelector, ignored: LabelSelector | undefined): LabelSelector {
  const terms = termsOf(ignored);
  const [term] = terms;
  const opposite = term === undefined || terms.length > 1 ? undefined : OPPOSITE.get(term.operator);
  if (term === undefined || opposite === undefined) return selector;
  return {
    ...selector,
    matchExpressions: [...(selector.matchExpressions ?? []), { ...term, operator: opposite }],
  };
}

/** Whether every pod that the other selector selects is selected by this one, too. */
export function selectsAllOf(selector: LabelSelector, other: LabelSelector): boolean {
  return termsOf(selector).every((term) => {
    const operator = OPPOSITE.get(term.operator);
    return operator !== undefined && !selectorsOverlap(other, { matchExpressions: [{ ...term, operator }] });
  });
}

const OPPOSITE: ReadonlyMap<string, string> = new Map([
  ['In', 'NotIn'],
  ['NotIn', 'In'],
  ['Exists', 'DoesNotExist'],
  ['DoesNotExist', 'Exists'],
]);

function termsOf(selector: LabelSelector | undefined): LabelSelectorRequirement[] {
  const labels = Object.entries(selector?.matchLabels ?? {});
  return [
    ...labels.map(([key, value]) => ({ key, operator: 'In', values: [value] })),
    ...(selector?.matchExpressions ?? []),
  ];
}
