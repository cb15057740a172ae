import type { Condition, KubeObject } from '../../schemas/wire/object.ts';

/** What the rules read of a pod. Caches hold only this part (`projectPod`), and never write it to the cluster. */
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

/** Whether an init container is a sidecar: it runs next to the containers, and is restarted when it ends. */
export function isSidecar(initContainer: Container): boolean {
  return initContainer['restartPolicy'] === 'Always';
}

/** The labels, annotations and conditions that OpenKruise sets on pods (inplace-update, sections 3 to 5). */
export const REVISION_LABEL = 'controller-revision-hash';
export const SHORT_HASH_LABEL = 'pod-template-hash';
export const LIFECYCLE_LABEL = 'lifecycle.apps.kruise.io/state';
export const LIFECYCLE_TIME_ANNOTATION = 'lifecycle.apps.kruise.io/timestamp';
export const SPECIFIED_DELETE_LABEL = 'apps.kruise.io/specified-delete';
export const IN_PLACE_STATE_ANNOTATION = 'apps.kruise.io/inplace-update-state';
/** The old names of both annotations: read if the new ones are missing, and removed with the next write. */
export const OLD_STATE_ANNOTATION = 'inplace-update-state';
export const OLD_GRACE_ANNOTATION = 'inplace-update-grace';
/** The change that is made after a grace period. */
export const GRACE_ANNOTATION = 'apps.kruise.io/inplace-update-grace';
export const DELETION_COST_ANNOTATION = 'controller.kubernetes.io/pod-deletion-cost';
export const IN_PLACE_READY = 'InPlaceUpdateReady';
/** OpenKruise's webhook adds this gate to pods, and its manager opens it. */
export const KRUISE_POD_READY = 'KruisePodReady';

/** Whether a label holds the id that the name of a pod ends with. OpenKruise has such a label for each kind with ids. */
export function isInstanceIdLabel(key: string): boolean {
  return /^apps\.kruise\.io\/[a-z]+-instance-id$/.test(key);
}
