import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import { isTerminating } from './conflict.ts';

/** What is known about namespaces that are being deleted. */
interface Terminating {
  isTerminating(namespace: string): boolean;
  noteTerminating(namespace: string): void;
}

/**
 * The same cluster without creates in namespaces that are being deleted: the server refuses each of them. An answer that says so is
 * noted.
 */
export function withoutLateCreates(cluster: Cluster, namespaces: () => Terminating): Cluster {
  return {
    ...cluster,
    async create(resource, body, options) {
      const { namespace } = body.metadata;
      if (namespace !== undefined && namespaces().isTerminating(namespace)) throw terminating(namespace);
      try {
        return await cluster.create(resource, body, options);
      } catch (error) {
        if (namespace !== undefined && isTerminating(error)) namespaces().noteTerminating(namespace);
        throw error;
      }
    },
  };
}

/** The answer of a server. */
function terminating(namespace: string): ApiError {
  return new ApiError({
    code: 403,
    reason: 'Forbidden',
    message: `namespace ${namespace} is being terminated`,
    details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] },
  });
}
