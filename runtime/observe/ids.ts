import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { type GroupKind, groupKindOf } from '../../semantics/owner.ts';

/** A text for a resource, whatever its version: `apps` and another group may have a resource of the same plural. */
export function resourceId({ group, plural }: Pick<Resource, 'group' | 'plural'>): string {
  return `${plural}.${group}`;
}

/** A text for a kind of its group. */
export function kindId({ group, kind }: GroupKind): string {
  return `${kind}.${group}`;
}

/** The `kindId` of an object. */
export function kindIdOf(object: KubeObject): string {
  return kindId(groupKindOf(object));
}
