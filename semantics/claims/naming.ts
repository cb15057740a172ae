import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';

/**
 * Each pod of a workload is a unit with an id, and its claims have the same: letters that are drawn for it, or its ordinal.
 * What a kind says about that.
 */
export interface ClaimNaming {
  /** The id of the unit that a pod or a claim is of; empty: of none. */
  idOf(object: KubeObject, target: KubeObject): string;
  /** What tells a new claim as one of that unit, beside its name. */
  newClaim(
    id: string,
    target: KubeObject,
  ): { labels: Record<string, string>; ownerReferences: OwnerReference[] };
  /** What OpenKruise notes on a revision whose pods have claims; undefined: it notes nothing. */
  foreignNote: string | undefined;
}

/** Of a kind whose pods have no claims of their own. */
export const noClaims: ClaimNaming = {
  idOf: () => '',
  newClaim: () => ({ labels: {}, ownerReferences: [] }),
  foreignNote: undefined,
};
