import type { Resource } from '../../schemas/wire/cluster.ts';
import { resourceId } from './ids.ts';
import type { TargetKey } from './target-key.ts';

/** One object, by its name. */
export interface Named {
  resource: Pick<Resource, 'group' | 'plural'>;
  /** Empty: it is cluster-scoped. */
  namespace: string;
  name: string;
}

/** An index of the objects that targets name; a target that names none is removed. */
export interface Names {
  /** Sets the objects that a target names. Returns those that no target named until now. */
  target<Each extends Named>(key: TargetKey, named: readonly Each[]): Each[];
  /** The targets that name this object. */
  keysOf(named: Named): Iterable<TargetKey>;
}

export function createNames(): Names {
  const byName = new Map<string, Set<TargetKey>>();
  const namesOf = new Map<TargetKey, ReadonlySet<string>>();
  return {
    target(key, named) {
      const ids = new Set(named.map(nameId));
      const fresh = named.filter((each) => !byName.has(nameId(each)));
      for (const id of namesOf.get(key) ?? []) {
        if (ids.has(id)) continue;
        const keys = byName.get(id);
        keys?.delete(key);
        if (keys?.size === 0) byName.delete(id);
      }
      for (const id of ids) byName.set(id, (byName.get(id) ?? new Set()).add(key));
      if (ids.size === 0) namesOf.delete(key);
      else namesOf.set(key, ids);
      return fresh;
    },
    keysOf: (named) => byName.get(nameId(named)) ?? [],
  };
}

/** Identifies an object by its resource and name. */
export function nameId({ resource, namespace, name }: Named): string {
  return JSON.stringify([resourceId(resource), namespace, name]);
}
