import type { KubeObject, ObjectMeta } from '../../schemas/wire/object.ts';
import { controllerOf } from '../../semantics/owner.ts';
import { areSiblings, belongsTo, type PodWorkload, workloadOfPod } from '../../semantics/pod/workload.ts';
import { isPullPod } from '../../semantics/pull/pod.ts';
import { type LabelSelector, selectorPredicate } from '../../semantics/values/selector.ts';
import { keyOf } from './ids.ts';
import { createSorted, type Sorted } from './sorted.ts';
import type { TargetKey } from './target-key.ts';

/** The pods that a target selects. */
export interface Selection {
  selector: LabelSelector;
  /** Names; undefined: the namespace of the target, or all namespaces for a cluster-scoped target. */
  namespaces: readonly string[] | undefined;
  /** Only pods that belong to it. Default: pods of any. */
  workload?: PodWorkload;
  /** Only the pod of this name. Default: pods of any. */
  podName?: string;
}

/**
 * An index of pods by the targets that select them, whatever controls the pods; deleted objects are removed. Pods that only pull images
 * count for no selector: they are no pods of an application, whatever labels they have.
 */
export interface Selections {
  /**
   * Sets the selection of a target; undefined: it selects no pods. Returns true if the selection has changed: it may then
   * include pods that are not cached.
   *
   * @param cached the pods that are cached now. Default: those that any target selects
   */
  target(key: TargetKey, selection: Selection | undefined, cached?: Iterable<KubeObject>): boolean;
  /** Whether this is the selection of a target. */
  has(key: TargetKey, selection: Selection): boolean;
  /** A pod changed or was deleted. Returns the targets that select it, or did until now. */
  pod(object: KubeObject, gone: boolean): readonly TargetKey[];
  /** Whether any target selects such a pod. */
  selects(object: KubeObject): boolean;
  /** The targets that select such a pod. */
  keysOf(object: KubeObject): readonly TargetKey[];
  /** Whether a target selects the pod by its name. */
  isNamed(object: KubeObject): boolean;
  /** The targets that select the same pod by its name as this one does, which is left out. */
  sharing(key: TargetKey): readonly TargetKey[];
  /** The pods that a target selects, by namespace and name; the list is immutable. */
  podsOf(key: TargetKey): readonly KubeObject[];
  /** How often labels were compared with a selector. */
  readonly comparisons: number;
}

interface Selecting {
  key: TargetKey;
  /** The selection as JSON. */
  text: string;
  /** What every selected pod has: a name (`nameMark`), a workload (`workloadMark`), or a label (`labelId`). Undefined: no single one. */
  mark: string | undefined;
  isOfWorkload: boolean;
  matches(object: KubeObject): boolean;
  pods: Sorted;
}

type Labels = Readonly<Record<string, string>>;

/** The targets that select a pod in one of its versions, and the pod, or what tells its versions apart. */
interface Member<Versioned> {
  object: Versioned;
  keys: readonly TargetKey[];
}

type Version = { readonly metadata: Pick<ObjectMeta, 'uid' | 'resourceVersion'> };

/**
 * Labels are compared only with the selectors that require one of them, and once for each change of the labels: `selects`
 * and `pod` share the result. Selections of a workload are looked up by it.
 */
