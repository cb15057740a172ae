import type { KubeObject } from '../../schemas/wire/object.ts';
import { createHistory, type Commit, type History } from './history.ts';
import { adopt } from './value.ts';

/** The state of the world: objects by resource, namespace and name, under one revision counter. */
export interface Store {
  revision(): number;
  read(resource: string, namespace: string, name: string): KubeObject | undefined;
  byUid(uid: string): KubeObject | undefined;
  /** Objects sorted by namespace and name. Cluster-scoped objects live in the namespace ''. */
  list(resource: string, namespace?: string): KubeObject[];
  /** The same as it was at `revision`, or undefined when the history no longer reaches back. */
  listAt(resource: string, namespace: string | undefined, revision: number): KubeObject[] | undefined;
  /** Writes an object (its resourceVersion is set here) and returns it as kept: deep-frozen. */
  write(change: StoreChange): KubeObject;
  /** Removes an object; returns its last state, with the resourceVersion of the deletion. */
  remove(change: StoreChange): KubeObject;
  history(resource: string): History;
  /** Calls `listener` with each later commit of one resource, synchronously. Returns the way to stop. */
  follow(resource: string, listener: (commit: Commit) => void): () => void;
  /** The same for all resources. */
  followAll(listener: (commit: Commit) => void): () => void;
}

export interface StoreChange {
  user: string;
  resource: string;
  object: KubeObject;
}

interface Shelf {
  objects: Map<string, KubeObject>;
  /** Sorted names, until one comes or goes. */
  names: string[] | undefined;
}

interface Bucket {
  shelves: Map<string, Shelf>;
  history: History;
  followers: Set<(commit: Commit) => void>;
  /** The object created last: its siblings share what they have in common with it. */
  newest: KubeObject | undefined;
}

export interface StoreOptions {
  now: () => number;
  /** Commits remembered for each resource. */
  historySize: number;
}

/** Order of keys in etcd: `namespace/name`, byte by byte. */
function byKey(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function objectKey(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}

export function createStore({ now, historySize }: StoreOptions): Store {
  const buckets = new Map<string, Bucket>();
  const uids = new Map<string, KubeObject>();
  const followers = new Set<(commit: Commit) => void>();
  let revision = 0;

  function bucketOf(resource: string): Bucket {
    let bucket = buckets.get(resource);
    if (bucket === undefined) {
      bucket = {
        shelves: new Map(),
        history: createHistory(historySize),
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

  function publish(commit: Commit): void {
    const bucket = bucketOf(commit.resource);
    bucket.history.append(commit);
    for (const listener of bucket.followers) listener(commit);
    for (const listener of followers) listener(commit);
  }

  function stamped(object: KubeObject, previous: KubeObject | undefined): KubeObject {
    revision += 1;
    return adopt(
      { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } } satisfies KubeObject,
      previous,
    );
  }

  return {
    revision: () => revision,
    read: (resource, namespace, name) => buckets.get(resource)?.shelves.get(namespace)?.objects.get(name),
    byUid: (uid) => uids.get(uid),
    list,
    listAt,
    write({ user, resource, object }) {
      const shelf = shelfOf(resource, object.metadata.namespace ?? '');
      const previous = shelf.objects.get(object.metadata.name);
      const bucket = bucketOf(resource);
      const kept = stamped(object, previous ?? bucket.newest);
      if (previous === undefined) {
        shelf.names = undefined;
        bucket.newest = kept;
      }
      shelf.objects.set(kept.metadata.name, kept);
      if (kept.metadata.uid !== undefined) uids.set(kept.metadata.uid, kept);
      const type = previous === undefined ? 'ADDED' : 'MODIFIED';
      publish({ revision, at: now(), user, type, resource, object: kept, previous });
      return kept;
    },
    remove({ user, resource, object }) {
      const shelf = shelfOf(resource, object.metadata.namespace ?? '');
      const previous = shelf.objects.get(object.metadata.name);
      const last = stamped(object, previous);
      shelf.objects.delete(object.metadata.name);
      shelf.names = undefined;
      if (last.metadata.uid !== undefined) uids.delete(last.metadata.uid);
      publish({ revision, at: now(), user, type: 'DELETED', resource, object: last, previous });
      return last;
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
  };
}
