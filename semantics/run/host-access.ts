import type { JsonObject } from '../../schemas/wire/json.ts';
import { listOf, objectOf } from '../values/read.ts';

/**
 * What a pod of this template may do to its node, beyond what containers are confined to, one item each for reviewers: a run
 * that succeeds may have harmed its node by these ways. Empty: it is confined.
 */
export function hostAccess(template: JsonObject): string[] {
  const spec = objectOf(template['spec']);
  const containers = [...listOf(spec['initContainers']), ...listOf(spec['containers'])];
  const isOnHost = objectOf(objectOf(spec['securityContext'])['windowsOptions'])['hostProcess'] === true;
  return [
    ...(spec['hostNetwork'] === true ? ['the network of the node (hostNetwork)'] : []),
    ...(spec['hostPID'] === true ? ['all processes of the node (hostPID)'] : []),
    ...(spec['hostIPC'] === true ? ['shared memory of the node (hostIPC)'] : []),
    ...(isOnHost ? ['runs as processes of the node (hostProcess)'] : []),
    ...hostPaths(listOf(spec['volumes']), containers),
    ...containers.flatMap(containerAccess),
  ];
}

/** A volume counts as read-only if every container that mounts it does so read-only. */
function hostPaths(volumes: readonly JsonObject[], containers: readonly JsonObject[]): string[] {
  return volumes.flatMap((volume) => {
    const { path } = objectOf(volume['hostPath']);
    if (typeof path !== 'string') return [];
    const mounts = containers
      .flatMap((container) => listOf(container['volumeMounts']))
      .filter(({ name }) => name === volume['name']);
    if (mounts.length === 0) return [];
    const isReadOnly = mounts.every(({ readOnly }) => readOnly === true);
    return [`${isReadOnly ? 'reads' : 'writes'} ${path} of the node (hostPath)`];
  });
}

function containerAccess(container: JsonObject): string[] {
  const security = objectOf(container['securityContext']);
  const { add } = objectOf(security['capabilities']);
  const added = Array.isArray(add) ? add.map(String).sort() : [];
  const isOnHost = objectOf(security['windowsOptions'])['hostProcess'] === true;
  const name = typeof container['name'] === 'string' ? container['name'] : '';
  return [
    ...(security['privileged'] === true ? [`container ${name} is privileged`] : []),
    ...(added.length === 0 ? [] : [`container ${name} has the capabilities ${added.join(', ')}`]),
    ...(isOnHost ? [`container ${name} runs as a process of the node (hostProcess)`] : []),
  ];
}
