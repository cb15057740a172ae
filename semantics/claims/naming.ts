import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';

/** How a kind relates pods and claims: a pod and its claims have the same id, such as an instance id or an ordinal. */
export interface ClaimNaming {
  /** The id of a pod or a claim; empty: it has none. */
  idOf(object: KubeObject, target: KubeObject): string;
  /** The labels and owners of a new claim with this id. */
  newClaim(
    id: string,
    target: KubeObject,
  ): { labels: Record<string, string>; ownerReferences: OwnerReference[] };
  /** The annotation that OpenKruise sets on a revision whose pods have claims; undefined: none. */
  foreignAnnotation: string | undefined;
}

/** For a kind whose pods have no claims of their own. */
export const noClaims: ClaimNaming = {
  idOf: () => '',
  newClaim: () => ({ labels: {}, ownerReferences: [] }),
  foreignAnnotation: undefined,
};
