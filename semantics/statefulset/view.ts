import type { KubeObject } from '../../schemas/wire/object.ts';
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

/** Cached by object: an observed target is immutable, and is reconciled after every change of a pod. */
const normalized = new WeakMap<KubeObject, NormalStatefulSet>();

/** The spec of a target, normalized. The object must not change afterwards. */
export function specOf(target: KubeObject): NormalStatefulSet {
  const known = normalized.get(target);
  if (known !== undefined) return known;
  const spec = normalizeStatefulSet(target);
  normalized.set(target, spec);
  return spec;
}