export function createSelections(): Selections {
  const selecting = new Map<TargetKey, Selecting>();
  /** By `mark`. */
  const byMark = new Map<string | undefined, Set<Selecting>>();
  /** By `keyOf`. */
  const members = new Map<string, Member<KubeObject>>();
  /** By `keyOf`, of pods that `pod` is about to index. */
  const found = new Map<string, Member<Version>>();
  let comparisons = 0;
  /** How many selections are of a workload. */
  let ofWorkloads = 0;

  function* candidatesFor(object: KubeObject): Generator<Selecting> {
    const { labels = NO_LABELS } = object.metadata;
    yield* byMark.get(nameMark(object.metadata)) ?? [];
    for (const name in labels) yield* byMark.get(labelId(name, labels[name] ?? '')) ?? [];
    const workload = ofWorkloads === 0 ? undefined : workloadOfPod(object);
    if (workload !== undefined) yield* byMark.get(workloadMark(workload)) ?? [];
    yield* byMark.get(undefined) ?? [];
  }

  function matches(each: Selecting, object: KubeObject): boolean {
    comparisons += 1;
    return each.matches(object);
  }

  function keysOf(id: string, object: KubeObject): readonly TargetKey[] {
    const [seen, member] = [found.get(id), members.get(id)];
    // `selects` and `pod` are asked about each event of a pod.
    if (seen !== undefined && isSameVersion(seen.object, object)) return seen.keys;
    if (member !== undefined && isAlike(member.object, object)) return member.keys;
    const fitting = [...candidatesFor(object)].filter((each) => matches(each, object));
    return fitting.map(({ key }) => key);
  }

  function file(id: string, object: KubeObject | undefined, keys: readonly TargetKey[]): void {
    for (const key of members.get(id)?.keys ?? [])
      if (!keys.includes(key)) selecting.get(key)?.pods.delete(id);
    if (object === undefined || keys.length === 0) {
      members.delete(id);
      return;
    }
    for (const key of keys) selecting.get(key)?.pods.put(id, object);
    members.set(id, { object, keys });
  }

  function drop(key: TargetKey): void {
    const gone = selecting.get(key);
    if (gone === undefined) return;
    for (const object of gone.pods.values()) {
      const id = keyOf(object);
      const keys = members.get(id)?.keys ?? [];
      file(
        id,
        object,
        keys.filter((each) => each !== key),
      );
    }
    selecting.delete(key);
    byMark.get(gone.mark)?.delete(gone);
    if (byMark.get(gone.mark)?.size === 0) byMark.delete(gone.mark);
    if (gone.isOfWorkload) ofWorkloads -= 1;
  }

  function add(each: Selecting, cached: Iterable<KubeObject>): void {
    selecting.set(each.key, each);
    byMark.set(each.mark, (byMark.get(each.mark) ?? new Set()).add(each));
    if (each.isOfWorkload) ofWorkloads += 1;
    for (const object of cached) {
      if (!matches(each, object)) continue;
      const id = keyOf(object);
      file(id, object, [...(members.get(id)?.keys ?? []), each.key]);
    }
  }

  return {
    target(key, selection, cached) {
      const text = selection && textOf(selection);
      if (selecting.get(key)?.text === text) return false;
      found.clear();
      const all = cached ?? [...members.values()].map(({ object }) => object);
      drop(key);
      if (selection === undefined || text === undefined) return false;
      const mark = markOf(key, selection);
      const isOfWorkload = selection.workload !== undefined;
      add({ key, text, mark, isOfWorkload, matches: matching(key, selection), pods: createSorted() }, all);
      return true;
    },
    has: (key, selection) => selecting.get(key)?.text === textOf(selection),
    pod(object, gone) {
      if (selecting.size === 0) return [];
      const id = keyOf(object);
      const before = members.get(id)?.keys ?? [];
      const keys = gone ? [] : keysOf(id, object);
      found.delete(id);
      file(id, gone ? undefined : object, keys);
      return before === keys ? keys : [...new Set([...before, ...keys])];
    },
    selects(object) {
      if (selecting.size === 0) return false;
      const id = keyOf(object);
      const keys = keysOf(id, object);
      const isSelected = keys.length > 0;
      // A pod that no target selects is not cached, so `pod` is not called for it.
      if (isSelected && !isSameVersion(members.get(id)?.object, object)) {
        const { uid, resourceVersion } = object.metadata;
        found.set(id, { object: { metadata: { uid, resourceVersion } }, keys });
      }
      return isSelected;
    },
    keysOf: (object) => (selecting.size === 0 ? [] : keysOf(keyOf(object), object)),
    isNamed: ({ metadata }) => byMark.has(nameMark(metadata)),
    sharing(key) {
      const mark = selecting.get(key)?.mark;
      if (mark === undefined || !isNameMark(mark)) return [];
      return [...(byMark.get(mark) ?? [])].map((each) => each.key).filter((each) => each !== key);
    },
    podsOf: (key) => selecting.get(key)?.pods.values() ?? [],
    get comparisons() {
      return comparisons;
    },
  };
}

function textOf({ selector, namespaces, workload, podName }: Selection): string {
  return JSON.stringify([selector, namespaces, workload, podName]);
}

const NO_LABELS: Labels = {};

function markOf({ namespace }: TargetKey, { podName, workload, selector }: Selection): string | undefined {
  if (podName !== undefined) return nameMark({ namespace, name: podName });
  return workload === undefined ? sharedLabel(selector) : workloadMark(workload);
}

/** No label and no workload has such an id. */
const NAME_MARK = 'pod ';

function nameMark({ namespace = '', name }: Pick<ObjectMeta, 'namespace' | 'name'>): string {
  return `${NAME_MARK}${namespace}/${name}`;
}

function isNameMark(mark: string): boolean {
  return mark.startsWith(NAME_MARK);
}

/** No label has such an id. Workloads of other kinds may have the same name: the comparison of a pod checks its kind. */
function workloadMark({ name }: PodWorkload): string {
  return `workload ${name}`;
}

function labelId(name: string, value: string): string {
  return `${name}=${value}`;
}

function sharedLabel({ matchLabels = {} }: LabelSelector): string | undefined {
  const [first] = Object.entries(matchLabels);
  return first && labelId(...first);
}

function matching({ namespace: own }: TargetKey, { selector, namespaces, workload, podName }: Selection) {
  const matches = selectorPredicate(selector);
  const among = new Set(namespaces ?? (own === '' ? undefined : [own]));
  const isEverywhere = namespaces === undefined && own === '';
  return (object: KubeObject): boolean => {
    const { namespace = '', name, labels } = object.metadata;
    if (podName !== undefined && name !== podName) return false;
    if (podName === undefined && isPullPod(object)) return false;
    const isThere = isEverywhere || among.has(namespace);
    return isThere && matches(labels) && (workload === undefined || belongsTo(object, workload));
  };
}

function isSameVersion(one: Version | undefined, { metadata: { uid, resourceVersion } }: Version): boolean {
  return (
    resourceVersion !== undefined &&
    one?.metadata.resourceVersion === resourceVersion &&
    one.metadata.uid === uid
  );
}

/** Whether the same targets select two versions of a pod. */
function isAlike(one: KubeObject, other: KubeObject): boolean {
  if (isSameVersion(one, other)) return true;
  const isOfNone = controllerOf(one) === undefined;
  const isSameController = isOfNone ? controllerOf(other) === undefined : areSiblings(one, other);
  return isSameController && haveSameLabels(one.metadata.labels, other.metadata.labels);
}

function haveSameLabels(one: Labels = NO_LABELS, other: Labels = NO_LABELS): boolean {
  for (const key in one) if (one[key] !== other[key]) return false;
  for (const key in other) if (one[key] !== other[key]) return false;
  return true;
}
