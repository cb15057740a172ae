import type { KubeObject } from '../../schemas/wire/object.ts';
import type { GroupKind } from '../owner.ts';
import { asksForPlan } from '../policy.ts';
import { isPlanned, type Kind, type PlannedKind, planRulesOf } from '../kinds/kind.ts';
import { registered } from './registered.ts';

/** Every registered kind, in the order of the list: messages name the most usual ones first. */
export const kinds: readonly Kind[] = registered;

/** The kind of this group and name, in any version; undefined: there are no rules for it. */
export function kindOf({ group, kind }: GroupKind): Kind | undefined {
  return kinds.find(({ id }) => id.group === group && id.kind === kind);
}

/** The kinds that plans are made for, in the same order. */
export const plannedKinds: readonly PlannedKind[] = kinds.flatMap((kind) => planRulesOf(kind) ?? []);

/** The kind of this group and name that plans are made for, in any version; undefined: there are none. */
export function plannedKindOf(id: GroupKind): PlannedKind | undefined {
  const kind = kindOf(id);
  return kind && planRulesOf(kind);
}

/** The rules for this target of a kind: those for plans where it asks for one. What goes is let go at once. */
export function rulesFor(kind: Kind, target: KubeObject): Kind {
  if (isPlanned(kind) || kind.underPlan === undefined) return kind;
  if (target.metadata.deletionTimestamp !== undefined) return kind;
  return asksForPlan(target) ? kind.underPlan : kind;
}

/** Whether objects of this kind are cluster-scoped targets. */
export function isInNone(id: GroupKind): boolean {
  return kindOf(id)?.resource.namespaced === false;
}
