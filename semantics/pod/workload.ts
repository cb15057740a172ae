import type { KubeObject } from '../../schemas/wire/object.ts';
import { controllerOf, type GroupKind, groupKindOf } from '../owner.ts';
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

export function isSameWorkload(one: PodWorkload, other: PodWorkload): boolean {
  return one.group === other.group && one.kind === other.kind && one.name === other.name;
}
