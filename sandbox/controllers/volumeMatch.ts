import type { KubeObject } from '../../schemas/wire/object.ts';
import { thousandths } from '../kinds/quantity.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../kinds/volume.ts';
import { meets, selects } from '../kinds/selectors.ts';

function storageOf(quantities: Record<string, string | number> | undefined): number {
  return thousandths(quantities?.['storage'] ?? 0);
}

/**
 * The smallest available volume for a claim, by name among equals; a volume that is already linked to the claim
 * comes first.
 */
export function freeVolumeFor(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  node: KubeObject | undefined,
): PersistentVolume | undefined {
  const { metadata, spec } = claim;
  const isForClaim = ({ spec: { claimRef } }: PersistentVolume) =>
    claimRef?.namespace === metadata.namespace &&
    claimRef?.name === metadata.name &&
    (claimRef?.uid === undefined || claimRef.uid === metadata.uid);
  const isFree = (volume: PersistentVolume) => volume.spec.claimRef === undefined || isForClaim(volume);
  if (spec.volumeName) return volumes.find((each) => each.metadata.name === spec.volumeName && isFree(each));
  const fitting = volumes.filter((volume) => {
    const offers = volume.spec;
    const terms = offers.nodeAffinity?.required?.nodeSelectorTerms;
    return (
      isFree(volume) &&
      volume.metadata.deletionTimestamp === undefined &&
      (offers.storageClassName ?? '') === (spec.storageClassName ?? '') &&
      (offers.volumeMode ?? 'Filesystem') === (spec.volumeMode ?? 'Filesystem') &&
      (spec.accessModes ?? []).every((mode) => offers.accessModes?.includes(mode)) &&
      storageOf(offers.capacity) >= storageOf(spec.resources?.requests) &&
      (spec.selector === undefined || selects(spec.selector, volume.metadata.labels)) &&
      (terms === undefined || node === undefined || terms.some((term) => meets(node, term)))
    );
  });
  return (
    fitting.find(isForClaim) ??
    fitting.sort((a, b) => storageOf(a.spec.capacity) - storageOf(b.spec.capacity))[0]
  );
}

/** The volume that a provisioner creates for a claim, accessible from every node. */
export function newVolume(claim: PersistentVolumeClaim, storageClass: StorageClass): PersistentVolume {
  const { namespace, name, uid = '', resourceVersion } = claim.metadata;
  const driver = storageClass.provisioner ?? '';
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: `pvc-${uid}`,
      annotations: { 'pv.kubernetes.io/provisioned-by': driver },
      finalizers: ['kubernetes.io/pv-protection'],
    },
    spec: {
      accessModes: claim.spec.accessModes ?? ['ReadWriteOnce'],
      capacity: { storage: claim.spec.resources?.requests?.['storage'] ?? '1Gi' },
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace: namespace ?? '',
        name,
        uid,
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
      // A provisioner name with a slash is not a CSI driver; its volumes are hostPath volumes.
      ...(driver.includes('/')
        ? { hostPath: { path: `/var/lib/volumes/pvc-${uid}` } }
        : { csi: { driver, volumeHandle: `pvc-${uid}` } }),
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      storageClassName: storageClass.metadata.name,
      volumeMode: claim.spec.volumeMode ?? 'Filesystem',
    },
  };
}
