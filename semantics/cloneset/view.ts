import { remembered } from '../values/remembered.ts';
import { type Workload, type WorkloadObjects, workloadOf } from '../workload/view.ts';
import { byInstanceId } from './claim-naming.ts';
import { type NormalCloneSet, normalizeCloneSet } from './normalize.ts';

/** Everything that the rules of CloneSets read, as plain data of one time. */
export type CloneSetView = Workload<NormalCloneSet>;

/** Builds the view of one CloneSet. */
export function cloneSetView(objects: WorkloadObjects): CloneSetView {
  return workloadOf(objects, specOf(objects.target), byInstanceId);
}

/** The spec of a target, normalized. The object must not change afterwards. */
export const specOf = remembered(normalizeCloneSet);
