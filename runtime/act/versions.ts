import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';

/** A version of a resource. */
export interface Versioned {
  resource: Resource;
  version: number;
}

/**
 * The highest version that any write of ours returned, per target and resource. A target is decided only when each
 * reflector has passed it: a cache that is older than our own write would make us do the same thing again.
 */
export interface OwnWrites<Key> {
  note(key: Key, resource: Resource, written: KubeObject | undefined): void;
  /** The writes that the caches do not show yet, the newest of each resource. */
  behind(key: Key, versionOf: (resource: Resource) => number): Versioned[];
  /** The server does not have what it once returned this version of: lower versions count from now on. */
  forget(key: Key, versioned: Versioned): void;
  delete(key: Key): boolean;
}

export function createOwnWrites<Key>(): OwnWrites<Key> {
  const written = new Map<Key, Map<Resource, number>>();
  return {
    note(key, resource, object) {
      const version = Number(object?.metadata.resourceVersion ?? 0);
      const group = written.get(key) ?? new Map<Resource, number>();
      group.set(resource, Math.max(version, group.get(resource) ?? 0));
      written.set(key, group);
    },
    behind(key, versionOf) {
      return [...(written.get(key) ?? [])]
        .filter(([resource, version]) => versionOf(resource) < version)
        .map(([resource, version]) => ({ resource, version }));
    },
    forget(key, { resource, version }) {
      const group = written.get(key);
      if (group?.get(resource) === version) group.delete(resource);
    },
    delete: (key) => written.delete(key),
  };
}
