import type { KubeObject } from '../../schemas/wire/object.ts';
import { type LabelSelector, selectorPredicate } from '../../semantics/values/selector.ts';
import { keyOf } from './ids.ts';
import { createSorted, type Sorted } from './sorted.ts';
import type { TargetKey } from './target-key.ts';

/** The pods that a target selects. */
export interface Selection {
  selector: LabelSelector;
  /** Names; undefined: the namespace of the target, or all namespaces for a cluster-scoped target. */
  namespaces: readonly string[] | undefined;
}

/** An index of pods by the targets that select them, whatever controls the pods; deleted objects are removed. */
export interface Selections {
  /**
   * Sets the selection of a target; undefined: it selects no pods. Returns true if the selection has changed: it may then
   * include pods that are not cached.
   *
   * @param cached the pods that are cached now. Default: those that any target selects
   */
  target(key: TargetKey, selection: Selection | undefined, cached?: Iterable<KubeObject>): boolean;
  /** A pod changed or was deleted. Returns the targets that select it, or did until now. */
  pod(object: KubeObject, gone: boolean): readonly TargetKey[];
  /** Whether any target selects such a pod. */
  selects(object: KubeObject): boolean;
  /** The pods that a target selects, by namespace and name; the list is immutable. */
  podsOf(key: TargetKey): readonly KubeObject[];
  /** How often labels were compared with a selector. */
  readonly comparisons: number;
}

interface Selecting {
  key: TargetKey;
  /** The selection as JSON. */
  text: string;
  /** A label that every selected pod has, as `labelId`; undefined: the selector requires no single value. */
  label: string | undefined;
  matches(object: KubeObject): boolean;
  pods: Sorted;
}

type Labels = Readonly<Record<string, string>>;

interface Membership {
  labels: Labels;
  keys: readonly TargetKey[];
}

interface Member extends Membership {
  object: KubeObject;
}

/**
 * Labels are compared only with the selectors that require one of them, and once for each change of the labels: `selects`
 * and `pod` share the result.
 */
export function createSelections(): Selections {
  const selecting = new Map<TargetKey, Selecting>();
  /** By `label`. */
  const byLabel = new Map<string | undefined, Set<Selecting>>();
  /** By `keyOf`. */
  const members = new Map<string, Member>();
  /** By `keyOf`, of pods that `pod` is about to index. */
  const found = new Map<string, Membership>();
  let comparisons = 0;

  function* candidatesFor(labels: Labels): Generator<Selecting> {
    for (const name in labels) yield* byLabel.get(labelId(name, labels[name] ?? '')) ?? [];
    yield* byLabel.get(undefined) ?? [];
  }

  function matches(each: Selecting, object: KubeObject): boolean {
    comparisons += 1;
    return each.matches(object);
  }

  function membershipOf(object: KubeObject): Membership {
    const id = keyOf(object);
    const labels = object.metadata.labels ?? {};
    for (const known of [found.get(id), members.get(id)])
      if (known !== undefined && sameLabels(known.labels, labels)) return known;
    const fitting = [...candidatesFor(labels)].filter((each) => matches(each, object));
    return { labels, keys: fitting.map(({ key }) => key) };
  }

  function file(id: string, object: KubeObject | undefined, { labels, keys }: Membership): void {
    const before = members.get(id);
    for (const key of before?.keys ?? []) if (!keys.includes(key)) selecting.get(key)?.pods.delete(id);
    if (object === undefined || keys.length === 0) {
      members.delete(id);
      return;
    }
    for (const key of keys) selecting.get(key)?.pods.put(id, object);
    members.set(id, { object, labels, keys });
  }

  function drop(key: TargetKey): void {
    const gone = selecting.get(key);
    if (gone === undefined) return;
    for (const object of gone.pods.values()) {
      const id = keyOf(object);
      const { labels, keys } = members.get(id) ?? { labels: {}, keys: [] };
      file(id, object, { labels, keys: keys.filter((each) => each !== key) });
    }
    selecting.delete(key);
    byLabel.get(gone.label)?.delete(gone);
    if (byLabel.get(gone.label)?.size === 0) byLabel.delete(gone.label);
  }

  function add(each: Selecting, cached: Iterable<KubeObject>): void {
    selecting.set(each.key, each);
    byLabel.set(each.label, (byLabel.get(each.label) ?? new Set()).add(each));
    for (const object of cached) {
      if (!matches(each, object)) continue;
      const id = keyOf(object);
      const keys = members.get(id)?.keys ?? [];
      file(id, object, { labels: object.metadata.labels ?? {}, keys: [...keys, each.key] });
    }
  }

  return {
    target(key, selection, cached) {
      const text = selection && JSON.stringify([selection.selector, selection.namespaces]);
      if (selecting.get(key)?.text === text) return false;
      found.clear();
      const all = cached ?? [...members.values()].map(({ object }) => object);
      drop(key);
      if (selection === undefined || text === undefined) return false;
      const label = sharedLabel(selection.selector);
      add({ key, text, label, matches: matching(key, selection), pods: createSorted() }, all);
      return true;
    },
    pod(object, gone) {
      if (selecting.size === 0) return [];
      const id = keyOf(object);
      const before = members.get(id)?.keys ?? [];
      const membership = gone ? { labels: {}, keys: [] } : membershipOf(object);
      found.delete(id);
      file(id, gone ? undefined : object, membership);
      return [...new Set([...before, ...membership.keys])];
    },
    selects(object) {
      if (selecting.size === 0) return false;
      const membership = membershipOf(object);
      const isSelected = membership.keys.length > 0;
      const id = keyOf(object);
      // A pod that no target selects is not cached, so `pod` is not called for it.
      if (isSelected && members.get(id) !== membership) found.set(id, membership);
      return isSelected;
    },
    podsOf: (key) => selecting.get(key)?.pods.values() ?? [],
    get comparisons() {
      return comparisons;
    },
  };
}

function labelId(name: string, value: string): string {
  return `${name}=${value}`;
}

function sharedLabel({ matchLabels = {} }: LabelSelector): string | undefined {
  const [first] = Object.entries(matchLabels);
  return first && labelId(...first);
}

function matching({ namespace: own }: TargetKey, { selector, namespaces }: Selection) {
  const matches = selectorPredicate(selector);
  const among = new Set(namespaces ?? (own === '' ? undefined : [own]));
  const isEverywhere = namespaces === undefined && own === '';
  return ({ metadata: { namespace = '', labels } }: KubeObject): boolean =>
    (isEverywhere || among.has(namespace)) && matches(labels);
}

function sameLabels(one: Labels, other: Labels): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
