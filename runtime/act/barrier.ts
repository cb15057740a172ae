import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { barrierOver } from '../../semantics/launch/barrier.ts';

const { ConfigMap } = resources;

/**
 * Creates the ConfigMap by which the containers of a pod start in their order, or makes an existing one as wanted. ConfigMaps are
 * not watched: it is read here, and only written if it differs. Its caches never show it, so its version is not noted.
 *
 * @param wanted with its namespace
 * @throws ApiError 403 with what to do if ConfigMaps may not be read there, 409 if it was written meanwhile, and 422 if an object of this name is no such ConfigMap
 */
export async function writeBarrier(
  wanted: KubeObject,
  { cluster, fieldManager }: { cluster: Cluster; fieldManager: string },
): Promise<void> {
  const { namespace, name } = wanted.metadata;
  const at = { ...(namespace === undefined ? {} : { namespace }), name };
  const write = { fieldManager, answer: 'metadata' } as const;
  const found = await cluster.get(ConfigMap, at).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    if (error.status.code === 404) return undefined;
    throw error.status.code === 403 ? launchOff(error, namespace ?? '') : error;
  });
  if (found === undefined) {
    await cluster.create(ConfigMap, wanted, write);
    return;
  }
  const next = barrierOver(found, wanted);
  if (next === 'taken') throw taken(namespace ?? '', name);
  if (next !== undefined) await cluster.replace(ConfigMap, next, write);
}

/** As shipped the runtime may read ConfigMaps in no namespace. Its read is refused by RBAC alone, its writes also by policies. */
function launchOff({ status }: ApiError, namespace: string): ApiError {
  return new ApiError({
    ...status,
    message: `${status.message}: launch orders are off in namespace ${namespace}. Bind the ClusterRole kruise-runtime-launch there, or add the component launch-everywhere of deploy/`,
  });
}

function taken(namespace: string, name: string): ApiError {
  return new ApiError({
    code: 422,
    reason: 'Invalid',
    message: `ConfigMap ${name} in ${namespace} has keys or owners of its own, and the launch order of a pod needs the name: rename it`,
  });
}
