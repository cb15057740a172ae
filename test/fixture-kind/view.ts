import { noClaims } from '../../semantics/claims/naming.ts';
import { type Workload, type WorkloadObjects, workloadOf } from '../../semantics/workload/view.ts';
import { type RackSpec, specOf } from './spec.ts';

/** A rack at one moment. */
export function rackView(objects: WorkloadObjects): Workload<RackSpec> {
  return workloadOf(objects, specOf(objects.target), noClaims);
}
