import type { KubeObject } from '../../schemas/wire/object.ts';
import { type Workload, type WorkloadObjects, workloadOf } from '../workload/view.ts';
import { byInstanceId } from './claim-naming.ts';
import { type NormalCloneSet, normalizeCloneSet } from './normalize.ts';

/** Everything that the rules of CloneSets read, as plain data of one time. */
export type CloneSetView = Workload<NormalCloneSet>;

/** Builds the view of one CloneSet. */
export function cloneSetView(objects: WorkloadObjects): CloneSetView {
  return workloadOf(objects, specOf(objects.target), byInstanceId);
}

/** Cached by object: an observed target is immutable, and is reconciled after every change of a pod. */
const normalized = new WeakMap<KubeObject, NormalCloneSet>();

/** The spec of a target, normalized. The object must not change afterwards. */
export function specOf(target: KubeObject): NormalCloneSet {
  const known = normalized.get(target);
  if (known !== undefined) return known;
  const spec = normalizeCloneSet(target);
  normalized.set(target, spec);
  return spec;
}
