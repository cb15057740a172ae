import type { KubeObject, ObjectMeta } from '../../schemas/wire/object.ts';
import { tupleId } from '../../semantics/owner.ts';
import { isSameWorkload, type PodWorkload, workloadOfPod } from '../../semantics/pod/workload.ts';
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
  /** What every selected pod has: a name (`nameMark`), a workload (`workloadId`), or a label (`labelId`). Undefined: no single one. */
  mark: string | undefined;
  isOfWorkload: boolean;
  matches(object: KubeObject): boolean;
  pods: Sorted;
}

type Labels = Readonly<Record<string, string>>;

/** What decides which targets select a pod. */
interface Traits {
  /** As `nameMark`. */
  name: string;
  labels: Labels;
  /** As `workloadId`; undefined: it has none, or no target selects pods by it. */
  workload: string | undefined;
}

interface Membership extends Traits {
  keys: readonly TargetKey[];
}

interface Member extends Membership {
  object: KubeObject;
}

/**
 * Labels are compared only with the selectors that require one of them, and once for each change of the labels: `selects`
 * and `pod` share the result. Selections of a workload are looked up by it.
 */
export function createSelections(): Selections {
  const selecting = new Map<TargetKey, Selecting>();
  /** By `mark`. */
  const byMark = new Map<string | undefined, Set<Selecting>>();
  /** By `keyOf`. */
  const members = new Map<string, Member>();
  /** By `keyOf`, of pods that `pod` is about to index. */
  const found = new Map<string, Membership>();
  let comparisons = 0;
  /** How many selections are of a workload. */
  let ofWorkloads = 0;

  function traitsOf(object: KubeObject): Traits {
    return {
      name: nameMark(object.metadata),
      labels: object.metadata.labels ?? {},
      workload: ofWorkloads === 0 ? undefined : workloadId(workloadOfPod(object)),
    };
  }

  function* candidatesFor({ name: own, labels, workload }: Traits): Generator<Selecting> {
    yield* byMark.get(own) ?? [];
    for (const name in labels) yield* byMark.get(labelId(name, labels[name] ?? '')) ?? [];
    if (workload !== undefined) yield* byMark.get(workload) ?? [];
    yield* byMark.get(undefined) ?? [];
  }

  function matches(each: Selecting, object: KubeObject): boolean {
    comparisons += 1;
    return each.matches(object);
  }

  function membershipOf(object: KubeObject): Membership {
    const id = keyOf(object);
    const traits = traitsOf(object);
    for (const known of [found.get(id), members.get(id)])
      if (
        known?.workload === traits.workload &&
        known !== undefined &&
        sameLabels(known.labels, traits.labels)
      )
        return known;
    const fitting = [...candidatesFor(traits)].filter((each) => matches(each, object));
    return { ...traits, keys: fitting.map(({ key }) => key) };
  }

  function file(id: string, object: KubeObject | undefined, membership: Membership): void {
    const { keys } = membership;
    const before = members.get(id);
    for (const key of before?.keys ?? []) if (!keys.includes(key)) selecting.get(key)?.pods.delete(id);
    if (object === undefined || keys.length === 0) {
      members.delete(id);
      return;
    }
    for (const key of keys) selecting.get(key)?.pods.put(id, object);
    members.set(id, { ...membership, object });
  }

  function drop(key: TargetKey): void {
    const gone = selecting.get(key);
    if (gone === undefined) return;
    for (const object of gone.pods.values()) {
      const id = keyOf(object);
      const { keys, ...traits } = members.get(id) ?? NOBODY;
      file(id, object, { ...traits, keys: keys.filter((each) => each !== key) });
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
      const keys = members.get(id)?.keys ?? [];
      file(id, object, { ...traitsOf(object), keys: [...keys, each.key] });
    }
  }

  return {
    target(key, selection, cached) {
      const text =
        selection &&
        JSON.stringify([selection.selector, selection.namespaces, selection.workload, selection.podName]);
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
    pod(object, gone) {
      if (selecting.size === 0) return [];
      const id = keyOf(object);
      const before = members.get(id)?.keys ?? [];
      const membership = gone ? NOBODY : membershipOf(object);
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
    keysOf: (object) => (selecting.size === 0 ? [] : membershipOf(object).keys),
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

/** Of a pod that no target selects. */
const NOBODY: Membership = { name: '', labels: {}, workload: undefined, keys: [] };

function markOf({ namespace }: TargetKey, { podName, workload, selector }: Selection): string | undefined {
  if (podName !== undefined) return nameMark({ namespace, name: podName });
  return workloadId(workload) ?? sharedLabel(selector);
}

/** No label and no workload has such an id. */
const NAME_MARK = 'pod ';

function nameMark({ namespace = '', name }: Pick<ObjectMeta, 'namespace' | 'name'>): string {
  return `${NAME_MARK}${namespace}/${name}`;
}

function isNameMark(mark: string): boolean {
  return mark.startsWith(NAME_MARK);
}

/** No label has a name that begins with a bracket. */
function workloadId(workload: PodWorkload | undefined): string | undefined {
  return workload && tupleId(workload, undefined, workload.name);
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
  const belongs = (object: KubeObject): boolean => {
    if (workload === undefined) return true;
    const its = workloadOfPod(object);
    return its !== undefined && isSameWorkload(its, workload);
  };
  return (object: KubeObject): boolean => {
    const { namespace = '', name, labels } = object.metadata;
    if (podName !== undefined && name !== podName) return false;
    if (podName === undefined && isPullPod(object)) return false;
    return (isEverywhere || among.has(namespace)) && matches(labels) && belongs(object);
  };
}

function sameLabels(one: Labels, other: Labels): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
