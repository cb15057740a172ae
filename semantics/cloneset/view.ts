import type { KubeObject } from '../../schemas/wire/object.ts';
import { type Workload, type WorkloadObjects, workloadOf } from '../workload/view.ts';
import { byInstanceId } from './claim-naming.ts';
import { type NormalCloneSet, normalizeCloneSet } from './normalize.ts';

/** Everything the CloneSet rules look at, as plain data of one moment. */
export type CloneSetView = Workload<NormalCloneSet>;

/** Builds the view of one CloneSet. */
export function cloneSetView(objects: WorkloadObjects): CloneSetView {
  return workloadOf(objects, specOf(objects.target), byInstanceId);
}

/** A target is immutable once seen, and it is reconciled whenever one of its pods changes. */
const normalized = new WeakMap<KubeObject, NormalCloneSet>();

/** The spec of an object that is immutable from now on. */
export function specOf(target: KubeObject): NormalCloneSet {
  const known = normalized.get(target);
  if (known !== undefined) return known;
  const spec = normalizeCloneSet(target);
  normalized.set(target, spec);
  return spec;
}
