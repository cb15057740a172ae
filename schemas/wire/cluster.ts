import type { JsonObject } from './json.ts';
import type { KubeObject } from './object.ts';

/**
 * The cluster port: the Kubernetes API for every room, on raw JSON. Implemented in process by the sandbox and over
 * HTTP by the runtime; recorders and fault injectors wrap either.
 */
export interface Cluster {
  list(resource: Resource, options?: ListOptions): Promise<ObjectList>;
  /**
   * Events after `resourceVersion` in commit order, until `stop()` or until the server ends the watch (`onEnd`,
   * once, with the reason: an ApiError such as 410 Expired, another error for transport failures, or undefined for
   * an ordinary close). Handlers are never called synchronously from `watch`, nor after `stop()`.
   */
  watch(resource: Resource, options: WatchOptions, sink: WatchSink): WatchHandle;
  get(resource: Resource, at: ObjectKey): Promise<KubeObject>;
  /**
   * The created object. POST to a subresource (eviction, binding) returns a Status instead. So does `exec`, which runs a command to its
   * end (`execOptions`); one that fails rejects with `failedCommand`.
   */
  create(resource: Resource, body: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  /** PUT. `metadata.resourceVersion` and `metadata.uid` in the body are preconditions. */
  replace(resource: Resource, body: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  patch(resource: Resource, at: ObjectKey, patch: Patch, options?: WriteOptions): Promise<KubeObject>;
  /** The object if it is only marked for deletion (finalizers, grace period), or undefined if it was removed. */
  delete(resource: Resource, at: ObjectKey, options?: DeleteOptions): Promise<KubeObject | undefined>;
}

/** A served resource. `plural` is the URL segment; subresources are an option of the call. */
export interface Resource {
  group: string;
  version: string;
  plural: string;
  kind: string;
  namespaced: boolean;
}

export interface ObjectKey {
  namespace?: string;
  name: string;
}

export type Subresource =
  | 'status'
  | 'scale'
  | 'eviction'
  | 'ephemeralcontainers'
  | 'finalize'
  | 'resize'
  | 'binding'
  | 'exec';

export interface ListOptions {
  namespace?: string;
  /** The string form: `app=web,tier in (a,b),!legacy`. */
  labelSelector?: string;
  /** `metadata.name=x`, `metadata.namespace=y`, `spec.nodeName=z`, `status.phase=Running`; `!=` too. */
  fieldSelector?: string;
  limit?: number;
  continue?: string;
  resourceVersion?: string;
  /** The consistency of the response relative to `resourceVersion`; default: not older. */
  resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** `metadata`: the caller reads only the metadata of the items, so the server may omit the rest. */
  answer?: 'metadata';
}

export interface ObjectList {
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  items: KubeObject[];
}

export interface WatchOptions {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  resourceVersion: string;
  allowBookmarks?: boolean;
  /** Starts with the current objects as ADDED events, terminated by a bookmark (needs `allowBookmarks`). */
  sendInitialEvents?: boolean;
}

export type WatchEvent =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: KubeObject }
  | { type: 'BOOKMARK'; resourceVersion: string; initialEventsEnd?: true };

export interface WatchSink {
  /** The server accepted the watch; called before the first event. */
  onOpen?(): void;
  onEvent(event: WatchEvent): void;
  /** `error`: an ApiError of the server, another error for transport failures, undefined for an ordinary close. */
  onEnd(error: Error | undefined): void;
}

export interface WatchHandle {
  stop(): void;
}

/**
 * `merge` is RFC 7386, `json` RFC 6902, `strategic` is for built-in kinds only (415 for custom resources). A
 * `metadata.resourceVersion` in a merge or strategic body is a precondition: 409 if it differs. A different
 * `metadata.uid` returns 422 with a cause for that field. `apply` is server-side apply: it needs `fieldManager`,
 * creates a missing object, and returns 409 with a cause for each field owned by another manager, unless `force` is
 * set.
 */
export type Patch =
  | { type: 'merge' | 'strategic'; body: JsonObject }
  | { type: 'json'; body: JsonPatchOperation[] }
  | { type: 'apply'; body: JsonObject; force?: boolean };

export interface JsonPatchOperation {
  op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  path: string;
  from?: string;
  value?: JsonObject[string];
}

export interface WriteOptions {
  subresource?: Subresource;
  dryRun?: boolean;
  fieldManager?: string;
  /** `metadata`: the caller reads only the metadata of the response, so the server may omit the rest. */
  answer?: 'metadata';
  /** How to handle unknown and duplicate fields. Default Warn. */
  fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
}

export interface DeleteOptions {
  /** Preconditions: 409 if the stored object differs. */
  uid?: string;
  resourceVersion?: string;
  gracePeriodSeconds?: number;
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  dryRun?: boolean;
}

/** The body of an error (`metav1.Status`). */
export interface Status {
  code: number;
  reason: string;
  message: string;
  /** For an expired page: a token to continue from the current state (`metadata.continue`). */
  continue?: string;
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    uid?: string;
    causes?: { field?: string; reason?: string; message?: string }[];
    retryAfterSeconds?: number;
  };
}

/** The rejection of every call that the server refused; other errors are transport failures. */
export class ApiError extends Error {
  readonly status: Status;
  constructor(status: Status) {
    super(status.message);
    this.name = 'ApiError';
    this.status = status;
  }
}
