/**
 * The envelope every Kubernetes object shares. Written by hand because it is the grammar of the API itself,
 * not one kind's schema; everything below `spec` and `status` is typed by the generated types of each kind.
 */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** Who last wrote which fields, and how. */
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
  /** Opaque to clients but for one allowance Kubernetes makes: within one server, greater means later. */
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

/** Any object as raw JSON: the envelope, and the rest untouched. Unknown fields survive a round trip. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** `metav1.Condition` without observedGeneration: what our statuses write. Times are RFC 3339, UTC. */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  lastUpdateTime?: string;
}
