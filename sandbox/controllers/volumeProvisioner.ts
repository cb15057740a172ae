import { thousandths } from '../kinds/quantity.ts';
import type { PersistentVolumeClaim, StorageClass } from '../kinds/volume.ts';
import type { ControllerContext } from './context.ts';
import { volumeBinder, type VolumeAccess } from './volumeAccess.ts';
import { newVolume } from './volumeMatch.ts';

/** Simulates external provisioners and resizers, with a delay of `provisionMs`. */
export interface VolumeProvisioner {
  /** Creates a volume for a claim and binds it. */
  provision(claim: PersistentVolumeClaim, storageClass: StorageClass): void;
  /** Expands a volume to the request of its claim, if the class allows expansion. */
  expand(claim: PersistentVolumeClaim): void;
  /** Deletes a released volume. */
  reclaim(volume: string): void;
}

export function createVolumeProvisioner(
  { clock, timings, events }: ControllerContext,
  access: VolumeAccess,
): VolumeProvisioner {
  const { readClaim, readVolume, classOf, patchClaim, patchVolume, setClaimStatus, bind } = access;
  const recordBinder = events.recorder(volumeBinder, 'persistentvolume-controller');
  const recordProvisioner = events.recorder(volumeBinder, 'volume-provisioner');
  /** Claims and volumes with an operation in progress. */
  const busy = new Set<string>();

  function provision(claim: PersistentVolumeClaim, storageClass: StorageClass): void {
    const { namespace = '', name, uid = '' } = claim.metadata;
    if (busy.has(uid)) return;
    busy.add(uid);
    const provisioner = storageClass.provisioner ?? '';
    // The deprecated annotation is still written together with the current one.
    const annotations = {
      'volume.beta.kubernetes.io/storage-provisioner': provisioner,
      'volume.kubernetes.io/storage-provisioner': provisioner,
    };
    patchClaim(claim.metadata, { metadata: { annotations } });
    recordBinder(
      claim,
      'Normal',
      'ExternalProvisioning',
      `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
    );
    recordProvisioner(
      claim,
      'Normal',
      'Provisioning',
      `External provisioner is provisioning volume for claim "${namespace}/${name}"`,
    );
    clock.after(timings.provisionMs, () => {
      busy.delete(uid);
      const latest = readClaim(namespace, name);
      if (latest?.metadata.uid !== uid || latest.metadata.deletionTimestamp !== undefined) return;
      const volume = newVolume(latest, storageClass);
      access.createVolume(volume);
      const made = readVolume(volume.metadata.name);
      if (made === undefined) return;
      recordProvisioner(
        latest,
        'Normal',
        'ProvisioningSucceeded',
        `Successfully provisioned volume ${volume.metadata.name}`,
      );
      bind(latest, made);
    });
  }

  function expand(claim: PersistentVolumeClaim): void {
    const { namespace = '', name, uid = '' } = claim.metadata;
    const wanted = claim.spec.resources?.requests?.['storage'];
    const has = claim.status?.capacity?.['storage'];
    if (wanted === undefined || has === undefined || thousandths(wanted) <= thousandths(has)) return;
    if (busy.has(uid) || classOf(claim)?.allowVolumeExpansion !== true) return;
    busy.add(uid);
    recordBinder(claim, 'Normal', 'Resizing', `External resizer is resizing volume ${claim.spec.volumeName}`);
    clock.after(timings.provisionMs, () => {
      busy.delete(uid);
      const latest = readClaim(namespace, name);
      if (latest?.metadata.uid !== uid) return;
      const storage = latest.spec.resources?.requests?.['storage'] ?? wanted;
      patchVolume(latest.spec.volumeName ?? '', { spec: { capacity: { storage } } });
      recordBinder(
        latest,
        'Normal',
        'FileSystemResizeSuccessful',
        'MountVolume.NodeExpandVolume succeeded for volume',
      );
      setClaimStatus(latest, { ...latest.status, capacity: { ...latest.status?.capacity, storage } });
    });
  }

  function reclaim(volume: string): void {
    if (busy.has(volume)) return;
    busy.add(volume);
    clock.after(timings.provisionMs, () => {
      busy.delete(volume);
      access.deleteVolume(volume);
    });
  }

  return { provision, expand, reclaim };
}
