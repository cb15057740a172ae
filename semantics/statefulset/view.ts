import { remembered } from '../values/remembered.ts';
import { type Workload, type WorkloadObjects, workloadOf } from '../workload/view.ts';
import { byOrdinal } from './claim-naming.ts';
import { type NormalStatefulSet, normalizeStatefulSet } from './normalize.ts';
import { ordinalOf } from './ordinals.ts';

/** Everything that the rules of StatefulSets read, as plain data of one time. */
export type StatefulSetView = Workload<NormalStatefulSet>;

/** Builds the view of one StatefulSet. A pod whose name has no ordinal is none of its pods, whoever controls it. */
export function statefulSetView(objects: WorkloadObjects): StatefulSetView {
  const { name } = objects.target.metadata;
  const numbered = objects.pods.filter(({ metadata }) => ordinalOf(metadata.name, name) !== undefined);
  const pods = numbered.length === objects.pods.length ? objects.pods : numbered;
  return workloadOf({ ...objects, pods }, specOf(objects.target), byOrdinal);
}

/** The spec of a target, normalized. The object must not change afterwards. */
export const specOf = remembered(normalizeStatefulSet);
