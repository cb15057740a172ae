import type { KubeObject } from '../../schemas/wire/object.ts';
import type { KindLimits, Limits } from '../limits/window.ts';
import type { ChildRow } from '../plan/units.ts';
import { childInGit } from './child.ts';
import type { ChildKind } from './child-kind.ts';
import { childKindOf, childKinds } from './child-kinds.ts';
import { normalizeUnited } from './normalize.ts';
import type { UnitedView } from './view.ts';

/** How many pods of all children together change at once: as the template has it for each of them, which holds as well. */
export const unitedLimits: KindLimits = {
  windowFields: (target) => kindOf(target).limits.windowFields(childInGit(target, normalizeUnited(target))),
  // Kinds of children have different fields, so that these say whose they are.
  inUnits: (window, units) =>
    childKindOf(
      window.maxSurge === undefined ? 'advancedStatefulSetTemplate' : 'cloneSetTemplate',
    ).limits.inUnits(window, units),
  order: childKinds.flatMap(({ field, limits }) =>
    limits.order.map((path) => [...templatePath(field), ...path]),
  ),
  minReadySeconds(target) {
    const { field, limits } = kindOf(target);
    const path = limits.minReadySeconds(target);
    return path && [...templatePath(field), ...path];
  },
};

/** The same with the rules of the kind of its children alone. */
export function limitsOf(target: KubeObject): KindLimits {
  return { ...unitedLimits, inUnits: kindOf(target).limits.inUnits };
}

/** The limits that each child has for itself, as counts of the pods that it is to have. */
export function ownLimitsIn({
  target,
  spec,
  kind: { limits },
  members,
}: Pick<UnitedView, 'target' | 'spec' | 'kind' | 'members'>): (child: ChildRow) => Limits {
  const window = limits.windowFields(childInGit(target, spec));
  const reserved = new Map(members.map((member) => [member.name, member.reserved]));
  return ({ name, size }) => limits.inUnits(window, size + (reserved.get(name) ?? 0));
}

function kindOf(target: KubeObject): ChildKind {
  return childKindOf(normalizeUnited(target).field);
}

function templatePath(field: string): string[] {
  return ['spec', 'template', field];
}
