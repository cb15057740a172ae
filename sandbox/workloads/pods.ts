import { conditionOf, isFinished, type Pod, type PodSpec } from '../../schemas/pods/pod.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { controllerReference } from './children.ts';
import type { PodTemplate } from './kinds.ts';

/** Neither finished nor being deleted. */
export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && pod.metadata.deletionTimestamp === undefined;
}

export function isReady(pod: Pod): boolean {
  return conditionOf(pod, 'Ready')?.status === 'True';
}

/** When a ready pod counts as available, milliseconds since 1970; undefined for others. */
export function availableAt(pod: Pod, minReadySeconds = 0): number | undefined {
  const ready = conditionOf(pod, 'Ready');
  return ready?.status === 'True'
    ? Date.parse(ready.lastTransitionTime ?? '') + minReadySeconds * 1000
    : undefined;
}

export function isAvailable(pod: Pod, minReadySeconds: number | undefined, now: number): boolean {
  const at = availableAt(pod, minReadySeconds);
  return at !== undefined && (at <= now || !minReadySeconds);
}

/** When the next of these pods becomes available; undefined: none is waiting for its time. */
export function nextAvailable(
  pods: readonly Pod[],
  minReadySeconds: number | undefined,
  now: number,
): number | undefined {
  const times = pods.flatMap((pod) => availableAt(pod, minReadySeconds) ?? []).filter((at) => at > now);
  return times.length === 0 ? undefined : Math.min(...times);
}

export interface PodParts {
  /** Absent: generated from the name of the owner. */
  name?: string;
  generateName?: string;
  labels?: Readonly<Record<string, string>>;
  annotations?: Readonly<Record<string, string>>;
  finalizers?: readonly string[];
  spec?: Partial<PodSpec>;
}

/** A new pod of a template. */
export function podOf(owner: KubeObject, { metadata = {}, spec }: PodTemplate, parts: PodParts = {}) {
  const { name, generateName = `${owner.metadata.name}-` } = parts;
  const finalizers = [...(metadata.finalizers ?? []), ...(parts.finalizers ?? [])];
  const annotations = { ...metadata.annotations, ...parts.annotations };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...(name === undefined ? { generateName } : { name }),
      namespace: owner.metadata.namespace,
      labels: { ...metadata.labels, ...parts.labels },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(finalizers.length === 0 ? {} : { finalizers }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: { ...spec, ...parts.spec },
  };
}

const phaseRank: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

function deletionCost({ metadata }: Pod): number {
  return Number(metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0) || 0;
}

function restarts({ status }: Pod): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));
}

/**
 * The order in which Kubernetes deletes surplus pods: unscheduled, pending and unready ones first, then by deletion
 * cost, those that share a node, those that became ready last, those that restarted, the youngest.
 */
export function inDeletionOrder(pods: readonly Pod[]): Pod[] {
  const neighbors = new Map<string, number>();
  for (const { spec } of pods)
    if (spec.nodeName) neighbors.set(spec.nodeName, (neighbors.get(spec.nodeName) ?? 0) + 1);
  const readySince = (pod: Pod) => Date.parse(conditionOf(pod, 'Ready')?.lastTransitionTime ?? '') || 0;
  const keys = (pod: Pod): number[] => [
    pod.spec.nodeName ? 1 : 0,
    phaseRank[pod.status?.phase ?? ''] ?? 1,
    isReady(pod) ? 1 : 0,
    deletionCost(pod),
    -(neighbors.get(pod.spec.nodeName ?? '') ?? 0),
    isReady(pod) ? -readySince(pod) : 0,
    -restarts(pod),
    -Date.parse(pod.metadata.creationTimestamp ?? ''),
  ];
  const ranked = pods.map((pod) => ({ pod, rank: keys(pod) }));
  ranked.sort((a, b) => {
    const at = a.rank.findIndex((value, index) => value !== b.rank[index]);
    return at < 0 ? 0 : (a.rank[at] ?? 0) - (b.rank[at] ?? 0);
  });
  return ranked.map(({ pod }) => pod);
}
