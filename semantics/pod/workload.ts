import type { KubeObject } from '../../schemas/wire/object.ts';
import { controllerOf, type GroupKind, groupKindOf, tupleId } from '../owner.ts';
import { SHORT_HASH_LABEL } from './types.ts';

/** A workload of the namespace of a pod. */
export type PodWorkload = GroupKind & { readonly name: string };

/**
 * The workload that a pod belongs to: its controller, or the Deployment of that. The name of a ReplicaSet is that of its
 * Deployment and the hash that its pods have as a label, so that no ReplicaSet has to be read. Undefined: it has no controller.
 */
export function workloadOfPod(pod: KubeObject): PodWorkload | undefined {
  const reference = controllerOf(pod);
  if (reference === undefined) return undefined;
  const direct = { ...groupKindOf(reference), name: reference.name };
  const hash = pod.metadata.labels?.[SHORT_HASH_LABEL] ?? '';
  const isOfDeployment =
    direct.group === 'apps' &&
    direct.kind === 'ReplicaSet' &&
    hash !== '' &&
    direct.name.endsWith(`-${hash}`);
  if (!isOfDeployment) return direct;
  return { group: 'apps', kind: 'Deployment', name: direct.name.slice(0, -hash.length - 1) };
}

/**
 * The workloads that pods belong to, each once, in the order of the pods; undefined among them: some have none. Pods of one workload
 * mostly follow one another.
 */
export function workloadsOf(pods: readonly KubeObject[]): (PodWorkload | undefined)[] {
  const found = new Map<string | undefined, PodWorkload | undefined>();
  let last: KubeObject | undefined;
  for (const pod of pods) {
    if (last !== undefined && areSiblings(last, pod)) continue;
    last = pod;
    const workload = workloadOfPod(pod);
    found.set(workload && tupleId(workload, undefined, workload.name), workload);
  }
  return [...found.values()];
}

/** Whether two pods have the same controller, and what may name a Deployment above it. */
export function areSiblings(one: KubeObject, other: KubeObject): boolean {
  const [a, b] = [controllerOf(one), controllerOf(other)];
  return (
    a !== undefined &&
    b !== undefined &&
    a.name === b.name &&
    a.kind === b.kind &&
    a.apiVersion === b.apiVersion &&
    one.metadata.labels?.[SHORT_HASH_LABEL] === other.metadata.labels?.[SHORT_HASH_LABEL]
  );
}

/** Whether a pod belongs to a workload, as `workloadOfPod` says: it is asked of each pod of thousands, again and again. */
export function belongsTo(pod: KubeObject, workload: PodWorkload): boolean {
  const reference = controllerOf(pod);
  if (reference === undefined) return false;
  const { apiVersion, kind, name } = reference;
  if (kind !== 'ReplicaSet')
    return kind === workload.kind && name === workload.name && isOfGroup(apiVersion, workload.group);
  const its = workloadOfPod(pod);
  return its !== undefined && isSameWorkload(its, workload);
}

/** As `groupKindOf`, without a new text. */
function isOfGroup(apiVersion: string, group: string): boolean {
  return Math.max(apiVersion.indexOf('/'), 0) === group.length && apiVersion.startsWith(group);
}

export function isSameWorkload(one: PodWorkload, other: PodWorkload): boolean {
  return one.group === other.group && one.kind === other.kind && one.name === other.name;
}
