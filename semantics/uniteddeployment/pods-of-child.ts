import type { KubeObject } from '../../schemas/wire/object.ts';
import { groupKindOf, isOwnedBy } from '../owner.ts';
import type { Pod } from '../pod/types.ts';
import { belongsTo } from '../pod/workload.ts';

/** The pods that a child controls itself. */
export function ownedPods(child: KubeObject, pods: readonly Pod[]): readonly Pod[] {
  return pods.filter((pod) => isOwnedBy(pod, child));
}

/** The pods of the ReplicaSets of a Deployment, by their names: no ReplicaSet is read. */
export function podsOfDeployment(child: KubeObject, pods: readonly Pod[]): readonly Pod[] {
  const { name, namespace = '' } = child.metadata;
  const own = { ...groupKindOf(child), name };
  return pods.filter((pod) => belongsTo(pod, own) && (pod.metadata.namespace ?? '') === namespace);
}
