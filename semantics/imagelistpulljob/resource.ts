import type { Resource } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';

export const listPullJobResource: Resource = resources.ImageListPullJob;
