import type { Resource } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';

export const budgetResource: Resource = resources.PodUnavailableBudget;

/** On a pod: the name of its budget. The first one counts; a pod of OpenKruise has both. */
export const LINK_ANNOTATIONS = ['pub.kruise.io/related-pub', 'kruise.io/related-pub'] as const;
/** On a pod: it takes no slot of its budget. */
export const NO_PROTECT_ANNOTATION = 'pub.kruise.io/no-protect';
/** How the labels of a pod begin that is out of traffic for reasons of its own. */
export const UNAVAILABLE_LABEL_PREFIX = 'unavailable-pod.kruise.io/';
/** On a budget, for v1alpha1: `spec.protectOperations` as a comma list. */
export const OPERATIONS_ANNOTATION = 'kruise.io/pub-protect-operations';
/** On a budget, for v1alpha1: `spec.protectTotalReplicas`. */
export const TOTAL_ANNOTATION = 'pub.kruise.io/protect-total-replicas';

/** What is read of the annotations of a budget. A change of them begins no new generation. */
export const READ_ANNOTATIONS = [OPERATIONS_ANNOTATION, TOTAL_ANNOTATION] as const;
