import type { KubeObject } from '../../schemas/wire/object.ts';
import { type LabelSelector, selectorPredicate } from '../../semantics/values/selector.ts';
import { keyOf } from './reflector.ts';
import { createSorted, type Sorted } from './sorted.ts';
import type { TargetKey } from './target-key.ts';

/** What a target selects. */
export interface Selection {
  selector: LabelSelector;
  /** By name; undefined: that of the target, or every one where the target lies in none. */
  namespaces: readonly string[] | undefined;
}

/** Which pods are selected by which target, whoever controls them; nothing is kept of what is gone. */
export interface Selections {
  /**
   * The target selects this from now on; undefined: nothing. True: that is new, and pods that nobody has kept may be among
   * them.
   */
  target(key: TargetKey, selection: Selection | undefined): boolean;
  /** A pod changed or went. Returns the targets that select it, or did until now. */
  pod(object: KubeObject, gone: boolean): readonly TargetKey[];
  /** Whether any target selects such a pod. */
  selects(object: KubeObject): boolean;
  /** The pods that a target selects, by namespace and name; the list stays as it is, whatever changes later. */
  podsOf(key: TargetKey): readonly KubeObject[];
}

interface Selecting {
  /** What it was made of. */
  text: string;
  matches(object: KubeObject): boolean;
  pods: Sorted;
}

interface Member {
  object: KubeObject;
  keys: readonly TargetKey[];
}

export function createSelections(): Selections {
  const selecting = new Map<TargetKey, Selecting>();
  /** By `keyOf`: whether labels match is computed once for each change of them, for all targets. */
  const members = new Map<string, Member>();

  function keysOf(object: KubeObject): TargetKey[] {
    return [...selecting].flatMap(([key, { matches }]) => (matches(object) ? [key] : []));
  }

  function file(id: string, object: KubeObject | undefined, keys: readonly TargetKey[]): void {
    const before = members.get(id);
    for (const key of before?.keys ?? []) if (!keys.includes(key)) selecting.get(key)?.pods.delete(id);
    if (object === undefined || keys.length === 0) {
      members.delete(id);
      return;
    }
    for (const key of keys) selecting.get(key)?.pods.put(id, object);
    members.set(id, { object, keys });
  }

  return {
    target(key, selection) {
      const before = selecting.get(key);
      const text = selection && JSON.stringify([selection.selector, selection.namespaces]);
      if (before?.text === text) return false;
      if (selection === undefined || text === undefined) selecting.delete(key);
      else selecting.set(key, { text, matches: matching(key, selection), pods: createSorted() });
      for (const [id, { object }] of [...members]) file(id, object, keysOf(object));
      return selection !== undefined;
    },
    pod(object, gone) {
      if (selecting.size === 0) return [];
      const id = keyOf(object);
      const before = members.get(id);
      const isSame = before !== undefined && sameLabels(before.object, object);
      const keys = gone ? [] : isSame ? before.keys : keysOf(object);
      file(id, object, keys);
      return [...new Set([...(before?.keys ?? []), ...keys])];
    },
    selects(object) {
      for (const { matches } of selecting.values()) if (matches(object)) return true;
      return false;
    },
    podsOf: (key) => selecting.get(key)?.pods.values() ?? [],
  };
}

function matching({ namespace: own }: TargetKey, { selector, namespaces }: Selection) {
  const matches = selectorPredicate(selector);
  const among = new Set(namespaces ?? (own === '' ? undefined : [own]));
  const isEverywhere = namespaces === undefined && own === '';
  return ({ metadata: { namespace = '', labels } }: KubeObject): boolean =>
    (isEverywhere || among.has(namespace)) && matches(labels);
}

function sameLabels(a: KubeObject, b: KubeObject): boolean {
  const { labels: one = {} } = a.metadata;
  const { labels: other = {} } = b.metadata;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
