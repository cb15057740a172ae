import type { KubeObject } from '../../schemas/wire/object.ts';
import type { TargetKey } from './target-key.ts';
import { trailingDigits } from '../../semantics/values/text.ts';

/** An index of objects by name without the number at its end, for the targets whose units have numbers. */
export interface Numbered {
  /**
   * Sets the names without number that a target needs, in its own namespace. Returns whether no target needed one of them
   * until now.
   */
  target(key: TargetKey, prefixes: readonly string[]): boolean;
  /** No target needs any. */
  readonly isEmpty: boolean;
  /** Whether a target needs this object. */
  isNeeded(object: KubeObject): boolean;
  /** Updates the index after a change or deletion. Returns the targets that need the object. */
  file(object: KubeObject, gone: boolean): readonly TargetKey[];
  /** The objects with these names in a namespace. */
  of(namespace: string, prefixes: readonly string[]): KubeObject[];
}

interface Group {
  keys: Set<TargetKey>;
  /** By name. */
  objects: Map<string, KubeObject>;
}

export function createNumbered(): Numbered {
  const groups = new Map<string, Group>();
  const neededBy = new Map<TargetKey, ReadonlySet<string>>();

  const groupOf = ({ metadata: { namespace = '', name } }: KubeObject): Group | undefined => {
    const prefix = name.slice(0, name.length - trailingDigits(name).length);
    return prefix === name ? undefined : groups.get(idOf(namespace, prefix));
  };

  return {
    target(key, prefixes) {
      const ids = new Set(prefixes.map((prefix) => idOf(key.namespace, prefix)));
      for (const id of neededBy.get(key) ?? []) {
        if (ids.has(id)) continue;
        const group = groups.get(id);
        group?.keys.delete(key);
        if (group?.keys.size === 0) groups.delete(id);
      }
      const fresh = [...ids].filter((id) => !groups.has(id));
      for (const id of fresh) groups.set(id, { keys: new Set(), objects: new Map() });
      for (const id of ids) groups.get(id)?.keys.add(key);
      if (ids.size === 0) neededBy.delete(key);
      else neededBy.set(key, ids);
      return fresh.length > 0;
    },
    get isEmpty() {
      return groups.size === 0;
    },
    isNeeded: (object) => groupOf(object) !== undefined,
    file(object, gone) {
      const group = groupOf(object);
      if (group === undefined) return [];
      if (gone) group.objects.delete(object.metadata.name);
      else group.objects.set(object.metadata.name, object);
      return [...group.keys];
    },
    of: (namespace, prefixes) =>
      prefixes.flatMap((prefix) => [...(groups.get(idOf(namespace, prefix))?.objects.values() ?? [])]),
  };
}

function idOf(namespace: string, prefix: string): string {
  return `${namespace}/${prefix}`;
}
