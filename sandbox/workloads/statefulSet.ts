import { isFinished } from '../../schemas/pods/pod.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import {
  claims as claimResource,
  controllerRevisions,
  pods as podResource,
  statefulSets,
  type Controller,
  type WorkloadContext,
} from './context.ts';
import type { Pod, StatefulSet, StatefulSetStatus } from './kinds.ts';
import { isAvailable, isReady, nextAvailable } from './pods.ts';
import {
  ensureRevision,
  forgetRevisions,
  revisionLabel,
  revisionsOf,
  type ControllerRevision,
} from './revisions.ts';
import { claimOwners, claimsOf, ordinalOf, statefulPod, type Claim } from './statefulPods.ts';

interface Revisions {
  current: ControllerRevision;
  update: ControllerRevision;
}

/** The next write: at most one for an ordered set. */
export interface StatefulStep {
  create: { ordinal: number; revision: 'current' | 'update' }[];
  remove: Pod[];
}

interface Slots {
  first: number;
  replicas: number;
  partition: number;
}

function slotsOf({ spec }: StatefulSet): Slots {
  return {
    first: spec.ordinals?.start ?? 0,
    replicas: spec.replicas ?? 1,
    partition: spec.updateStrategy?.rollingUpdate?.partition ?? 0,
  };
}

function revisionOfPod({ metadata }: Pod): string | undefined {
  return metadata.labels?.[revisionLabel];
}

/**
 * What a StatefulSet does next with these pods: missing ones are made in order, surplus ones deleted from the end, and
 * outdated ones deleted from the end down to the partition.
 */
export function statefulStep(
  set: StatefulSet,
  pods: readonly Pod[],
  names: { current: string; update: string },
  now: number,
): StatefulStep {
  const { first, replicas, partition } = slotsOf(set);
  const isOrdered = set.spec.podManagementPolicy !== 'Parallel';
  const isHealthy = (pod: Pod) =>
    pod.metadata.deletionTimestamp === undefined && isAvailable(pod, set.spec.minReadySeconds, now);
  const byOrdinal = new Map(
    pods.flatMap((pod) => {
      const ordinal = ordinalOf(set, pod);
      return ordinal === undefined ? [] : [[ordinal, pod] as const];
    }),
  );
  const step: StatefulStep = { create: [], remove: [] };
  const kept: Pod[] = [];
  for (let ordinal = first; ordinal < first + replicas; ordinal += 1) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined) {
      const isRetained = set.spec.updateStrategy?.type === 'RollingUpdate' && ordinal < first + partition;
      step.create.push({ ordinal, revision: isRetained ? 'current' : 'update' });
    } else {
      kept.push(pod);
      if (isFinished(pod) && pod.metadata.deletionTimestamp === undefined) step.remove.push(pod);
    }
    if (isOrdered && (pod === undefined || !isHealthy(pod))) return step;
  }
  if (step.create.length + step.remove.length > 0) return step;
  const surplus = [...byOrdinal]
    .filter(([ordinal]) => ordinal < first || ordinal >= first + replicas)
    .sort(([a], [b]) => b - a)
    .map(([, pod]) => pod);
  const unhealthy = surplus.toReversed().find((pod) => !isHealthy(pod));
  for (const pod of surplus) {
    if (pod.metadata.deletionTimestamp === undefined) {
      // An ordered set does not go on while a pod before this one is unhealthy.
      if (isOrdered && unhealthy !== undefined && unhealthy !== pod) return step;
      step.remove.push(pod);
    }
    if (isOrdered) return step;
  }
  if (step.remove.length > 0 || set.spec.updateStrategy?.type === 'OnDelete') return step;
  // One pod at a time: servers have the feature gate of maxUnavailable switched off.
  for (const pod of kept.slice(partition).reverse()) {
    const isOutdated = revisionOfPod(pod) !== names.update && pod.metadata.deletionTimestamp === undefined;
    if (isOutdated) step.remove.push(pod);
    if (isOutdated || !isHealthy(pod)) return step;
  }
  return step;
}

