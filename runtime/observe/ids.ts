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

/** The last key, and of what: the caches ask several times in a row for the key of one object, and each keeps it. */
let last = { namespace: '', name: '', key: '' };

/** `namespace/name`, or `name` for a cluster-scoped object. */
export function keyOf(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  if (namespace === undefined) return name;
  if (last.name !== name || last.namespace !== namespace)
    // Joined at once: of a text that is put together from parts, the parts stay in memory, too.
    last = { namespace, name, key: [namespace, name].join('/') };
  return last.key;
}
