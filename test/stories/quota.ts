import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { World } from 'kruise-sandbox';

/** How many pods the namespace may have; undefined: no limit. */
export interface Quota {
  pods: number | undefined;
}

/** A cluster with a ResourceQuota for pods: it refuses one too many with the server's message. */
export function underQuota(cluster: Cluster, world: World, quota: Quota): Cluster {
  const there = new Set<string>();
  world.onCommit(({ resource, type, object }) => {
    if (resource !== 'pods') return;
    if (type === 'DELETED') there.delete(object.metadata.name);
    else there.add(object.metadata.name);
  });
  return {
    ...cluster,
    async create(resource, body, options) {
      const hard = quota.pods;
      if (resource.plural === resources.Pod.plural && hard !== undefined && there.size >= hard) {
        const used = `requested: pods=1, used: pods=${there.size}, limited: pods=${hard}`;
        const message = `pods "${body.metadata.name}" is forbidden: exceeded quota: shop, ${used}`;
        throw new ApiError({ code: 403, reason: 'Forbidden', message });
      }
      return cluster.create(resource, body, options);
    },
  };
}
