import type { Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { controllerOf } from '../owner.ts';
import type { Pod } from '../pod/types.ts';
import { areSiblings, workloadOfPod } from '../pod/workload.ts';
import { isActive } from '../pod/readiness.ts';
import type { DisruptionLimit } from '../limits/disruption.ts';
import { isUndisturbed, namesOf, type PodCounting } from '../limits/pod-owners.ts';
import { type IntOrPercent, scaleIntOrPercent } from '../values/int-or-percent.ts';
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
  replicas: number;
  /** How many pods it has, as its status says, selected or not. */
  existing: number;
  maxUnavailable: IntOrPercent;
  minReadySeconds: number;
}

/** A larger text is no percentage that anyone means. */
const MOST_PERCENT = 16;

/** The part of a Deployment that the limits read: of a bounded size, whatever its author writes. */
export function projectDeployment({
  apiVersion,
  kind,
  metadata,
  spec: written,
  status,
}: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = metadata;
  const spec = objectOf(written);
  const { type, rollingUpdate } = objectOf(spec['strategy']);
  const maxUnavailable = intOrPercentOf(objectOf(rollingUpdate)['maxUnavailable']);
  const isLong = typeof maxUnavailable === 'string' && maxUnavailable.length > MOST_PERCENT;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    spec: {
      ...numberAt(spec, 'replicas'),
      ...numberAt(spec, 'minReadySeconds'),
      strategy: {
        ...(type !== undefined && { type: type === 'RollingUpdate' ? type : 'Recreate' }),
        ...(maxUnavailable !== undefined && {
          rollingUpdate: { maxUnavailable: isLong ? 0 : maxUnavailable },
        }),
      },
    },
    status: numberAt(objectOf(status), 'replicas'),
  };
}

function numberAt(object: JsonObject, field: string): JsonObject {
  const value = numberOf(object[field]);
  return value === undefined ? {} : { [field]: value };
}

/** The Deployments of these pods, each once. Pods of one mostly follow one another. */
export function deploymentsOf(pods: readonly Pod[]): { namespace: string; name: string }[] {
  const found = new Map<string, { namespace: string; name: string }>();
  let last: Pod | undefined;
  for (const pod of pods) {
    const { namespace = '' } = pod.metadata;
    if (last !== undefined && last.metadata.namespace === namespace && areSiblings(last, pod)) continue;
    last = pod;
    const name = nameOfDeployment(pod);
    if (name !== undefined) found.set(idOf(namespace, name), { namespace, name });
  }
  return [...found.values()];
}

/**
 * What limits the pods of a Deployment. Undefined: it is none of these, or recreates all of its pods at once.
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
 * The limit of a Deployment as it is now: its maxUnavailable, as it rounds it, and at least one, since an update in place has no surge
 * that could make up for a single pod. Missing pods are unavailable, and extra ones make up for others. Where it has more pods than are
 * observed, the target selects only some of them: those have their share of the limit.
 *
 * @param pods those of it that are observed
 */
export function limitOfDeployment(
  { name, replicas, existing, maxUnavailable, minReadySeconds }: DeploymentLimit,
  pods: readonly Pod[],
  counting: PodCounting,
): DisruptionLimit {
  const active = pods.filter(isActive);
  const unavailable = active.filter((pod) => !isUndisturbed(pod, minReadySeconds, counting));
  const available = active.length - unavailable.length;
  // Its status may still count those that are being deleted.
  const observed = pods.filter((pod) => isActive(pod) || pod.metadata.deletionTimestamp !== undefined).length;
  const wanted = existing > observed ? Math.min(replicas, active.length) : replicas;
  const most = Math.max(1, scaleIntOrPercent(maxUnavailable, wanted, 'down'));
  return {
    name,
    most,
    unavailable: namesOf(unavailable),
    present: `${available} of ${wanted} ${available === 1 ? 'is' : 'are'} available`,
    left: available - (wanted - most),
  };
}

function limitOf({
  apiVersion,
  kind,
  metadata,
  spec: written,
  status,
}: KubeObject): DeploymentLimit | undefined {
  const spec = objectOf(written);
  const { type = 'RollingUpdate', rollingUpdate } = objectOf(spec['strategy']);
  if (apiVersion !== 'apps/v1' || kind !== deployments.kind || type !== 'RollingUpdate') return undefined;
  return {
    name: `${kind} ${metadata.namespace}/${metadata.name}`,
    replicas: numberOf(spec['replicas']) ?? 1,
    existing: numberOf(objectOf(status)['replicas']) ?? 0,
    maxUnavailable: intOrPercentOf(objectOf(rollingUpdate)['maxUnavailable']) ?? '25%',
    minReadySeconds: numberOf(spec['minReadySeconds']) ?? 0,
  };
}

/** Undefined: the pod belongs to none. It is asked of each pod in each decision, and most controllers are none of these two. */
function nameOfDeployment(pod: Pod): string | undefined {
  const kind = controllerOf(pod)?.kind;
  if (kind !== 'ReplicaSet' && kind !== deployments.kind) return undefined;
  const workload = workloadOfPod(pod);
  return workload?.group === 'apps' && workload.kind === deployments.kind ? workload.name : undefined;
}

function idOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
