import type { JsonObject } from '../../schemas/wire/json.ts';
import type { ObjectMeta } from '../../schemas/wire/object.ts';
import { isFinished, type Pod } from '../../schemas/pods/pod.ts';
import {
  isBound,
  selectedNode,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
} from '../kinds/volume.ts';
import type { Commit } from '../store/history.ts';
import { isFields } from '../../schemas/pods/fields.ts';
import type { ControllerContext } from './context.ts';
import { claimNames } from './scheduling/claims.ts';
import { createVolumeAccess, volumeBinder } from './volumeAccess.ts';
import { freeVolumeFor } from './volumeMatch.ts';
import { createVolumeProvisioner } from './volumeProvisioner.ts';
import { createWorkQueue } from './workQueue.ts';

const claimFinalizer = 'kubernetes.io/pvc-protection';
const volumeFinalizer = 'kubernetes.io/pv-protection';

/**
 * The volume controllers: bind claims to available or provisioned volumes (`provisionMs` after the request, for any
 * provisioner except `kubernetes.io/no-provisioner`), protect objects in use from deletion, reclaim released
 * volumes, and expand claims.
 */
export function startVolumes(context: ControllerContext): () => void {
  const { store, clock, timings, events } = context;
  const recordBinder = events.recorder(volumeBinder, 'persistentvolume-controller');
  const enqueue = createWorkQueue(clock);
  const access = createVolumeAccess(context);
  const { readClaim, readVolume, patchClaim, patchVolume, setPhase } = access;
  const { provision, expand, reclaim } = createVolumeProvisioner(context, access);

  /** A bound volume can lose its claimRef, or the claim's uid, by a client's PUT. */
  function isLostTo({ spec: { claimRef } }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
    if (claimRef === undefined) return true;
    const { namespace, name, uid } = claimRef;
    return uid === undefined && namespace === metadata.namespace && name === metadata.name;
  }

  /** The bound claim of a volume without claimRef. */
  function claimWithout(volume: PersistentVolume): PersistentVolumeClaim | undefined {
    return (store.list('persistentvolumeclaims') as PersistentVolumeClaim[]).find(
      (claim) =>
        isFields(claim.spec) &&
        isBound(claim) &&
        claim.spec.volumeName === volume.metadata.name &&
        isLostTo(volume, claim),
    );
  }

  function isUsed({ metadata }: PersistentVolumeClaim): boolean {
    return (store.list('pods', metadata.namespace) as Pod[]).some(
      (pod) => !isFinished(pod) && claimNames(pod).includes(metadata.name),
    );
  }

  function without({ finalizers = [] }: ObjectMeta, finalizer: string): JsonObject {
    return { metadata: { finalizers: finalizers.filter((each) => each !== finalizer) } };
  }

  function workOnClaim(namespace: string, name: string): void {
    let claim = readClaim(namespace, name);
    if (claim === undefined) return;
    const { metadata } = claim;
    const { finalizers = [] } = metadata;
    if (metadata.deletionTimestamp !== undefined) {
      if (finalizers.includes(claimFinalizer) && !isUsed(claim))
        patchClaim(metadata, without(metadata, claimFinalizer));
      return;
    }
    if (!finalizers.includes(claimFinalizer))
      patchClaim(metadata, { metadata: { finalizers: [...finalizers, claimFinalizer] } });
    if (isBound(claim)) {
      const volume = readVolume(claim.spec.volumeName ?? '');
      if (volume === undefined) return access.setClaimStatus(claim, { ...claim.status, phase: 'Lost' });
      if (isLostTo(volume, claim)) return access.bind(claim, volume);
      return expand(claim);
    }
    if (claim.spec.storageClassName === undefined) {
      const storageClassName = access.defaultClass();
      if (storageClassName !== undefined) patchClaim(metadata, { spec: { storageClassName } });
    }
    claim = readClaim(namespace, name) ?? claim;
    const storageClass = access.classOf(claim);
    const waits = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
    const node = claim.metadata.annotations?.[selectedNode];
    if (waits && node === undefined && !claim.spec.volumeName) {
      const message = 'waiting for first consumer to be created before binding';
      return recordBinder(claim, 'Normal', 'WaitForFirstConsumer', message);
    }
    const free = freeVolumeFor(claim, access.volumes(), store.read('nodes', '', node ?? ''));
    if (free !== undefined) return access.bind(claim, free);
    if (claim.spec.volumeName) return;
    if (storageClass === undefined || storageClass.provisioner === 'kubernetes.io/no-provisioner')
      return reportUnbound(claim, storageClass);
    provision(claim, storageClass);
  }

  function reportUnbound(claim: PersistentVolumeClaim, storageClass: StorageClass | undefined): void {
    const { storageClassName = '' } = claim.spec;
    if (storageClassName !== '' && storageClass === undefined)
      recordBinder(
        claim,
        'Warning',
        'ProvisioningFailed',
        `storageclass.storage.k8s.io "${storageClassName}" not found`,
      );
    else
      recordBinder(
        claim,
        'Normal',
        'FailedBinding',
        'no persistent volumes available for this claim and no storage class is set',
      );
  }

  function workOnVolume(name: string): void {
    const volume = readVolume(name);
    if (volume === undefined) return;
    const { finalizers = [], deletionTimestamp } = volume.metadata;
    const ref = volume.spec.claimRef;
    const claim = ref === undefined ? undefined : readClaim(ref.namespace ?? '', ref.name ?? '');
    const isTaken = claim !== undefined && (ref?.uid === undefined || claim.metadata.uid === ref.uid);
    if (deletionTimestamp !== undefined) {
      if (finalizers.includes(volumeFinalizer) && !isTaken)
        patchVolume(name, without(volume.metadata, volumeFinalizer));
      return;
    }
    if (!finalizers.includes(volumeFinalizer))
      patchVolume(name, { metadata: { finalizers: [...finalizers, volumeFinalizer] } });
    const latest = readVolume(name) ?? volume;
    if (ref?.uid === undefined) {
      const owner = claimWithout(latest);
      if (owner !== undefined) return claimSoon(owner.metadata);
      setPhase(latest, 'Available');
      seeStorage();
    } else if (!isTaken) {
      setPhase(latest, 'Released');
      if (volume.spec.persistentVolumeReclaimPolicy === 'Delete') reclaim(name);
    }
  }

  function soon(key: string, run: () => void): void {
    enqueue(key, timings.collectMs, run);
  }

  function claimSoon({ namespace = '', name }: ObjectMeta): void {
    soon(`claim ${namespace}/${name}`, () => workOnClaim(namespace, name));
  }

  function volumeSoon(name: string | undefined): void {
    if (name) soon(`volume ${name}`, () => workOnVolume(name));
  }

  /** Pending claims can become bindable. */
  function seeStorage(): void {
    for (const claim of store.list('persistentvolumeclaims') as PersistentVolumeClaim[])
      if (isFields(claim.spec) && !isBound(claim)) claimSoon(claim.metadata);
  }

  function seeClaim({ type, object }: Commit): void {
    if (type !== 'DELETED') claimSoon(object.metadata);
    else volumeSoon((object as Partial<PersistentVolumeClaim>).spec?.volumeName);
  }

  function seeVolume({ type, object }: Commit): void {
    if (type !== 'DELETED') volumeSoon(object.metadata.name);
  }

  function seePod({ type, object }: Commit): void {
    const pod = object as Pod;
    if (pod.spec.volumes === undefined || (type !== 'DELETED' && !isFinished(pod))) return;
    const { namespace = '' } = pod.metadata;
    for (const name of claimNames(pod))
      if (readClaim(namespace, name)?.metadata.deletionTimestamp !== undefined)
        claimSoon({ namespace, name });
  }

  const unfollow = [
    store.follow('persistentvolumeclaims', seeClaim),
    store.follow('persistentvolumes', seeVolume),
    store.follow('storageclasses.storage.k8s.io', seeStorage),
    store.follow('pods', seePod),
  ];
  return () => unfollow.forEach((stop) => stop());
}
