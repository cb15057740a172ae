import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { type GroupKind, groupKindOf } from '../../semantics/owner.ts';

/** Identifies a resource in any version; it includes the group, because two groups may have a resource of one plural. */
export function resourceId({ group, plural }: Pick<Resource, 'group' | 'plural'>): string {
  return `${plural}.${group}`;
}

/** Identifies a kind by its name and group. */
export function kindId({ group, kind }: GroupKind): string {
  return `${kind}.${group}`;
}

/** The `kindId` of an object. */
export function kindIdOf(object: KubeObject): string {
  return kindId(groupKindOf(object));
}

/** `namespace/name`, or `name` for a cluster-scoped object. */
export function keyOf(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? name : `${namespace}/${name}`;
}
