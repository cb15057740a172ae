import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Need, Use } from '../kinds/need.ts';
import { isActive } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import type { PodWorkload } from '../pod/workload.ts';
import { covering } from './coverage.ts';
import { linkedBudget } from './links.ts';
import { type NormalBudget, normalizeBudget } from './normalize.ts';
import { budgetResource, LINK_ANNOTATIONS } from './resource.ts';
import { SIZED, sizedResource, sizingWorkloads } from './sizes.ts';

/** Everything that a budget may need. */
export const budgetUses: readonly Use[] = [
  { of: 'SelectedPods', mark: { of: 'annotations', records: LINK_ANNOTATIONS } },
  ...[...SIZED, budgetResource].map((resource): Use => ({ of: 'Config', resource })),
  { of: 'Children', resource: resources.PodDisruptionBudget },
  { of: 'Guards' },
];

/**
 * What a budget needs: its pods, the workloads that say how many there are to be, and the other budgets that its pods name.
 *
 * @param selected the pods, as far as they are known
 */
export function budgetNeeds(target: KubeObject, selected: readonly Pod[]): Need[] {
  const { name: own, namespace = '' } = target.metadata;
  const budget = normalizeBudget(target);
  const { coverage } = budget;
  const isCovered = covering(coverage);
  const covered = selected.filter((pod) => isActive(pod) && isCovered(pod));
  const others = new Set(covered.map(linkedBudget).filter((name) => name !== undefined && name !== own));
  const named = (resource: Resource, name: string): Need => ({ of: 'Config', resource, namespace, name });
  return [
    {
      of: 'SelectedPods',
      selector: coverage.by === 'selector' ? coverage.selector : {},
      ...(coverage.by === 'workload' && { workload: coverage.workload }),
      namespaces: coverage.by === 'nothing' ? [] : undefined,
    },
    { of: 'Guards' },
    ...namedWorkloads(budget, covered).flatMap((each): Need[] => {
      const resource = sizedResource(each);
      return resource === undefined ? [] : [named(resource, each.name)];
    }),
    ...[...others].flatMap((name) => (name === undefined ? [] : [named(budgetResource, name)])),
  ];
}

/** The workloads that say how many pods there are to be, and which labels they have. */
function namedWorkloads(budget: NormalBudget, covered: readonly Pod[]): PodWorkload[] {
  const { coverage } = budget;
  const isNamed = coverage.by === 'workload' && budget.operations.has('EVICT');
  return isNamed ? [coverage.workload] : sizingWorkloads(budget, covered);
}
