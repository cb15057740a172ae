import type { Resource } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';

export const nodeImageResource: Resource = resources.NodeImage;

/** Where a tag is pulled that names no Secret: the namespace in which OpenKruise has those of its daemon. */
export const PULL_NAMESPACE = 'kruise-daemon-config';
