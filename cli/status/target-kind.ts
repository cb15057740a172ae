import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import { kindOf, rulesFor } from '../../semantics/registry/registry.ts';

/** The kind of a listed target. Only registered kinds are listed. */
export function kindOfTarget(object: KubeObject): Kind {
  const { group, kind } = groupKindOf(object);
  const known = kindOf({ group, kind });
  if (known === undefined) throw new Error(`${kind}.${group} is not registered`);
  return rulesFor(known, object);
}
