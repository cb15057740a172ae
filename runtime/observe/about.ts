import type { KubeObject } from '../../schemas/wire/object.ts';
import { keyOf, kindIdOf } from './ids.ts';
import { referredKey, type TargetKey } from './target-key.ts';

/** An index of plans and commands by the target that each names; deleted objects are removed. */
export interface About {
  /** Updates the index after a change or deletion. Returns the targets that the object is or was about. */
  file(object: KubeObject, gone: boolean): readonly TargetKey[];
  /** The objects of a kind about a target, by name. */
  of(kind: string, key: TargetKey): KubeObject[];
}

export function createAbout(): About {
  const byTarget = new Map<TargetKey, Map<string, KubeObject>>();
  const targetOf = new Map<string, TargetKey>();
  return {
    file(object, gone) {
      const { target } = (object['spec'] ?? {}) as { target?: unknown };
      const key = referredKey(target, object.metadata.namespace ?? '');
      const id = `${kindIdOf(object)}/${keyOf(object)}`;
      // An edit may name another target: the former one must be reconciled too.
      const before = targetOf.get(id);
      const isLeft = before !== undefined && (gone || before !== key);
      if (isLeft) {
        byTarget.get(before)?.delete(id);
        if (byTarget.get(before)?.size === 0) byTarget.delete(before);
        targetOf.delete(id);
      }
      if (key !== undefined && !gone) {
        const group = byTarget.get(key) ?? new Map<string, KubeObject>();
        byTarget.set(key, group.set(id, object));
        targetOf.set(id, key);
      }
      return [...new Set([...(isLeft ? [before] : []), ...(key === undefined ? [] : [key])])];
    },
    of: (kind, key) =>
      [...(byTarget.get(key)?.values() ?? [])]
        .filter((object) => object.kind === kind)
        .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
  };
}
