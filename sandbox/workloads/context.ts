import type { LabelSelector } from '../../schemas/pods/pod.ts';
import { sameValue } from '../../schemas/pods/fields.ts';
import type { DeleteOptions } from '../../schemas/wire/cluster.ts';
import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ControllerContext, RecordEvent } from '../controllers/context.ts';
import { claimChanges, controllerReference, type Children } from './children.ts';
import type { Pauses } from './retries.ts';

/** A resource that workload controllers read and write, with its id in the store. */
export interface WorkloadResource {
  group: string;
  version: string;
  plural: string;
  id: string;
}

function resource(group: string, plural: string): WorkloadResource {
  return { group, version: 'v1', plural, id: group === '' ? plural : `${plural}.${group}` };
}

export const pods = resource('', 'pods');
export const replicaSets = resource('apps', 'replicasets');
export const deployments = resource('apps', 'deployments');
export const nodes = resource('', 'nodes');
export const claims = resource('', 'persistentvolumeclaims');
export const controllerRevisions = resource('apps', 'controllerrevisions');
export const statefulSets = resource('apps', 'statefulsets');
export const daemonSets = resource('apps', 'daemonsets');
export const jobs = resource('batch', 'jobs');
export const cronJobs = resource('batch', 'cronjobs');

/** One workload controller. It reads the store, which is never stale, so it needs no expectations. */
export interface Controller {
  resource: WorkloadResource;
  /** The ids of the resources whose objects it owns. */
  owns: readonly string[];
  /** Whether every object is synced when a node comes, goes or changes. */
  followsNodes?: boolean;
  /** The pauses after refused writes, where they are not the usual ones. */
  pauses?: Pauses;
  /**
   * Brings one object a step nearer to its spec. Returns when to look again without a change, milliseconds since
   * 1970; undefined: never.
   */
  sync(object: KubeObject): number | undefined;
  /** Sees an object of a resource that it owns, but whose controller is gone. */
  strayed?(child: KubeObject): void;
}

/** What a controller works with. */
export interface WorkloadContext {
  now(): number;
  children: Children;
  record: RecordEvent;
  /** The server refused a write for this object: its sync goes on, and is repeated after a pause, each twice as long. */
  refused(object: KubeObject): void;
  latest<T extends KubeObject>(object: T): T | undefined;
  read(resource: WorkloadResource, namespace: string | undefined, name: string): KubeObject | undefined;
  list(resource: WorkloadResource): KubeObject[];
  create(resource: WorkloadResource, object: Record<string, unknown>): KubeObject;
  /** A merge patch. */
  patch(resource: WorkloadResource, object: KubeObject, body: object): void;
  /** Writes the status, and annotations that a controller keeps in the same request, where they differ. */
  writeStatus(
    resource: WorkloadResource,
    object: KubeObject,
    status: object,
    annotations?: Record<string, string>,
  ): void;
  remove(resource: WorkloadResource, object: KubeObject, options?: DeleteOptions): void;
  /** The children that match the selector, after adopting and releasing. */
  claim(resource: WorkloadResource, owner: KubeObject, selector: LabelSelector | undefined): KubeObject[];
}

function keyOf({ metadata: { name, namespace } }: KubeObject) {
  return namespace === undefined ? { name } : { name, namespace };
}

/** The context of the controller of this name: `replicaset-controller`. */
export function createWorkloadContext(
  { store, server, clock, events }: ControllerContext,
  children: Children,
  name: string,
  refused: (object: KubeObject) => void,
): WorkloadContext {
  const user = `system:serviceaccount:kube-system:${name}`;
  const latest = <T extends KubeObject>({ metadata }: T) => store.byUid(metadata.uid ?? '') as T | undefined;

  function patch(target: WorkloadResource, object: KubeObject, body: object): void {
    server.patch(user, target, keyOf(object), { type: 'merge', body: body as JsonObject });
  }

  /** By a strategic patch, as Kubernetes' controllers send it: a revision whose data are in another order refuses it. */
  function changeOwners(target: WorkloadResource, object: KubeObject, ownerReferences: Json[]): void {
    const body = { metadata: { ownerReferences } };
    server.patch(user, target, keyOf(object), { type: 'strategic', body });
  }

  return {
    now: () => clock.now(),
    children,
    record: events.recorder(user, name),
    refused,
    latest,
    read: (target, namespace = '', object) => store.read(target.id, namespace, object),
    list: (target) => store.list(target.id),
    create: (target, object) => server.create(user, target, object),
    patch,
    writeStatus(target, object, status, annotations) {
      const current = latest(object);
      if (current === undefined) return;
      const { metadata } = current;
      const next = annotations ?? metadata.annotations;
      if (sameValue(current['status'], status) && sameValue(metadata.annotations, next)) return;
      const body = {
        ...current,
        status,
        metadata: next === undefined ? metadata : { ...metadata, annotations: next },
      };
      server.replace(user, target, body, { subresource: 'status' });
    },
    remove(target, object, options = {}) {
      const { uid } = object.metadata;
      server.delete(user, target, keyOf(object), { ...(uid === undefined ? {} : { uid }), ...options });
    },
    claim(target, owner, selector) {
      const owned = children.of(target.id, owner);
      const orphans = children.orphans(target.id, owner.metadata.namespace ?? '');
      const { adopted, released } = claimChanges(owner, selector, owned, orphans);
      for (const each of adopted) changeOwners(target, each, [{ ...controllerReference(owner) }]);
      for (const each of released)
        changeOwners(target, each, [{ $patch: 'delete', uid: owner.metadata.uid ?? '' }]);
      return adopted.length + released.length === 0 ? owned : children.of(target.id, owner);
    },
  };
}
