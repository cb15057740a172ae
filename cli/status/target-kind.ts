import type { KubeObject } from '../../schemas/wire/object.ts';
import type { GitManifest } from '../../semantics/kinds/git-side.ts';
import type { PlannedKind } from '../../semantics/kinds/kind.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import { plannedKindOf } from '../../semantics/registry/registry.ts';

/** The kind of a listed target. Only planned kinds are listed. */
export function kindOfTarget(object: KubeObject): PlannedKind {
  const { group, kind } = groupKindOf(object);
  const known = plannedKindOf({ group, kind });
  if (known === undefined) throw new Error(`${kind}.${group} is not planned`);
  return known;
}

/** The spec of a target in the form that is common to all kinds. */
export function manifestOf(object: KubeObject): GitManifest {
  return kindOfTarget(object).git.read(object);
}
