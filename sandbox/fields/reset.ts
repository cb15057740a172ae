import type { Served } from '../api/registry.ts';
import { leaf, setOf, union, type FieldSet, type MaybeSet } from './set.ts';

/** Metadata that the server strips; no manager owns it. */
export const neverOwned: FieldSet = {
  'f:apiVersion': leaf,
  'f:kind': leaf,
  'f:metadata': {
    '.': leaf,
    'f:creationTimestamp': leaf,
    'f:generation': leaf,
    'f:managedFields': leaf,
    'f:name': leaf,
    'f:namespace': leaf,
    'f:resourceVersion': leaf,
    'f:selfLink': leaf,
    'f:uid': leaf,
  },
};

const status = setOf(['status']);
const spec = setOf(['spec']);
const podStatus = union(spec, setOf(['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']));
const labelsAndSpec = union(spec, setOf(['metadata', 'labels']));

/** The fields that a write to a resource or subresource cannot change and therefore not own. */
export function ignoredBy({ type, version }: Served, subresource: string | undefined): MaybeSet {
  if (subresource === undefined) return version.hasStatus ? status : undefined;
  if (subresource !== 'status') return undefined;
  if (type.id === 'pods') return podStatus;
  return type.id === 'deployments.apps' ? labelsAndSpec : spec;
}
