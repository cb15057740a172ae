import type { KubeObject } from '../../schemas/wire/object.ts';
import { isInNone } from '../../semantics/registry/registry.ts';
import { controllerId, type GroupKind, ownerId } from '../../semantics/owner.ts';
import { keyOf, kindId, kindIdOf } from './ids.ts';
import { createSorted, type Sorted } from './sorted.ts';
import type { TargetKey } from './target-key.ts';

/** The effect of a changed object on the index. */
export interface Change {
  /** The object as it was indexed before, under any owner. */
  before: KubeObject | undefined;
  /** The targets that own it now, or did until now. */
  keys: readonly TargetKey[];
}

/** An index of objects by the controller in their owner references; deleted objects are removed. */
export interface Relations {
  target(object: KubeObject, key: TargetKey, gone: boolean): void;
  part(object: KubeObject, gone: boolean): Change;
  /** The objects of this kind that a target controls, by namespace and name; the list is immutable. */
  partsOf(target: KubeObject, of: GroupKind): readonly KubeObject[];
  /** All objects that a target controls. */
  allOf(target: KubeObject): Iterable<KubeObject>;
  /** The keys of all targets. */
  keys(): Iterable<TargetKey>;
  /** The number of owners in the index. */
  readonly owners: number;
}

/** What an owner has, by `kindId`. Its id is a long text: each of its objects names it by this. */
interface Owned {
  owner: string;
  lists: Map<string, Sorted>;
}

export function createRelations(): Relations {
  /** By `controllerId`. */
  const byOwner = new Map<string, Owned>();
  /** By `kindId`, then by `keyOf`. */
  const ownerOf = new Map<string, Map<string, Owned>>();
  /** By `ownerId`. */
  const keyOfOwner = new Map<string, TargetKey>();

  function remove({ owner, lists }: Owned, kind: string, key: string): void {
    const list = lists.get(kind);
    list?.delete(key);
    if (list?.size === 0) lists.delete(kind);
    if (lists.size === 0) byOwner.delete(owner);
    ownerOf.get(kind)?.delete(key);
  }

  function put(owner: string, kind: string, key: string, object: KubeObject): void {
    const owned = byOwner.get(owner) ?? { owner, lists: new Map<string, Sorted>() };
    const list = owned.lists.get(kind) ?? createSorted();
    list.put(key, object);
    owned.lists.set(kind, list);
    byOwner.set(owner, owned);
    const owners = ownerOf.get(kind) ?? new Map<string, Owned>();
    ownerOf.set(kind, owners.set(key, owned));
  }

  return {
    target(object, key, gone) {
      if (gone) keyOfOwner.delete(ownerId(object));
      else keyOfOwner.set(ownerId(object), key);
    },
    part(object, gone) {
      const [kind, key] = [kindIdOf(object), keyOf(object)];
      const owner = gone ? undefined : controllerId(object, isInNone);
      const ownerBefore = ownerOf.get(kind)?.get(key);
      const before = ownerBefore?.lists.get(kind)?.get(key);
      if (ownerBefore !== undefined && ownerBefore.owner !== owner) remove(ownerBefore, kind, key);
      if (owner !== undefined) put(owner, kind, key, object);
      const keys = [...new Set([ownerBefore?.owner, owner])].flatMap((each) =>
        each === undefined ? [] : (keyOfOwner.get(each) ?? []),
      );
      return { before, keys };
    },
    partsOf: (target, of) => byOwner.get(ownerId(target))?.lists.get(kindId(of))?.values() ?? [],
    *allOf(target) {
      for (const list of byOwner.get(ownerId(target))?.lists.values() ?? []) yield* list.values();
    },
    keys: () => keyOfOwner.values(),
    get owners() {
      return byOwner.size;
    },
  };
}
