import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { stopOf } from '../../semantics/containerrecreaterequest/refusal.ts';
import { isOwnedBy } from '../../semantics/owner.ts';
import { containerStatus } from '../../semantics/pod/in-place.ts';
import { isActive } from '../../semantics/pod/readiness.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { objectOf, textOf } from '../../semantics/values/read.ts';
import { timeOf } from '../../semantics/values/timestamp.ts';
import { byText } from '../../compiler/text/order.ts';
import { REGISTERED } from '../../compiler/plan/kinds.ts';
import type { ClusterAccess } from '../cluster/cluster.ts';
import type { RequestedTarget } from '../command/find-target.ts';
import type { Refusal } from '../command/refusal.ts';

/** Which containers are asked for, and which of them are left out. */
export interface Asked {
  /** Empty: every container of a pod. */
  containers: readonly string[];
  /** Those that have started since are done, milliseconds since 1970. */
  since: number;
}

/** A pod with the containers that are restarted, and why others are not. */
export interface PodToRestart {
  pod: Pod;
  containers: readonly string[];
  /** As `CONTAINER: REASON`. */
  refused: readonly string[];
}

/** The pods of a target, or of a namespace with some labels, by name. */
export async function podsOfRestart(
  { cluster }: Pick<ClusterAccess, 'cluster'>,
  namespace: string,
  target: RequestedTarget | undefined,
  selector: string | undefined,
): Promise<Pod[] | Refusal> {
  const owner = target && (await ownerOf(cluster, namespace, target));
  if (owner !== undefined && 'problem' in owner) return owner as Refusal;
  const { items } = await cluster.list(resources.Pod, {
    namespace,
    ...(selector !== undefined && { labelSelector: selector }),
  });
  const pods = (items as Pod[]).filter(
    (pod) => isActive(pod) && (owner === undefined || isOwnedBy(pod, owner)),
  );
  return pods.sort((a, b) => byText(a.metadata.name, b.metadata.name));
}

function ownerOf(
  cluster: ClusterAccess['cluster'],
  namespace: string,
  { kind = '', name }: RequestedTarget,
): Promise<KubeObject> | Refusal {
  const known = REGISTERED.get(kind);
  const help = 'choose pods by their labels, with -l';
  if (known === undefined) return { problem: `'${name}' is no KIND/NAME`, help };
  if (!known.resource.namespaced || known.podTemplates.length === 0)
    return { problem: `a ${kind} has no pods of its own`, help };
  return cluster.get(known.resource, { namespace, name });
}

/** What is restarted in a pod. A container that it lacks is none of it. */
export function toRestart(pod: Pod, { containers, since }: Asked): PodToRestart {
  const names = pod.spec.containers
    .map(({ name }) => name)
    .filter((name) => containers.length === 0 || containers.includes(name))
    .filter((name) => startedAt(pod, name) < since);
  const refusals = names.flatMap((name) => {
    const way = stopOf(pod, name, { grace: undefined });
    return 'refused' in way ? [[name, way.refused] as const] : [];
  });
  const refused = new Map(refusals);
  return {
    pod,
    containers: names.filter((name) => !refused.has(name)),
    refused: refusals.map(([name, why]) => `${name}: ${why}`),
  };
}

/** When the running instance of a container was started, milliseconds since 1970; 0: none runs. */
function startedAt(pod: Pod, name: string): number {
  const { running } = objectOf(containerStatus(pod, name)?.['state']);
  return timeOf(textOf(objectOf(running)['startedAt']) || undefined);
}
