import type { TargetKey } from './target-key.ts';

/** The objects that are reconciled soon, as pods of targets wait for them. */
export interface Soon {
  /** What a target waits for. Returns those that it has not waited for before and that are reconciled soon. */
  set(waiting: TargetKey, keys: Iterable<TargetKey>): TargetKey[];
  has(key: TargetKey): boolean;
}

/** How many of one namespace are reconciled soon, the first ones: whoever has more of them over one pod makes each change of it cost no more. */
const MOST_OF_NAMESPACE = 20;

export function createSoon(): Soon {
  /** By namespace, then by object: the targets that wait for it. */
  const namespaces = new Map<string, Map<TargetKey, Set<TargetKey>>>();
  const byWaiting = new Map<TargetKey, ReadonlySet<TargetKey>>();

  function add(waiting: TargetKey, key: TargetKey): boolean {
    const objects = namespaces.get(key.namespace) ?? new Map<TargetKey, Set<TargetKey>>();
    const targets = objects.get(key) ?? new Set<TargetKey>();
    if (targets.size === 0 && objects.size >= MOST_OF_NAMESPACE) return false;
    namespaces.set(key.namespace, objects.set(key, targets.add(waiting)));
    return true;
  }

  function remove(waiting: TargetKey, key: TargetKey): void {
    const objects = namespaces.get(key.namespace);
    const targets = objects?.get(key);
    targets?.delete(waiting);
    if (targets?.size === 0) objects?.delete(key);
    if (objects?.size === 0) namespaces.delete(key.namespace);
  }

  return {
    set(waiting, keys) {
      const before = byWaiting.get(waiting) ?? new Set<TargetKey>();
      const wanted = new Set(keys);
      for (const key of before) if (!wanted.has(key)) remove(waiting, key);
      const after = [...wanted].filter((key) => before.has(key) || add(waiting, key));
      if (after.length === 0) byWaiting.delete(waiting);
      else byWaiting.set(waiting, new Set(after));
      return after.filter((key) => !before.has(key));
    },
    has: (key) => namespaces.get(key.namespace)?.has(key) === true,
  };
}
