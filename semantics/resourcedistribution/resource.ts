import type { Resource } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';

export const distributionResource: Resource = resources.ResourceDistribution;

/** What can be copied, by kind. */
export const COPIED = { ConfigMap: resources.ConfigMap, Secret: resources.Secret } as const;
export type CopiedKind = keyof typeof COPIED;

/** On a copy: the hash of `spec.resource` (`resourceHash`). */
export const HASH_ANNOTATION = 'kruise.io/resourcedistribution.resource.hashcode';
/** On a copy: the name of its ResourceDistribution. Who owns it decides, and not this. */
export const FROM_ANNOTATION = 'kruise.io/resourcedistribution.resource.from';
/** On a copy: which labels, annotations and finalizers it has of the resource, so that they go when that has them no more. */
export const KEYS_ANNOTATION = 'plan.kruise.io/distributed-keys';
/** On a copy: the runtime watches ConfigMaps and Secrets with this label alone. */
export const COPY_LABEL = 'plan.kruise.io/distributed';

/** A type of Secret for which the server issues the token of a service account. */
export const TOKEN_TYPE = 'kubernetes.io/service-account-token';
