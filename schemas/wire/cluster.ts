import type { JsonObject } from './json.ts';
import type { KubeObject } from './object.ts';

/**
 * The cluster port: the Kubernetes API as every room sees it, on raw JSON. The sandbox implements it in process,
 * the runtime's HTTP client over a kubeconfig; a recorder or a fault injector wraps either.
 */
export interface Cluster {
  list(resource: Resource, options?: ListOptions): Promise<ObjectList>;
  /**
   * Events after `resourceVersion`, in commit order, until `stop()` or until the server ends it (`onEnd`, once,
   * with the reason: an ApiError such as 410 Expired, another error when the transport failed, or undefined for an
   * ordinary close). Handlers are never called synchronously from within `watch` itself, nor after `stop()`.
   */
  watch(resource: Resource, options: WatchOptions, sink: WatchSink): WatchHandle;
  get(resource: Resource, at: ObjectKey): Promise<KubeObject>;
  /** The object that was made. What is posted to a subresource (eviction, binding) is answered by a Status instead. */
  create(resource: Resource, body: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  /** PUT. `metadata.resourceVersion` in the body, if any, is a precondition; `metadata.uid` too. */
  replace(resource: Resource, body: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  patch(resource: Resource, at: ObjectKey, patch: Patch, options?: WriteOptions): Promise<KubeObject>;
  /** The object as last seen, or undefined when it went at once. Deleting what waits for finalizers returns it marked. */
  delete(resource: Resource, at: ObjectKey, options?: DeleteOptions): Promise<KubeObject | undefined>;
}

/** A served resource. `plural` is what stands in the URL; a subresource is an option of the call, not a Resource. */
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
  'status' | 'scale' | 'eviction' | 'ephemeralcontainers' | 'finalize' | 'resize' | 'binding';

export interface ListOptions {
  namespace?: string;
  /** The string form: `app=web,tier in (a,b),!legacy`. */
  labelSelector?: string;
  /** `metadata.name=x`, `metadata.namespace=y`, `spec.nodeName=z`, `status.phase=Running`; `!=` too. */
  fieldSelector?: string;
  limit?: number;
  continue?: string;
  resourceVersion?: string;
  /** What `resourceVersion` promises of the answer; without it, that nothing older is shown. */
  resourceVersionMatch?: 'Exact' | 'NotOlderThan';
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
  /** First the present state as ADDED events, closed by a bookmark that says so (needs `allowBookmarks`). */
  sendInitialEvents?: boolean;
}

export type WatchEvent =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: KubeObject }
  | { type: 'BOOKMARK'; resourceVersion: string; initialEventsEnd?: true };

export interface WatchSink {
  /** The server has accepted the watch; called before the first event. */
  onOpen?(): void;
  onEvent(event: WatchEvent): void;
  /** `error`: an ApiError of the server, any other for a failure of the transport, none for an ordinary close. */
  onEnd(error: Error | undefined): void;
}

export interface WatchHandle {
  stop(): void;
}

/**
 * `merge` is RFC 7386, `json` RFC 6902, `strategic` Kubernetes' own (built-in kinds only, 415 on custom resources).
 * A `metadata.resourceVersion` in a merge or strategic body is a precondition: 409 when it differs. So is a
 * `metadata.uid`: another object of the same name answers 422 with a cause for that field. `apply` is server-side
 * apply: it needs `fieldManager`, makes the object where there is none, and answers 409 with a cause for each field
 * that another manager owns, unless `force` takes them over.
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
  /** `metadata`: of what is answered nothing but the metadata is read, so that the server may leave out the rest. */
  answer?: 'metadata';
  /** What becomes of fields that the kind does not know and of fields given twice. Default Warn. */
  fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
}

export interface DeleteOptions {
  /** Preconditions: 409 when the stored object differs. */
  uid?: string;
  resourceVersion?: string;
  gracePeriodSeconds?: number;
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  dryRun?: boolean;
}

/** The body of a refusal (`metav1.Status`). */
export interface Status {
  code: number;
  reason: string;
  message: string;
  /** Of a page that is no longer to be had: a token for the rest as it is now (`metadata.continue`). */
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

/** What every call of the port rejects with when the server refused; anything else is a transport failure. */
export class ApiError extends Error {
  readonly status: Status;
  constructor(status: Status) {
    super(status.message);
    this.name = 'ApiError';
    this.status = status;
  }
}
