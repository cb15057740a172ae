import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Pod } from '../pod/types.ts';
import { workloadOfPod } from '../pod/workload.ts';
import { isActive } from '../pod/readiness.ts';
import type { DisruptionLimit } from '../limits/disruption.ts';
import { isUndisturbed, namesOf, type PodCounting } from '../limits/pod-owners.ts';
import { scaleIntOrPercent } from '../values/int-or-percent.ts';
import { intOrPercentOf, numberOf, objectOf } from '../values/read.ts';

export const deployments: Resource = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  namespaced: true,
};

/** What a Deployment says of its pods. */
export interface DeploymentLimit {
  /** Its kind, namespace and name, for explanations. */
  name: string;
  maxUnavailable: number;
  minReadySeconds: number;
}

/** The Deployments of these pods, each once. */
export function deploymentsOf(pods: readonly Pod[]): { namespace: string; name: string }[] {
  const found = new Map<string, { namespace: string; name: string }>();
  for (const pod of pods) {
    const name = nameOfDeployment(pod);
    const { namespace = '' } = pod.metadata;
    if (name !== undefined) found.set(idOf(namespace, name), { namespace, name });
  }
  return [...found.values()];
}

/**
 * What limits the pods of a Deployment: its maxUnavailable, as it rounds it. At least one, since an update in place has no surge that
 * could make up for a single pod. Undefined: it is none of these, or recreates all of its pods at once.
 *
 * @param objects of any kind
 */
export function deploymentLimits(objects: readonly KubeObject[]): (pod: Pod) => DeploymentLimit | undefined {
  const known = new Map<string, DeploymentLimit>();
  for (const object of objects) {
    const { namespace = '', name, deletionTimestamp } = object.metadata;
    const limit = deletionTimestamp === undefined ? limitOf(object) : undefined;
    if (limit !== undefined) known.set(idOf(namespace, name), limit);
  }
  return (pod) => {
    const name = known.size === 0 ? undefined : nameOfDeployment(pod);
    return name === undefined ? undefined : known.get(idOf(pod.metadata.namespace ?? '', name));
  };
}

/**
 * The limit of a Deployment as it is now. Only selected pods of it are known, so none counts as missing.
 *
 * @param pods those of it that are observed
 */
export function limitOfDeployment(
  { name, maxUnavailable: most, minReadySeconds }: DeploymentLimit,
  pods: readonly Pod[],
  counting: PodCounting,
): DisruptionLimit {
  const unavailable = pods.filter((pod) => isActive(pod) && !isUndisturbed(pod, minReadySeconds, counting));
  return { name, most, unavailable: namesOf(unavailable), left: most - unavailable.length };
}

function limitOf({ apiVersion, kind, metadata, spec: written }: KubeObject): DeploymentLimit | undefined {
  const spec = objectOf(written);
  const { type = 'RollingUpdate', rollingUpdate } = objectOf(spec['strategy']);
  if (apiVersion !== 'apps/v1' || kind !== deployments.kind || type !== 'RollingUpdate') return undefined;
  const maxUnavailable = intOrPercentOf(objectOf(rollingUpdate)['maxUnavailable']) ?? '25%';
  return {
    name: `${kind} ${metadata.namespace}/${metadata.name}`,
    maxUnavailable: Math.max(1, scaleIntOrPercent(maxUnavailable, numberOf(spec['replicas']) ?? 1, 'down')),
    minReadySeconds: numberOf(spec['minReadySeconds']) ?? 0,
  };
}

function nameOfDeployment(pod: Pod): string | undefined {
  const workload = workloadOfPod(pod);
  return workload?.group === 'apps' && workload.kind === deployments.kind ? workload.name : undefined;
}

function idOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
