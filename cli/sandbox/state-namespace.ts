import { ApiError } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { STATE_NAMESPACE } from '../../semantics/values/system-namespaces.ts';
import type { ApiServer } from 'kruise-sandbox';

/** Creates the namespace of the records of cluster-scoped targets, as an installation does, unless a restored state has it. */
export function createStateNamespace(server: ApiServer, user: string): void {
  try {
    server.create(user, resources.Namespace, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: STATE_NAMESPACE },
    });
  } catch (error) {
    if (!(error instanceof ApiError && error.status.code === 409)) throw error;
  }
}
