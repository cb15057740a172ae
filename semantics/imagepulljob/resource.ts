import type { Resource } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';

export const pullJobResource: Resource = resources.ImagePullJob;

/** OpenKruise holds a job by this finalizer as long as copies of its Secrets exist. Here is nothing that it would hold. */
export const THEIR_FINALIZER = 'apps.kruise.io/deletion-protection';

/** A condition: since when every node was pulled to, in a job that never ends. It has the time up to which nodes are included, too. */
export const PULLED_CONDITION = 'plan.kruise.io/Pulled';
