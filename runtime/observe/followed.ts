import type { KubeObject } from '../../schemas/wire/object.ts';
import { controllerOf, groupKindOf } from '../../semantics/owner.ts';
import type { PodWorkload } from '../../semantics/pod/workload.ts';
import { selectorPredicate } from '../../semantics/values/selector.ts';
import type { Selection } from './selections.ts';
import { type TargetKey, targetKey } from './target-key.ts';

/** The targets whose pods are indexed by their controller anyway. */
export interface Owners {
  /** Whether all targets of this kind are known, and watched. */
  areKnown(workload: PodWorkload): boolean;
  /** The pods that a target controls now, by namespace and name; the list is immutable. */
  podsOf(owner: TargetKey): readonly KubeObject[];
}

/** Targets that select pods of one other target: these are read where that target has them, and no second index is kept. */
export interface Followed {
  /** Sets the selection of a target; undefined: it selects nothing here. Returns whether it selects others than before. */
  target(key: TargetKey, selection: Selection | undefined): boolean;
  /** Whether a selection is one of pods of one target in the namespace of `key`. */
  fits(key: TargetKey, selection: Selection): boolean;
  has(key: TargetKey): boolean;
  /** The targets that select pods of this one. */
  of(owner: TargetKey): readonly TargetKey[];
  /** The targets that select a pod by its controller. */
  keysOf(pod: KubeObject): readonly TargetKey[];
  /** The pods that a target selects; undefined: it selects none here. */
  podsOf(key: TargetKey): readonly KubeObject[] | undefined;
}

interface Following {
  owner: TargetKey;
  /** The selector as JSON. */
  text: string;
  /** Undefined: of each pod of the owner. */
  matches: ((labels: KubeObject['metadata']['labels']) => boolean) | undefined;
  /** The last list of the owner's pods, and those that match. */
  last: { all: readonly KubeObject[]; found: readonly KubeObject[] } | undefined;
}

export function createFollowed({ areKnown, podsOf }: Owners): Followed {
  const following = new Map<TargetKey, Following>();
  const byOwner = new Map<TargetKey, readonly TargetKey[]>();

  function drop(key: TargetKey): void {
    const gone = following.get(key);
    if (gone === undefined) return;
    following.delete(key);
    const others = of(gone.owner).filter((each) => each !== key);
    if (others.length === 0) byOwner.delete(gone.owner);
    else byOwner.set(gone.owner, others);
  }

  const of = (owner: TargetKey): readonly TargetKey[] => byOwner.get(owner) ?? NONE;

  function isMatched(key: TargetKey, { metadata }: KubeObject): boolean {
    return following.get(key)?.matches?.(metadata.labels) !== false;
  }

  return {
    fits: ({ namespace }, { workload, namespaces, podName }) =>
      namespace !== '' &&
      workload !== undefined &&
      namespaces === undefined &&
      podName === undefined &&
      areKnown(workload),
    target(key, selection) {
      if (selection?.workload === undefined) {
        drop(key);
        return false;
      }
      const { workload, selector } = selection;
      const owner = targetKey(workload, key.namespace, workload.name);
      const text = JSON.stringify(selector);
      const before = following.get(key);
      if (before?.owner === owner && before.text === text) return false;
      drop(key);
      const isWhole = Object.keys(selector).length === 0;
      const matches = isWhole ? undefined : selectorPredicate(selector);
      following.set(key, { owner, text, matches, last: undefined });
      byOwner.set(owner, [...of(owner), key]);
      return true;
    },
    has: (key) => following.has(key),
    of,
    keysOf(pod) {
      const controller = byOwner.size === 0 ? undefined : controllerOf(pod);
      if (controller === undefined) return NONE;
      const owner = targetKey(groupKindOf(controller), pod.metadata.namespace ?? '', controller.name);
      return of(owner).filter((key) => isMatched(key, pod));
    },
    podsOf(key) {
      const each = following.get(key);
      if (each === undefined) return undefined;
      const all = podsOf(each.owner);
      const { matches } = each;
      if (matches === undefined) return all;
      if (each.last?.all !== all)
        each.last = { all, found: all.filter(({ metadata }) => matches(metadata.labels)) };
      return each.last.found;
    },
  };
}

const NONE: readonly TargetKey[] = [];
