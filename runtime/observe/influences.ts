import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import {
  type ActiveInfluence,
  activeInfluence,
  type InfluencingKind,
} from '../../semantics/influence/influence.ts';
import { unreadInfluence } from '../../semantics/influence/unread.ts';
import { influencingKinds } from '../../semantics/kinds/influencing.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { kindId } from './ids.ts';
import type { Enqueue } from './scheduler.ts';
import type { TargetKey } from './target-key.ts';

/** The objects of kinds that influence others, which are watched as targets of their own. */
export interface InfluenceCache {
  /** A target has changed or was deleted. */
  file(kind: Kind, object: KubeObject, gone: boolean): void;
  /** The objects that act on the pods of a target: those in its namespace, or all on a cluster-scoped one. */
  on(key: TargetKey, now: number): readonly ActiveInfluence[];
  /** Pods of a target wait for these objects: it is enqueued when one of them changes. */
  await(key: TargetKey, objects: readonly KubeObject[]): void;
}

/**
 * @param watched   the kinds whose targets are watched
 * @param isListed  whether all objects of a resource are known
 * @param isStub    whether only a stub of an object is cached
 */
export function createInfluenceCache({
  watched,
  isListed,
  isStub,
  enqueue,
}: {
  watched(): readonly Kind[];
  isListed(resource: Resource): boolean;
  isStub(object: KubeObject): boolean;
  enqueue: Enqueue<TargetKey>;
}): InfluenceCache {
  /** By the id of the kind, then by namespace, then by name. */
  const objects = new Map<string, Map<string, Map<string, KubeObject>>>();
  /** The uids of the objects that each target waits for. */
  const awaited = new Map<TargetKey, ReadonlySet<string>>();

  function within(id: string, namespace: string): Iterable<KubeObject> {
    const all = objects.get(id);
    if (namespace !== '') return all?.get(namespace)?.values() ?? [];
    return [...(all?.values() ?? [])].flatMap((each) => [...each.values()]);
  }

  /** An object that its rules cannot read is reported by its own reconcile. */
  function bound(kind: InfluencingKind, object: KubeObject, now: number): ActiveInfluence {
    try {
      if (!isStub(object)) return activeInfluence(kind, object, now);
    } catch {}
    return unreadInfluence(kind, object.metadata.namespace ?? '', now);
  }

  return {
    file({ influence, id: of }, object, gone) {
      if (influence === undefined) return;
      const id = kindId(of);
      const { namespace = '', name, uid = '' } = object.metadata;
      const all = objects.get(id) ?? new Map<string, Map<string, KubeObject>>();
      const own = all.get(namespace) ?? new Map<string, KubeObject>();
      if (gone) own.delete(name);
      else own.set(name, object);
      if (own.size === 0) all.delete(namespace);
      else all.set(namespace, own);
      objects.set(id, all);
      for (const [key, uids] of awaited) if (uids.has(uid)) enqueue(key);
    },
    on: ({ namespace }, now) =>
      influencingKinds(watched()).flatMap((kind) =>
        isListed(kind.resource)
          ? [...within(kindId(kind.resource), namespace)]
              .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
              .map((object) => bound(kind, object, now))
          : [unreadInfluence(kind, namespace, now)],
      ),
    await(key, waitsFor) {
      if (waitsFor.length === 0) awaited.delete(key);
      else awaited.set(key, new Set(waitsFor.map(({ metadata }) => metadata.uid ?? '')));
    },
  };
}
