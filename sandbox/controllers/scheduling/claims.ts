import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../kinds/volume.ts';
import { isBound } from '../../kinds/volume.ts';
import type { Node } from '../../kinds/node.ts';
import type { Pod } from '../../../schemas/pods/pod.ts';
import type { Filter } from './cycle.ts';
import { meets } from '../../kinds/selectors.ts';

/** The storage objects that the scheduler reads. */
export interface Storage {
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  storageClass(name: string): StorageClass | undefined;
}

export interface PodClaims {
  /** Why the pod cannot be scheduled on any node, in the scheduler's wording. */
  unschedulable?: string;
  /** Node affinity of its bound volumes. */
  filter?: Filter;
  /** Claims with WaitForFirstConsumer. */
  delayed: readonly PersistentVolumeClaim[];
}

/** The claims of a pod, including those of its ephemeral volumes. */
export function claimNames({ metadata, spec }: Pod): string[] {
  return (spec.volumes ?? []).flatMap((volume) => {
    if (volume.persistentVolumeClaim !== undefined) return [volume.persistentVolumeClaim.claimName ?? ''];
    return 'ephemeral' in volume ? [`${metadata.name}-${volume.name}`] : [];
  });
}

function nodeTerms({ spec }: PersistentVolume) {
  return spec.nodeAffinity?.required?.nodeSelectorTerms;
}

/** Checks the claims of a pod before nodes are filtered, like the scheduler. */
export function claimsOf(pod: Pod, storage: Storage): PodClaims {
  const names = claimNames(pod);
  if (names.length === 0) return { delayed: [] };
  const delayed: PersistentVolumeClaim[] = [];
  const volumes: PersistentVolume[] = [];
  let isWaiting = false;
  for (const name of names) {
    const claim = storage.claim(pod.metadata.namespace ?? '', name);
    if (claim === undefined) return { unschedulable: `persistentvolumeclaim "${name}" not found`, delayed };
    if (claim.metadata.deletionTimestamp !== undefined)
      return { unschedulable: `persistentvolumeclaim "${name}" is being deleted`, delayed };
    const volume = storage.volume(claim.spec.volumeName ?? '');
    if (isBound(claim) && volume !== undefined) volumes.push(volume);
    else if (isBound(claim)) isWaiting = true;
    else {
      const { storageClassName = '' } = claim.spec;
      const storageClass = storage.storageClass(storageClassName);
      if (storageClass?.volumeBindingMode === 'WaitForFirstConsumer') delayed.push(claim);
      else isWaiting = true;
    }
  }
  if (isWaiting) return { unschedulable: 'pod has unbound immediate PersistentVolumeClaims', delayed };
  const bounded = volumes.flatMap((volume) => nodeTerms(volume) ?? []);
  if (bounded.length === 0) return { delayed };
  const filter: Filter = (node: Node & KubeObject) =>
    volumes.every((volume) => nodeTerms(volume)?.some((term) => meets(node, term)) ?? true)
      ? []
      : ["node(s) didn't match PersistentVolume's node affinity"];
  return { filter, delayed };
}
