import { ApiError } from '../../schemas/wire/cluster.ts';
import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { timestamp } from '../api/metadata.ts';
import { pods as podResource, replicaSets, type Controller, type WorkloadContext } from './context.ts';
import type { Pod, ReplicaSet, ReplicaSetStatus } from './kinds.ts';
import { inDeletionOrder, isActive, isAvailable, isReady, nextAvailable, podOf } from './pods.ts';

function hasLabels({ metadata }: Pod, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value);
}

/** The status of a ReplicaSet with these pods; `failure`: why a pod was not created or deleted. */
export function replicaSetStatus(
  set: ReplicaSet,
  claimed: readonly Pod[],
  failure: string | undefined,
  now: number,
): ReplicaSetStatus {
  const active = claimed.filter(isActive);
  const { generation } = set.metadata;
  const { minReadySeconds, template } = set.spec;
  const labels = template.metadata?.labels ?? {};
  const old = set.status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
  const others = (set.status?.conditions ?? []).filter((each) => each !== old);
  const failed: Condition = old ?? {
    type: 'ReplicaFailure',
    status: 'True',
    lastTransitionTime: timestamp(now),
    reason: 'FailedCreate',
    message: failure ?? '',
  };
  const conditions = failure === undefined ? others : [...others, failed];
  return {
    replicas: active.length,
    fullyLabeledReplicas: active.filter((pod) => hasLabels(pod, labels)).length,
    readyReplicas: active.filter(isReady).length,
    availableReplicas: active.filter((pod) => isAvailable(pod, minReadySeconds, now)).length,
    terminatingReplicas: claimed.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).length,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

/** Keeps the number of pods of each ReplicaSet. */
export function createReplicaSetController(context: WorkloadContext): Controller {
  const { record } = context;

  function podsOf(set: ReplicaSet): Pod[] {
    return context.children.of(podResource.id, set) as Pod[];
  }

  /** Returns why a pod could not be created. */
  function addPods(set: ReplicaSet, count: number): string | undefined {
    for (let made = 0; made < count; made += 1) {
      try {
        const { metadata } = context.create(podResource, podOf(set, set.spec.template));
        record(set, 'Normal', 'SuccessfulCreate', `Created pod: ${metadata.name}`);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        record(set, 'Warning', 'FailedCreate', `Error creating: ${error.message}`);
        context.refused(set);
        return error.message;
      }
    }
    return undefined;
  }

  function sync(object: KubeObject): number | undefined {
    const set = object as ReplicaSet;
    const active = (context.claim(podResource, set, set.spec.selector) as Pod[]).filter(isActive);
    const surplus = active.length - (set.spec.replicas ?? 1);
    let failure: string | undefined;
    if (set.metadata.deletionTimestamp === undefined) {
      failure = addPods(set, -surplus);
      for (const pod of inDeletionOrder(active).slice(0, Math.max(0, surplus))) {
        context.remove(podResource, pod);
        record(set, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
      }
    }
    const now = context.now();
    const left = podsOf(set);
    context.writeStatus(replicaSets, set, replicaSetStatus(set, left, failure, now));
    return nextAvailable(left.filter(isActive), set.spec.minReadySeconds, now);
  }

  return { resource: replicaSets, owns: [podResource.id], sync };
}
