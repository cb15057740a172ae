import type { ClaimNaming } from '../claims/naming.ts';
import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';
import { objectOf } from '../values/read.ts';
import { ordinalOf } from './ordinals.ts';

/**
 * A pod and its claims have the same ordinal, at the end of their names (OpenKruise advanced-statefulset, section 5). Claims
 * outlive their pod, and their StatefulSet unless `whenDeleted` is Delete.
 */
export const byOrdinal: ClaimNaming = {
  idOf({ metadata: { name } }, { metadata: { name: set } }) {
    const at = name.lastIndexOf(`-${set}-`);
    const ordinal = ordinalOf(at < 0 ? name : name.slice(at + 1), set);
    return ordinal === undefined ? '' : String(ordinal);
  },
  newClaim(_id, target) {
    const { whenDeleted } = objectOf(objectOf(target['spec'])['persistentVolumeClaimRetentionPolicy']);
    return { labels: {}, ownerReferences: whenDeleted === 'Delete' ? [plainReference(target)] : [] };
  },
  foreignAnnotation: undefined,
};

/** A reference that only makes its object be collected with the owner: claims of numbered pods have no controller. */
export function plainReference({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' };
}
