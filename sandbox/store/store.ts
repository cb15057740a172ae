import type { KubeObject } from '../../schemas/wire/object.ts';
import { createHistory, type Commit, type History, type HistoryLimits } from './history.ts';
import { internValue } from './value.ts';

/** The objects of a world by resource, namespace and name, with one revision counter. */
export interface Store {
  revision(): number;
  read(resource: string, namespace: string, name: string): KubeObject | undefined;
  byUid(uid: string): KubeObject | undefined;
  /** Objects sorted by namespace and name. Cluster-scoped objects have the namespace ''. */
  list(resource: string, namespace?: string): KubeObject[];
  /** The same at `revision`; undefined if the history was compacted. */
  listAt(resource: string, namespace: string | undefined, revision: number): KubeObject[] | undefined;
  /** Stores an object (sets its resourceVersion) and returns the deep-frozen stored form. */
  write(change: StoreChange): KubeObject;
  /** Removes an object; returns its last state, with the resourceVersion of the deletion. */
  remove(change: StoreChange): KubeObject;
  history(resource: string): History;
  /** Calls `listener` synchronously with each later commit of a resource. Returns a function that stops it. */
  follow(resource: string, listener: (commit: Commit) => void): () => void;
  /** The same for all resources. */
  followAll(listener: (commit: Commit) => void): () => void;
  /** All state, in restore order. */
  state(): State;
  /** Sends all objects to the followers as ADDED, which initializes controllers after a restore. */
  replay(): void;
}

/** The state needed to restore a store. */
export interface State {
  /** The latest revision; the next commit increments it. */
  revision: number;
  /** Milliseconds since 1970 UTC of the latest commit. */
  time: number;
  objects: readonly { resource: string; object: KubeObject }[];
}

export interface StoreChange {
  user: string;
  resource: string;
  object: KubeObject;
}

interface Shelf {
  objects: Map<string, KubeObject>;
  /** Cached sorted names, until an object is added or removed. */
  names: string[] | undefined;
}

interface Bucket {
  shelves: Map<string, Shelf>;
  history: History;
  followers: Set<(commit: Commit) => void>;
  /** The object created last, to share structure with similar new objects. */
  newest: KubeObject | undefined;
}

export interface StoreOptions {
  now: () => number;
  /** Limits per resource. */
  history: HistoryLimits;
  /** The state to restore; it has no history. */
  restored?: State | undefined;
  /** Persists a commit before it takes effect. An exception rejects the write without changes. */
  persist?: ((commit: Commit, before: () => State) => void) | undefined;
}

/** Definitions, namespaces and nodes are restored first. */
const foundations = ['customresourcedefinitions.apiextensions.k8s.io', 'namespaces', 'nodes'];

