import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';

/** A version of a resource. */
export interface Versioned {
  resource: Resource;
  version: number;
}

/**
 * The highest version that any of our writes about one target returned, per resource. A target is decided only after each
 * reflector has reached it: a cache older than our own write would repeat actions.
 */
export interface WriteTracker {
  note(resource: Resource, written: KubeObject | undefined): void;
  /** The writes that the caches do not show yet, the newest of each resource. */
  stale(versionOf: (resource: Resource) => number): Versioned[];
  /** Drops a version that the server no longer has: lower versions count from now on. */
  forget(versioned: Versioned): void;
}

export function createWriteTracker(): WriteTracker {
  const written = new Map<Resource, number>();
  return {
    note(resource, object) {
      const version = Number(object?.metadata.resourceVersion ?? 0);
      written.set(resource, Math.max(version, written.get(resource) ?? 0));
    },
    stale(versionOf) {
      return [...written]
        .filter(([resource, version]) => versionOf(resource) < version)
        .map(([resource, version]) => ({ resource, version }));
    },
    forget({ resource, version }) {
      if (written.get(resource) === version) written.delete(resource);
    },
  };
}
