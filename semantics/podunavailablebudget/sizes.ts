import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { groupKindOf, tupleId } from '../owner.ts';
import type { Pod } from '../pod/types.ts';
import { type PodWorkload, workloadsOf } from '../pod/workload.ts';
import { numberOf, objectOf } from '../values/read.ts';
import { UNKNOWN_TOTAL } from './counts.ts';
import type { NormalBudget } from './normalize.ts';

const native = (kind: string, plural: string): Resource => ({
  group: 'apps',
  version: 'v1',
  plural,
  kind,
  namespaced: true,
});

/** The workloads whose spec says how many pods there are to be. Of others, protectTotalReplicas says it. */
export const SIZED: readonly Resource[] = [
  native('Deployment', 'deployments'),
  native('ReplicaSet', 'replicasets'),
  native('StatefulSet', 'statefulsets'),
  resources.CloneSet,
  resources.StatefulSet,
];

/** The resource of a workload that is sized; undefined: it is not. */
export function sizedResource({ group, kind }: PodWorkload): Resource | undefined {
  return SIZED.find((each) => each.group === group && each.kind === kind);
}

/** The workloads that say how many pods of a budget there are to be: the one that it names, or those of its pods. */
export function sizingWorkloads(
  { coverage, total }: Pick<NormalBudget, 'coverage' | 'total'>,
  covered: readonly Pod[],
): PodWorkload[] {
  if (total !== undefined) return [];
  switch (coverage.by) {
    case 'nothing':
      return [];
    case 'workload':
      return [coverage.workload];
    case 'selector':
      return workloadsOf(covered).filter((each) => each !== undefined);
  }
}

/**
 * How many pods of a budget there are to be (OpenKruise podunavailablebudget, section 3): as it states itself, or what its workloads
 * ask for. One that does not exist or is being deleted asks for none. `UNKNOWN_TOTAL`: some workload has no number.
 *
 * @param covered   its active pods
 * @param workloads the workloads that exist
 */
export function totalOf(
  budget: Pick<NormalBudget, 'coverage' | 'total'>,
  covered: readonly Pod[],
  workloads: readonly KubeObject[],
): number {
  if (budget.total !== undefined) return budget.total;
  const wanted = sizingWorkloads(budget, covered);
  if (wanted.some((each) => sizedResource(each) === undefined)) return UNKNOWN_TOTAL;
  const byId = new Map(
    workloads.map(
      (object) => [idOf({ ...groupKindOf(object), name: object.metadata.name }), object] as const,
    ),
  );
  return wanted.reduce((sum, each) => sum + sizeOf(byId.get(idOf(each))), 0);
}

/** All of them are of the namespace of the budget. */
function idOf(workload: PodWorkload): string {
  return tupleId(workload, undefined, workload.name);
}

function sizeOf(workload: KubeObject | undefined): number {
  if (workload === undefined || workload.metadata.deletionTimestamp !== undefined) return 0;
  // Every one of them has one pod where its spec has no number.
  return numberOf(objectOf(workload['spec'])['replicas']) ?? 1;
}
