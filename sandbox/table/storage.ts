import type { KubeObject } from '../../schemas/wire/object.ts';
import { fieldAt } from '../../schemas/pods/fields.ts';
import { ageColumn, column, nameColumn, textAt, textsAt, wide, type Column } from './column.ts';

const shortModes = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'] as const;
const letters = { ReadWriteOnce: 'RWO', ReadOnlyMany: 'ROX', ReadWriteMany: 'RWX', ReadWriteOncePod: 'RWOP' };

function accessModes(modes: readonly string[]): string {
  return shortModes
    .filter((mode) => modes.includes(mode))
    .map((mode) => letters[mode])
    .join(',');
}

/** The phase, or Terminating. */
function phase(object: KubeObject): string {
  return object.metadata.deletionTimestamp === undefined
    ? textAt(object, ['status', 'phase'])
    : 'Terminating';
}

function claimCapacity(claim: KubeObject): string {
  if (textAt(claim, ['spec', 'volumeName']) === '') return '';
  return textAt(claim, ['status', 'capacity', 'storage']) || '0';
}

function claimModes(claim: KubeObject): string {
  return textAt(claim, ['spec', 'volumeName']) === ''
    ? ''
    : accessModes(textsAt(claim, ['status', 'accessModes']));
}

function className(object: KubeObject): string {
  return (
    object.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ??
    textAt(object, ['spec', 'storageClassName'])
  );
}

function claimOf(volume: KubeObject): string {
  const claim = fieldAt(volume, ['spec', 'claimRef']);
  return claim === undefined ? '' : `${textAt(claim, ['namespace'])}/${textAt(claim, ['name'])}`;
}

const attributesClass = column(
  'VolumeAttributesClass',
  (object) => textAt(object, ['spec', 'volumeAttributesClassName']) || '<unset>',
);
const volumeMode = wide('VolumeMode', (object) => textAt(object, ['spec', 'volumeMode']) || '<unset>');

export const storageColumns: Readonly<Record<string, readonly Column[]>> = {
  persistentvolumeclaims: [
    nameColumn,
    column('Status', phase),
    column('Volume', (object) => textAt(object, ['spec', 'volumeName'])),
    column('Capacity', claimCapacity),
    column('Access Modes', claimModes),
    column('StorageClass', className),
    attributesClass,
    ageColumn,
    volumeMode,
  ],
  persistentvolumes: [
    nameColumn,
    column('Capacity', (object) => textAt(object, ['spec', 'capacity', 'storage'])),
    column('Access Modes', (object) => accessModes(textsAt(object, ['spec', 'accessModes']))),
    column('Reclaim Policy', (object) => textAt(object, ['spec', 'persistentVolumeReclaimPolicy'])),
    column('Status', phase),
    column('Claim', claimOf),
    column('StorageClass', className),
    attributesClass,
    column('Reason', (object) => textAt(object, ['status', 'reason'])),
    ageColumn,
    volumeMode,
  ],
  'storageclasses.storage.k8s.io': [
    column(
      'Name',
      (object) =>
        object.metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true'
          ? `${object.metadata.name} (default)`
          : object.metadata.name,
      { format: 'name' },
    ),
    column('Provisioner', (object) => textAt(object, ['provisioner'])),
    column('ReclaimPolicy', (object) => textAt(object, ['reclaimPolicy']) || 'Delete'),
    column('VolumeBindingMode', (object) => textAt(object, ['volumeBindingMode']) || 'Immediate'),
    column('AllowVolumeExpansion', (object) => fieldAt(object, ['allowVolumeExpansion']) === true),
    ageColumn,
  ],
};
