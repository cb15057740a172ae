import type { GroupKind } from '../owner.ts';
import type { Kind } from '../kinds/kind.ts';
import { registered } from './registered.ts';

/** Every registered kind, in the order of the list: messages name the most usual ones first. */
export const kinds: readonly Kind[] = registered;

/** The kind of this group and name, in any version; undefined: there are no rules for it. */
export function kindOf({ group, kind }: GroupKind): Kind | undefined {
  return kinds.find(({ id }) => id.group === group && id.kind === kind);
}

/** Whether objects of this kind are cluster-scoped targets. */
export function isInNone(id: GroupKind): boolean {
  return kindOf(id)?.resource.namespaced === false;
}
