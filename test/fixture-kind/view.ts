import type { ClaimNaming } from '../../semantics/claims/naming.ts';
import { type Workload, type WorkloadObjects, workloadOf } from '../../semantics/workload/view.ts';
import { type RackSpec, specOf } from './spec.ts';

/** A slot has no claims of its own. */
const noClaims: ClaimNaming = {
  idOf: () => '',
  newClaim: () => ({ labels: {}, ownerReferences: [] }),
  foreignNote: undefined,
};

/** A rack at one moment. */
export function rackView(objects: WorkloadObjects): Workload<RackSpec> {
  return workloadOf(objects, specOf(objects.target), noClaims);
}
