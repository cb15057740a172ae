import type { ClaimNaming } from '../claims/naming.ts';
import { controllerReference } from '../owner.ts';

/** Label of a pod and its claims: the id that the name of the pod ends with. */
export const INSTANCE_ID_LABEL = 'apps.kruise.io/cloneset-instance-id';

/** A pod and its claims have the instance id of the pod as a label (OpenKruise cloneset, section 5). */
export const byInstanceId: ClaimNaming = {
  idOf: ({ metadata }) => metadata.labels?.[INSTANCE_ID_LABEL] ?? '',
  newClaim: (id, target) => ({
    labels: { [INSTANCE_ID_LABEL]: id },
    ownerReferences: [controllerReference(target)],
  }),
  foreignAnnotation: 'kruise.io/cloneset-volumeclaimtemplate-hash',
};
