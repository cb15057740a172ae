import type { KubeObject } from '../../schemas/wire/object.ts';
import { controllerId, ownerId } from '../../semantics/owner.ts';
import { keyOf } from './reflector.ts';
import type { TargetKey } from './target-key.ts';

/** What a change of an object is about. */
export interface Change {
  /** The object as it was filed before, under whatever owner. */
  before: KubeObject | undefined;
  /** The targets that own it now, or did until now. */
  keys: readonly TargetKey[];
}

/** Which objects belong to which target, by the controller that each names; nothing is kept of what is gone. */
export interface Relations {
  target(object: KubeObject, key: TargetKey, gone: boolean): void;
  part(object: KubeObject, gone: boolean): Change;
  /** The objects of this kind that a target controls, by name. */
  partsOf(target: KubeObject, kind: string): KubeObject[];
  /** All objects that a target controls. */
  allOf(target: KubeObject): Iterable<KubeObject>;
  /** The keys of all targets. */
  keys(): Iterable<TargetKey>;
  /** How many owners have objects here. */
  readonly owners: number;
}

export function createRelations(): Relations {
  /** By `controllerId`, then by kind and name. */
  const byOwner = new Map<string, Map<string, KubeObject>>();
  const ownerOf = new Map<string, string>();
  /** The ids of what an owner has, sorted: they change less often than the objects. */
  const order = new Map<string, readonly string[]>();
  /** By `ownerId`. */
  const keyOfOwner = new Map<string, TargetKey>();

  function remove(owner: string, id: string): void {
    const group = byOwner.get(owner);
    group?.delete(id);
    if (group?.size === 0) byOwner.delete(owner);
    ownerOf.delete(id);
    order.delete(owner);
  }

  return {
    target(object, key, gone) {
      if (gone) keyOfOwner.delete(ownerId(object));
      else keyOfOwner.set(ownerId(object), key);
    },
    part(object, gone) {
      const id = `${object.kind}/${keyOf(object)}`;
      const owner = gone ? undefined : controllerId(object);
      const ownerBefore = ownerOf.get(id);
      const before = ownerBefore === undefined ? undefined : byOwner.get(ownerBefore)?.get(id);
      if (ownerBefore !== undefined && ownerBefore !== owner) remove(ownerBefore, id);
      if (owner !== undefined) {
        if (ownerBefore !== owner) order.delete(owner);
        ownerOf.set(id, owner);
        const group = byOwner.get(owner) ?? new Map<string, KubeObject>();
        byOwner.set(owner, group.set(id, object));
      }
      const keys = [...new Set([ownerBefore, owner])].flatMap((each) =>
        each === undefined ? [] : (keyOfOwner.get(each) ?? []),
      );
      return { before, keys };
    },
    partsOf(target, kind) {
      const owner = ownerId(target);
      const group = byOwner.get(owner);
      if (group === undefined) return [];
      const ids = order.get(owner) ?? [...group.keys()].sort();
      order.set(owner, ids);
      return ids.flatMap((id) => {
        const object = group.get(id);
        return object?.kind === kind ? [object] : [];
      });
    },
    allOf: (target) => byOwner.get(ownerId(target))?.values() ?? [],
    keys: () => keyOfOwner.values(),
    get owners() {
      return byOwner.size;
    },
  };
}
