import type { ClaimNaming } from '../claims/naming.ts';
import { ordinalOf } from './ordinals.ts';

/**
 * A pod and its claims have the same ordinal, at the end of their names (OpenKruise advanced-statefulset, section 5). Claims
 * have no owner: they outlive pod and StatefulSet.
 */
export const byOrdinal: ClaimNaming = {
  idOf({ metadata: { name } }, { metadata: { name: set } }) {
    const at = name.lastIndexOf(`-${set}-`);
    const ordinal = ordinalOf(at < 0 ? name : name.slice(at + 1), set);
    return ordinal === undefined ? '' : String(ordinal);
  },
  newClaim: () => ({ labels: {}, ownerReferences: [] }),
  foreignAnnotation: undefined,
};
