import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject, ObjectMeta } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { attempt } from '../api/attempt.ts';
import { timestamp } from '../api/metadata.ts';
import {
  isBound,
  bindCompleted,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
} from '../kinds/volume.ts';
import { isFields, sameValue } from '../../schemas/pods/fields.ts';
import type { ControllerContext } from './context.ts';

export const volumeBinder = 'system:serviceaccount:kube-system:persistent-volume-binder';
const volumeResource = { group: '', version: 'v1', plural: 'persistentvolumes' };
const boundByController = 'pv.kubernetes.io/bound-by-controller';

/** Read and write access to claims, volumes and storage classes for the volume controllers. */
export interface VolumeAccess {
  readClaim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  readVolume(name: string): PersistentVolume | undefined;
  volumes(): PersistentVolume[];
  classOf(claim: PersistentVolumeClaim): StorageClass | undefined;
  /** The newest class that is marked as default. */
  defaultClass(): string | undefined;
  patchClaim(metadata: ObjectMeta, body: JsonObject): void;
  patchVolume(name: string, body: JsonObject): void;
  createVolume(volume: PersistentVolume): void;
  deleteVolume(name: string): void;
  setClaimStatus(claim: PersistentVolumeClaim, status: PersistentVolumeClaim['status']): void;
  setPhase(volume: PersistentVolume, phase: string): void;
  /** Binds a claim and a volume to each other. */
  bind(claim: PersistentVolumeClaim, volume: PersistentVolume): void;
}

export function createVolumeAccess({ store, server, clock }: ControllerContext): VolumeAccess {
  const user = volumeBinder;

  function readClaim(namespace: string, name: string): PersistentVolumeClaim | undefined {
    const found = store.read('persistentvolumeclaims', namespace, name);
    return isFields(found?.['spec']) ? (found as PersistentVolumeClaim) : undefined;
  }

  function readVolume(name: string): PersistentVolume | undefined {
    const found = store.read('persistentvolumes', '', name);
    return isFields(found?.['spec']) ? (found as PersistentVolume) : undefined;
  }

  function volumes(): PersistentVolume[] {
    return (store.list('persistentvolumes') as PersistentVolume[]).filter(({ spec }) => isFields(spec));
  }

  function classOf(claim: PersistentVolumeClaim): StorageClass | undefined {
    const name = claim.spec.storageClassName ?? '';
    return store.read('storageclasses.storage.k8s.io', '', name);
  }

  function defaultClass(): string | undefined {
    const defaults = store
      .list('storageclasses.storage.k8s.io')
      .filter(
        ({ metadata }) => metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true',
      );
    const time = ({ metadata }: KubeObject) => metadata.creationTimestamp ?? '';
    return defaults.sort((a, b) => (time(a) < time(b) ? 1 : time(a) > time(b) ? -1 : 0))[0]?.metadata.name;
  }

  function patchClaim({ namespace = '', name }: ObjectMeta, body: JsonObject): void {
    attempt(() =>
      server.patch(user, resources.PersistentVolumeClaim, { namespace, name }, { type: 'merge', body }),
    );
  }

  function patchVolume(name: string, body: JsonObject): void {
    attempt(() => server.patch(user, volumeResource, { name }, { type: 'merge', body }));
  }

  function setClaimStatus(claim: PersistentVolumeClaim, status: PersistentVolumeClaim['status']): void {
    if (sameValue(claim.status, status)) return;
    attempt(() =>
      server.replace(user, resources.PersistentVolumeClaim, { ...claim, status }, { subresource: 'status' }),
    );
  }

  function setPhase(volume: PersistentVolume, phase: string): void {
    if (volume.status?.phase === phase) return;
    attempt(() =>
      server.replace(
        user,
        volumeResource,
        {
          ...volume,
          status: { ...volume.status, lastPhaseTransitionTime: timestamp(clock.now()), phase },
        },
        { subresource: 'status' },
      ),
    );
  }

  function bind(claim: PersistentVolumeClaim, volume: PersistentVolume): void {
    const { namespace = '', name, uid = '' } = claim.metadata;
    if (volume.spec.claimRef?.uid !== uid) {
      const { resourceVersion = '' } = claim.metadata;
      const claimRef = {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace,
        name,
        uid,
        resourceVersion,
      };
      patchVolume(volume.metadata.name, {
        metadata: { annotations: { [boundByController]: 'yes' } },
        spec: { claimRef },
      });
    }
    const latest = readVolume(volume.metadata.name);
    if (latest?.spec.claimRef?.uid !== uid) return;
    setPhase(latest, 'Bound');
    patchClaim(claim.metadata, {
      metadata: { annotations: { [bindCompleted]: 'yes', [boundByController]: 'yes' } },
      spec: { volumeName: volume.metadata.name },
    });
    const bound = readClaim(namespace, name);
    if (bound === undefined || !isBound(bound)) return;
    const { accessModes, capacity } = volume.spec;
    setClaimStatus(bound, {
      ...bound.status,
      phase: 'Bound',
      ...(accessModes === undefined ? {} : { accessModes }),
      ...(capacity === undefined ? {} : { capacity }),
    });
  }

  return {
    readClaim,
    readVolume,
    volumes,
    classOf,
    defaultClass,
    patchClaim,
    patchVolume,
    createVolume(volume) {
      attempt(() => server.create(user, volumeResource, volume));
    },
    deleteVolume(name) {
      attempt(() => server.delete(user, volumeResource, { name }));
    },
    setClaimStatus,
    setPhase,
    bind,
  };
}