/** The key order of etcd: `namespace/name`, bytewise. */
function byKey(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function objectKey(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}

export function createStore({ now, history, restored, persist }: StoreOptions): Store {
  const buckets = new Map<string, Bucket>();
  const uids = new Map<string, KubeObject>();
  const followers = new Set<(commit: Commit) => void>();
  const oldest = restored?.revision ?? 0;
  let revision = oldest;
  let latest = restored?.time ?? 0;

  function bucketOf(resource: string): Bucket {
    let bucket = buckets.get(resource);
    if (bucket === undefined) {
      bucket = {
        shelves: new Map(),
        history: createHistory(history, oldest),
        followers: new Set(),
        newest: undefined,
      };
      buckets.set(resource, bucket);
    }
    return bucket;
  }

  function shelfOf(resource: string, namespace: string): Shelf {
    const { shelves } = bucketOf(resource);
    let shelf = shelves.get(namespace);
    if (shelf === undefined) {
      shelf = { objects: new Map(), names: undefined };
      shelves.set(namespace, shelf);
    }
    return shelf;
  }

  function shelfItems(shelf: Shelf): KubeObject[] {
    shelf.names ??= [...shelf.objects.keys()].sort(byKey);
    const items: KubeObject[] = [];
    for (const name of shelf.names) {
      const object = shelf.objects.get(name);
      if (object !== undefined) items.push(object);
    }
    return items;
  }

  function list(resource: string, namespace?: string): KubeObject[] {
    const { shelves } = bucketOf(resource);
    if (namespace !== undefined) {
      const shelf = shelves.get(namespace);
      return shelf === undefined ? [] : shelfItems(shelf);
    }
    const names = [...shelves.keys()].sort((a, b) => byKey(`${a}/`, `${b}/`));
    return names.flatMap((name) => shelfItems(shelfOf(resource, name)));
  }

  function listAt(resource: string, namespace: string | undefined, at: number): KubeObject[] | undefined {
    const later = bucketOf(resource).history.after(at);
    if (later === undefined) return undefined;
    if (later.length === 0) return list(resource, namespace);
    const objects = new Map(list(resource, namespace).map((object) => [objectKey(object), object]));
    for (const commit of later.toReversed()) {
      if (namespace !== undefined && commit.object.metadata.namespace !== namespace) continue;
      if (commit.previous === undefined) objects.delete(objectKey(commit.object));
      else objects.set(objectKey(commit.object), commit.previous);
    }
    return [...objects].sort(([a], [b]) => byKey(a, b)).map(([, object]) => object);
  }

  /** Takes effect here, unless persisting fails. */
  function record(change: StoreChange, type: Commit['type'], previous: KubeObject | undefined): KubeObject {
    const { user, resource } = change;
    const bucket = bucketOf(resource);
    const metadata = { ...change.object.metadata, resourceVersion: String(revision + 1) };
    // Frozen objects are already interned.
    const known = Object.isFrozen(change.object) ? change.object : previous;
    const object = internValue({ ...change.object, metadata } satisfies KubeObject, known, bucket.newest);
    const made = { revision: revision + 1, at: now(), user, type, resource, object, previous };
    persist?.(made, state);
    revision = made.revision;
    latest = made.at;
    put(made);
    bucket.history.append(made);
    for (const listener of bucket.followers) listener(made);
    for (const listener of followers) listener(made);
    return object;
  }

  function put({
    type,
    resource,
    object,
    previous,
  }: Pick<Commit, 'type' | 'resource' | 'object' | 'previous'>): void {
    const { name, namespace, uid } = object.metadata;
    const shelf = shelfOf(resource, namespace ?? '');
    if (type === 'DELETED') {
      shelf.objects.delete(name);
      if (uid !== undefined) uids.delete(uid);
    } else {
      shelf.objects.set(name, object);
      if (uid !== undefined) uids.set(uid, object);
      if (previous === undefined) bucketOf(resource).newest = object;
    }
    if (type !== 'MODIFIED') shelf.names = undefined;
  }

  function state(): State {
    const others = [...buckets.keys()].filter((resource) => !foundations.includes(resource)).sort(byKey);
    const objects = [...foundations, ...others].flatMap((resource) =>
      list(resource).map((object) => ({ resource, object })),
    );
    return { revision, time: latest, objects };
  }

  for (const { resource, object } of restored?.objects ?? [])
    put({
      type: 'ADDED',
      resource,
      object: internValue(object, undefined, bucketOf(resource).newest),
      previous: undefined,
    });

  return {
    revision: () => revision,
    read: (resource, namespace, name) => buckets.get(resource)?.shelves.get(namespace)?.objects.get(name),
    byUid: (uid) => uids.get(uid),
    list,
    listAt,
    write(change) {
      const { namespace = '', name } = change.object.metadata;
      const previous = shelfOf(change.resource, namespace).objects.get(name);
      return record(change, previous === undefined ? 'ADDED' : 'MODIFIED', previous);
    },
    remove(change) {
      const { namespace = '', name } = change.object.metadata;
      return record(change, 'DELETED', shelfOf(change.resource, namespace).objects.get(name));
    },
    history: (resource) => bucketOf(resource).history,
    follow(resource, listener) {
      const bucket = bucketOf(resource);
      bucket.followers.add(listener);
      return () => bucket.followers.delete(listener);
    },
    followAll(listener) {
      followers.add(listener);
      return () => followers.delete(listener);
    },
    state,
    replay() {
      for (const { resource, object } of state().objects) {
        const again: Commit = {
          revision,
          at: now(),
          user: 'system:apiserver',
          type: 'ADDED',
          resource,
          object,
          previous: undefined,
        };
        for (const listener of bucketOf(resource).followers) listener(again);
        for (const listener of followers) listener(again);
      }
    },
  };
}