/** The status of a StatefulSet with these pods. */
export function statefulSetStatus(
  set: StatefulSet,
  pods: readonly Pod[],
  names: { current: string; update: string },
  now: number,
): StatefulSetStatus {
  const { generation } = set.metadata;
  const left = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const counts = {
    replicas: pods.length,
    readyReplicas: pods.filter(isReady).length,
    availableReplicas: pods.filter((pod) => isAvailable(pod, set.spec.minReadySeconds, now)).length,
    currentReplicas: left.filter((pod) => revisionOfPod(pod) === names.current).length,
    updatedReplicas: left.filter((pod) => revisionOfPod(pod) === names.update).length,
  };
  const wanted = set.spec.replicas ?? 1;
  const isDone =
    set.spec.updateStrategy?.type === 'RollingUpdate' &&
    [counts.updatedReplicas, counts.readyReplicas, counts.replicas].every((count) => count === wanted);
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...counts,
    ...(isDone ? { currentReplicas: counts.updatedReplicas } : {}),
    currentRevision: isDone ? names.update : names.current,
    updateRevision: names.update,
    collisionCount: set.status?.collisionCount ?? 0,
  };
}

/** Keeps the pods and claims of each apps/v1 StatefulSet. */
export function createStatefulSetController(context: WorkloadContext): Controller {
  const { record } = context;

  function podsOf(set: StatefulSet): Pod[] {
    return context.children.of(podResource.id, set) as Pod[];
  }

  function readRevisions(set: StatefulSet): Revisions {
    const update = ensureRevision(context, statefulSets, set, 'controller.kubernetes.io/hash');
    const name = set.status?.currentRevision;
    const current = revisionsOf(context, set).find(({ metadata }) => metadata.name === name);
    return { current: current ?? update, update };
  }

  function readClaim(set: StatefulSet, name: string): Claim | undefined {
    return context.read(claimResource, set.metadata.namespace, name) as Claim | undefined;
  }

  function keepClaims(set: StatefulSet, pod: Pod, surplus: boolean): void {
    for (const { metadata } of claimsOf(set, pod.metadata.name)) {
      const claim = readClaim(set, metadata.name);
      const ownerReferences = claim && claimOwners(set, claim, pod, surplus);
      if (claim !== undefined && ownerReferences !== undefined)
        context.patch(claimResource, claim, { metadata: { ownerReferences } });
    }
  }

  function createClaims(set: StatefulSet, podName: string): void {
    const { name } = set.metadata;
    for (const claim of claimsOf(set, podName)) {
      if (readClaim(set, claim.metadata.name) !== undefined) continue;
      context.create(claimResource, claim);
      const what = `Claim ${claim.metadata.name} Pod ${podName} in StatefulSet ${name}`;
      record(set, 'Normal', 'SuccessfulCreate', `Create ${what} success`);
    }
  }

  /** False: the server refused the pod, or a claim of it. */
  function create(set: StatefulSet, ordinal: number, revision: ControllerRevision): boolean {
    const name = `${set.metadata.name}-${ordinal}`;
    const what = `Create Pod ${name} in StatefulSet ${set.metadata.name}`;
    try {
      createClaims(set, name);
      keepClaims(set, context.create(podResource, statefulPod(set, ordinal, revision)) as Pod, false);
      record(set, 'Normal', 'SuccessfulCreate', `${what} successful`);
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      record(set, 'Warning', 'FailedCreate', `${what} failed error: ${error.message}`);
      context.refused(set);
      return false;
    }
  }

  function remove(set: StatefulSet, pod: Pod): void {
    const { first, replicas } = slotsOf(set);
    const ordinal = ordinalOf(set, pod) ?? 0;
    keepClaims(set, pod, ordinal < first || ordinal >= first + replicas);
    context.remove(podResource, pod);
    const what = `Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
    record(set, 'Normal', 'SuccessfulDelete', `Delete ${what} successful`);
  }

  function sync(object: KubeObject): number | undefined {
    const set = object as StatefulSet;
    context.claim(podResource, set, set.spec.selector);
    if (set.metadata.deletionTimestamp !== undefined) return undefined;
    const revisions = readRevisions(set);
    const names = { current: revisions.current.metadata.name, update: revisions.update.metadata.name };
    const now = context.now();
    for (const pod of podsOf(set))
      if (pod.metadata.deletionTimestamp === undefined) keepClaims(set, pod, false);
    const step = statefulStep(set, podsOf(set), names, now);
    for (const pod of step.remove) remove(set, pod);
    step.create.every(({ ordinal, revision }) => create(set, ordinal, revisions[revision]));
    const pods = podsOf(set);
    context.writeStatus(statefulSets, set, statefulSetStatus(set, pods, names, now));
    const used = new Set([...Object.values(names), ...pods.map(revisionOfPod)]);
    forgetRevisions(context, set, ({ metadata }) => used.has(metadata.name));
    return nextAvailable(pods, set.spec.minReadySeconds, now);
  }

  return { resource: statefulSets, owns: [podResource.id, controllerRevisions.id], sync };
}
