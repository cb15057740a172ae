import type { KubeObject } from '../../schemas/wire/object.ts';
import type { PodLabel } from '../influence/influence.ts';
import { belongsTo } from '../pod/workload.ts';
import { requiredLabels, selectorPredicate } from '../values/selector.ts';
import type { Coverage, NormalBudget } from './normalize.ts';
import { NO_PROTECT_ANNOTATION } from './resource.ts';

/** Whether a budget covers pods of its namespace. The version of a workload does not identify it. */
export function covering(coverage: Coverage): (pod: KubeObject) => boolean {
  switch (coverage.by) {
    case 'selector': {
      const matches = selectorPredicate(coverage.selector);
      return ({ metadata }) => matches(metadata.labels);
    }
    case 'workload': {
      const { workload } = coverage;
      return (pod) => belongsTo(pod, workload);
    }
    case 'nothing':
      return () => false;
  }
}

/** Labels that each pod has which a budget covers. */
export function coveredLabels(coverage: Coverage): readonly PodLabel[] {
  return coverage.by === 'selector' ? requiredLabels(coverage.selector) : [];
}

/** The values that Go reads as true, without regard to anything else. */
export const TRUE_VALUES: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/** Whether a pod takes no slot of its budget, whatever is done to it: it says so, or the budget leaves it out. */
export function exempting({ ignored }: Pick<NormalBudget, 'ignored'>): (pod: KubeObject) => boolean {
  const isIgnored = selectorPredicate(ignored);
  return ({ metadata: { annotations, labels } }) =>
    TRUE_VALUES.has(annotations?.[NO_PROTECT_ANNOTATION] ?? '') || isIgnored(labels);
}
