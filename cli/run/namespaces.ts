import type { Connection } from '../../runtime/api/connection.ts';
import { STATE_NAMESPACE } from '../../semantics/values/system-namespaces.ts';
import type { RunOptions } from './options.ts';

/** Where a process keeps what is no target. */
export interface ProcessNamespaces {
  /** That of the Lease. */
  lease: string;
  /** That of the revisions and records of cluster-scoped objects. */
  records: string;
}

/**
 * A process that reconciles and one that reviews pods have the same records. The context of a kubeconfig has no say in them: it is
 * that of whoever starts a process, and a process in a pod would not find what one elsewhere has recorded.
 */
export function namespacesOf(
  { leaseNamespace, namespace }: Pick<RunOptions, 'leaseNamespace' | 'namespace'>,
  connection: Pick<Connection, 'namespace' | 'isOfPod'>,
): ProcessNamespaces {
  const own = connection.isOfPod === true ? connection.namespace : undefined;
  return {
    lease: leaseNamespace ?? connection.namespace ?? namespace ?? 'default',
    records: leaseNamespace ?? own ?? STATE_NAMESPACE,
  };
}
