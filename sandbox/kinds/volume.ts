import type { KubeObject } from '../../schemas/wire/object.ts';
import type { LabelSelector, NodeSelectorTerm } from '../../schemas/pods/pod.ts';

/** The fields of a PersistentVolumeClaim that binding uses. */
export interface PersistentVolumeClaim extends KubeObject {
  spec: {
    accessModes?: string[];
    resources?: { requests?: Record<string, string | number> };
    selector?: LabelSelector;
    storageClassName?: string;
    volumeMode?: string;
    volumeName?: string;
    dataSource?: unknown;
    dataSourceRef?: unknown;
  };
  status?: {
    phase?: string;
    accessModes?: string[];
    capacity?: Record<string, string | number>;
    [field: string]: unknown;
  };
}

export interface PersistentVolume extends KubeObject {
  spec: {
    accessModes?: string[];
    capacity?: Record<string, string | number>;
    claimRef?: { kind?: string; namespace?: string; name?: string; uid?: string; [field: string]: unknown };
    nodeAffinity?: { required?: { nodeSelectorTerms: NodeSelectorTerm[] } };
    persistentVolumeReclaimPolicy?: string;
    storageClassName?: string;
    volumeMode?: string;
    [field: string]: unknown;
  };
  status?: { phase?: string; [field: string]: unknown };
}

export interface StorageClass extends KubeObject {
  provisioner?: string;
  reclaimPolicy?: string;
  volumeBindingMode?: string;
  allowVolumeExpansion?: boolean;
}

export const bindCompleted = 'pv.kubernetes.io/bind-completed';
export const selectedNode = 'volume.kubernetes.io/selected-node';

/** A claim that is bound in both directions. */
export function isBound(claim: PersistentVolumeClaim): boolean {
  return (claim.spec.volumeName ?? '') !== '' && claim.metadata.annotations?.[bindCompleted] !== undefined;
}
