import type { Resource } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';

export const daemonSetResource: Resource = resources.DaemonSet;
