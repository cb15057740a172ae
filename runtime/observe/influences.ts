import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { activeInfluence } from '../../semantics/influence/active.ts';
import type {
  ActiveInfluence,
  Influences,
  InfluencingKind,
  PodLabel,
} from '../../semantics/influence/influence.ts';
import { lateInfluence, ownLabels, someHave } from '../../semantics/influence/late.ts';
import {
  ownPods,
  unguardedInfluence,
  unjudgedInfluence,
  unknownPodsInfluence,
  unreadInfluence,
} from '../../semantics/influence/unjudged.ts';
import { influencingKinds } from '../../semantics/kinds/influencing.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { unusable } from '../../semantics/kinds/unusable.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { byAge } from '../../semantics/values/by-age.ts';
import { hasChanged } from './has-changed.ts';
import { kindId } from './ids.ts';
import type { Enqueue } from './scheduler.ts';
import { createSoon } from './soon.ts';
import { type TargetKey, targetKey } from './target-key.ts';

/** The objects of kinds that influence others, which are watched as targets of their own. */
export interface InfluenceCache {
  /** A target has changed or was deleted. */
  file(kind: Kind, object: KubeObject, gone: boolean): void;
  /** The objects that act on the pods of a target: those in its namespace, or all on a cluster-scoped one. */
  on(key: TargetKey, now: number): Influences;
  /**
   * Pods of a target wait for these objects: it is enqueued when one of them changes. Meanwhile they are reconciled soon.
   *
   * @param written the uids of what it is about to write in: where another version is there, it is enqueued as soon as that is observed
   */
  await(key: TargetKey, objects: readonly KubeObject[], written?: readonly string[]): void;
  /** Something that an object or its PodDisruptionBudget allows may have changed, by the uid: targets that wait for it are enqueued. */
  changed(uid: string): void;
  /** A pod of a target has changed: the target is enqueued, soon if others wait for it. */
  enqueue(key: TargetKey): void;
}

/**
 * Within this time after a change, milliseconds, an object is reconciled that pods wait for: each change of a pod may free a slot. Those that
 * get free meanwhile are taken together, and each part of a rollout costs four writes.
 */
const SOON_MS = 300;

interface Filed {
  object: KubeObject;
  /** Why no rule may read it, as a clause; undefined: they may. */
  unusable: string | undefined;
  /** Whether a pod of any namespace is one of its own. */
  isOwn(pod: Pod): boolean;
  /** Labels that each of its own has. */
  labels: readonly PodLabel[];
}

/**
 * @param watched   the kinds whose targets are watched
 * @param isListed  whether all objects of a resource are known
 * @param isServed  whether the server serves a resource
 * @param guardOf   the PodDisruptionBudget that an object owns; undefined: they are not listed yet. Asked about kinds that own some
 * @param isStub    whether only a stub of an object is cached, with its spec unless that is too large itself
 */
