import type { KubeObject } from '../../schemas/wire/object.ts';
import { type Need, needOf } from '../../semantics/kinds/need.ts';
import { controllerOf, groupKindOf } from '../../semantics/owner.ts';
import { type TargetKey, targetKey } from './target-key.ts';

/** An index of the targets that others have created, by those. */
export interface Creators {
  /** Sets the needs of a target. */
  need(key: TargetKey, needs: readonly Need[]): void;
  /** The targets that name this one as their controller. */
  of(creator: TargetKey): Iterable<TargetKey>;
  /** The targets that name the controller of this ControllerRevision as theirs: it may have a record of them. */
  ofRevision(revision: KubeObject): Iterable<TargetKey>;
}

export function createCreators(): Creators {
  const created = new Map<TargetKey, Set<TargetKey>>();
  const creatorOf = new Map<TargetKey, TargetKey>();

  function drop(key: TargetKey, creator: TargetKey): void {
    creatorOf.delete(key);
    created.get(creator)?.delete(key);
    if (created.get(creator)?.size === 0) created.delete(creator);
  }

  const of = (creator: TargetKey): Iterable<TargetKey> => [...(created.get(creator) ?? [])];

  return {
    need(key, needs) {
      const need = needOf(needs, 'Creator');
      const creator = need && targetKey(need.controller, need.namespace, need.name);
      const before = creatorOf.get(key);
      if (before === creator) return;
      if (before !== undefined) drop(key, before);
      if (creator === undefined) return;
      creatorOf.set(key, creator);
      created.set(creator, (created.get(creator) ?? new Set()).add(key));
    },
    of,
    ofRevision(revision) {
      const controller = controllerOf(revision);
      if (controller === undefined) return [];
      const { namespace = '' } = revision.metadata;
      return of(targetKey(groupKindOf(controller), namespace, controller.name));
    },
  };
}
