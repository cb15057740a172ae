/**
 * The envelope of every Kubernetes object. Written by hand because it belongs to the API itself, not to the schema
 * of a kind; `spec` and `status` are typed by the generated types of each kind.
 */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** Field ownership. */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: 'Apply' | 'Update';
  apiVersion?: string;
  /** RFC 3339, seconds, UTC. */
  time?: string;
  fieldsType?: 'FieldsV1';
  fieldsV1?: object;
  subresource?: string;
}

export interface ObjectMeta {
  name: string;
  namespace?: string;
  generateName?: string;
  uid?: string;
  /** Opaque to clients, except that within one server a greater value is newer. */
  resourceVersion?: string;
  generation?: number;
  /** RFC 3339, seconds, UTC. */
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

/** Any object as raw JSON. Unknown fields survive a round trip. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** `metav1.Condition` without observedGeneration, as our statuses contain it. Times are RFC 3339, UTC. */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  lastUpdateTime?: string;
}