export function createInfluenceCache({
  watched,
  isListed,
  isServed,
  isStub,
  guardOf,
  enqueue,
}: {
  watched(): readonly Kind[];
  isListed(resource: Resource): boolean;
  isServed(resource: Resource): boolean;
  isStub(object: KubeObject): boolean;
  guardOf(object: KubeObject): KubeObject | 'none' | undefined;
  enqueue: Enqueue<TargetKey>;
}): InfluenceCache {
  /** By the id of the kind, then by namespace, then by name: the oldest first, as of two that exclude each other the first one counts. */
  const objects = new Map<string, Map<string, Map<string, Filed>>>();
  /** Those of `objects` that have got another object since they were sorted. */
  const unsorted = new Set<Map<string, Filed>>();
  /** The uids of what each target waits for, and of what it writes in. */
  const awaited = new Map<TargetKey, ReadonlySet<string>>();
  const soon = createSoon();

  function within(id: string, namespace: string): readonly Filed[] {
    const all = objects.get(id);
    if (namespace === '') return [...(all?.values() ?? [])].flatMap((each) => [...sorted(each).values()]);
    const own = all?.get(namespace);
    return own === undefined ? [] : [...sorted(own).values()];
  }

  function sorted(own: Map<string, Filed>): ReadonlyMap<string, Filed> {
    if (!unsorted.delete(own)) return own;
    // A list says nothing of the order in which others saw them.
    const inOrder = [...own].sort(([, a], [, b]) => byAge(a.object, b.object));
    own.clear();
    for (const [name, filed] of inOrder) own.set(name, filed);
    return own;
  }

  function influenceOf(kind: InfluencingKind, filed: Filed, now: number): ActiveInfluence {
    const { object, isOwn } = filed;
    if (object['spec'] === undefined && isStub(object)) return unknownPodsInfluence(kind, object);
    const covers = (pod: KubeObject): boolean => kind.rules.covers(object, pod as Pod);
    const { resource } = kind;
    return lateInfluence({ resource, object }, { isOwn, covers }, () => bound(kind, filed, now));
  }

  /** An object that no rule may read is reported by its own reconcile, too. */
  function bound(kind: InfluencingKind, { object, unusable: problem }: Filed, now: number): ActiveInfluence {
    const why = isStub(object) ? 'it is too large' : problem;
    if (why !== undefined) return unjudgedInfluence(kind, object, why);
    const guard = kind.hasGuards === true ? guardOf(object) : 'none';
    if (guard === undefined) return unguardedInfluence(kind, object);
    return activeInfluence(kind, object, now, guard === 'none' ? undefined : guard);
  }

  function changed(uid: string): void {
    for (const [key, uids] of awaited) if (uids.has(uid)) enqueue(key);
  }

  function isFiled(object: KubeObject): boolean {
    const { namespace = '', name } = object.metadata;
    return (
      objects
        .get(kindId(groupKindOf(object)))
        ?.get(namespace)
        ?.has(name) === true
    );
  }

  return {
    changed,
    file(kind, object, gone) {
      if (kind.influence === undefined) return;
      const id = kindId(kind.id);
      const { namespace = '', name, uid = '' } = object.metadata;
      const all = objects.get(id) ?? new Map<string, Map<string, Filed>>();
      const own = all.get(namespace) ?? new Map<string, Filed>();
      const before = own.get(name);
      // A stub lacks what is judged.
      const isLike = before !== undefined && !isStub(before.object) && !hasChanged(before.object, object);
      const isOwn = ownPods(kind.influence, object);
      if (gone) own.delete(name);
      else {
        const labels = ownLabels(kind.influence, object);
        const why = isLike ? before.unusable : whyUnusable(kind, object);
        own.set(name, { object, unusable: why, isOwn, labels });
      }
      if (own.size === 0) all.delete(namespace);
      else all.set(namespace, own);
      if (own.size === 0) unsorted.delete(own);
      else if (before?.object.metadata.creationTimestamp !== object.metadata.creationTimestamp)
        unsorted.add(own);
      objects.set(id, all);
      changed(uid);
    },
    on:
      ({ namespace }, now) =>
      (pods) => {
        const isAbout = pods === undefined ? () => true : someHave(pods);
        const found: ActiveInfluence[] = [];
        for (const kind of influencingKinds(watched())) {
          // Without its definition there is none of them: nothing must wait for what never comes.
          const isThere = isListed(kind.resource) || isServed(kind.resource);
          if (isThere && (isListed(kind.resource) || !kind.rules.protects)) {
            // Of those that only say what new pods get, what was known before a list is better than nothing.
            for (const filed of within(kindId(kind.resource), namespace))
              if (filed.object.metadata.deletionTimestamp === undefined && isAbout(filed.labels))
                found.push(influenceOf(kind, filed, now));
          } else if (isThere) found.push(unreadInfluence(kind, namespace));
        }
        return found;
      },
    await(key, waitsFor, written = []) {
      const uids = new Set([...waitsFor.map(({ metadata }) => metadata.uid ?? ''), ...written]);
      if (uids.size === 0) awaited.delete(key);
      else awaited.set(key, uids);
      // Changes from before, too, may have freed one.
      for (const each of soon.set(key, waitsFor.filter(isFiled).map(keyOf))) enqueue(each, SOON_MS, true);
    },
    enqueue(key) {
      enqueue(key);
      // Where its pace is longer.
      if (soon.has(key)) enqueue(key, SOON_MS, true);
    },
  };
}

function keyOf(object: KubeObject): TargetKey {
  const { namespace = '', name } = object.metadata;
  return targetKey(groupKindOf(object), namespace, name);
}

/** Why no rule may read an object, as a clause. No rule of its kind about that reads the status. */
function whyUnusable(kind: Kind, object: KubeObject): string | undefined {
  const problem = unusable(kind, object);
  return problem && `${problem.path.join('.')} ${problem.rule}`;
}
