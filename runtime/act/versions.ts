import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';

/**
 * The highest version that any write of ours returned, per target and resource. A target is decided only when each
 * reflector has passed it: a cache that is older than our own write would make us do the same thing again.
 */
export interface OwnWrites<Key> {
  note(key: Key, resource: Resource, written: KubeObject | undefined): void;
  /** The resources of which this target's cache is still behind. */
  behind(key: Key, versionOf: (resource: Resource) => number): Resource[];
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
        .map(([resource]) => resource);
    },
    delete: (key) => written.delete(key),
  };
}
