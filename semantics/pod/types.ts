import type { Condition, KubeObject } from '../../schemas/wire/object.ts';

/** What the rules read of a pod. A cache may project pods down to this; unknown fields are never written back. */
export interface Pod extends KubeObject {
  spec: PodSpec;
  status?: PodStatus;
}

export interface PodSpec {
  nodeName?: string;
  containers: Container[];
  initContainers?: Container[];
  readinessGates?: { conditionType: string }[];
  [field: string]: unknown;
}

export interface Container {
  name: string;
  image: string;
  [field: string]: unknown;
}

export interface PodStatus {
  phase?: string;
  podIP?: string;
  conditions?: Condition[];
  containerStatuses?: ContainerStatus[];
  initContainerStatuses?: ContainerStatus[];
  [field: string]: unknown;
}

export interface ContainerStatus {
  name: string;
  ready?: boolean;
  restartCount?: number;
  image?: string;
  imageID?: string;
  containerID?: string;
  [field: string]: unknown;
}

/** An init container that runs beside the others, and is restarted when it ends. */
export function isSidecar(initContainer: Container): boolean {
  return initContainer['restartPolicy'] === 'Always';
}

/** The labels, annotations and conditions OpenKruise puts on pods (inplace-update, sections 3 to 5). */
export const REVISION_LABEL = 'controller-revision-hash';
export const SHORT_HASH_LABEL = 'pod-template-hash';
export const LIFECYCLE_LABEL = 'lifecycle.apps.kruise.io/state';
export const LIFECYCLE_TIME_ANNOTATION = 'lifecycle.apps.kruise.io/timestamp';
export const SPECIFIED_DELETE_LABEL = 'apps.kruise.io/specified-delete';
export const IN_PLACE_STATE_ANNOTATION = 'apps.kruise.io/inplace-update-state';
/** What both annotations were called once: read where the others are missing, and taken away with the next write. */
export const OLD_STATE_ANNOTATION = 'inplace-update-state';
export const OLD_GRACE_ANNOTATION = 'inplace-update-grace';
/** The change that is carried out after a grace period. */
export const GRACE_ANNOTATION = 'apps.kruise.io/inplace-update-grace';
export const DELETION_COST_ANNOTATION = 'controller.kubernetes.io/pod-deletion-cost';
export const IN_PLACE_READY = 'InPlaceUpdateReady';
/** OpenKruise's webhook gives pods this gate, and its manager opens it. */
export const KRUISE_POD_READY = 'KruisePodReady';

/**
 * Whether a label says the id that the name of a pod ends with: each kind that draws one has a label of its own for it, as
 * OpenKruise calls it.
 */
export function isInstanceIdLabel(key: string): boolean {
  return /^apps\.kruise\.io\/[a-z]+-instance-id$/.test(key);
}

const LONGEST_LABEL = 63;

/** What a pod's revision label says: the revision's name, or, where that is too long for a label, its hash. */
export function revisionLabel({ name, shortHash }: { name: string; shortHash: string }): string {
  return name.length <= LONGEST_LABEL ? name : shortHash;
}
