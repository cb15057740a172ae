import type { GroupKind } from '../owner.ts';
import { isPlanned, type Kind, type PlannedKind } from '../kinds/kind.ts';
import { registered } from './registered.ts';

/** Every registered kind, in the order of the list: messages name the most usual ones first. */
export const kinds: readonly Kind[] = registered;

/** The kind of this group and name, in any version; undefined: there are no rules for it. */
export function kindOf({ group, kind }: GroupKind): Kind | undefined {
  return kinds.find(({ id }) => id.group === group && id.kind === kind);
}

/** The kinds that plans are made for, in the same order. */
export const plannedKinds: readonly PlannedKind[] = kinds.filter(isPlanned);

/** The kind of this group and name that plans are made for, in any version; undefined: there are none. */
export function plannedKindOf(id: GroupKind): PlannedKind | undefined {
  const kind = kindOf(id);
  return kind !== undefined && isPlanned(kind) ? kind : undefined;
}

/** Whether objects of this kind are cluster-scoped targets. */
export function isInNone(id: GroupKind): boolean {
  return kindOf(id)?.resource.namespaced === false;
}
