import type { KubeObject, OwnerReference } from '../schemas/wire/object.ts';

/** A kind of object, in any version. The kind alone is ambiguous: Kubernetes has some of the same name. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** The group and kind of an object, or of what refers to one. */
export function groupKindOf({ apiVersion, kind }: { apiVersion: string; kind: string }): GroupKind {
  const slash = apiVersion.indexOf('/');
  return { group: slash === -1 ? '' : apiVersion.slice(0, slash), kind };
}

/** The owner reference of everything that a workload creates: it is deleted with the workload. */
export function controllerReference(target: KubeObject): OwnerReference {
  return {
    apiVersion: target.apiVersion,
    kind: target.kind,
    name: target.metadata.name,
    uid: target.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** The reference to the controller of an object; undefined: it has none. */
export function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/**
 * Identifies the controller of an object by namespace, group, kind, name and uid; undefined: it has none. A user who may
 * create objects may write any owner reference into them, so the uid alone proves nothing: every part must match, and the
 * owner must be in the same namespace. A cluster-scoped controller may own objects in any namespace.
 *
 * @param isInNone whether controllers of this kind are cluster-scoped
 */
export function controllerId(
  object: KubeObject,
  isInNone: (controller: GroupKind) => boolean = () => false,
): string | undefined {
  const reference = controllerOf(object);
  if (reference === undefined) return undefined;
  return idOf(isInNone(groupKindOf(reference)) ? undefined : object.metadata.namespace, reference);
}

/** The `controllerId` of everything that a target owns. */
export function ownerId(target: KubeObject): string {
  const { name, namespace, uid } = target.metadata;
  return idOf(namespace, { apiVersion: target.apiVersion, kind: target.kind, name, uid: uid ?? '' });
}

/** Whether this target controls the object: as two equal ids, compared part by part, as it is asked of many objects. */
export function isOwnedBy(object: KubeObject, target: KubeObject): boolean {
  const reference = controllerOf(object);
  const { name, namespace, uid = '' } = target.metadata;
  if (reference === undefined || reference.uid !== uid || reference.name !== name) return false;
  const isInNamespace = namespace === undefined || (object.metadata.namespace ?? '') === namespace;
  return (
    isInNamespace &&
    reference.kind === target.kind &&
    groupKindOf(reference).group === groupKindOf(target).group
  );
}

function idOf(
  namespace: string | undefined,
  { apiVersion, kind, name, uid }: Pick<OwnerReference, 'apiVersion' | 'kind' | 'name' | 'uid'>,
): string {
  // As JSON, the parts cannot run into one another, whatever they contain.
  return JSON.stringify([namespace ?? '', groupKindOf({ apiVersion, kind }).group, kind, name, uid]);
}

/** A key for one object of the cluster: two keys are equal only if every part is. It is never parsed. */
export function tupleId({ group, kind }: GroupKind, namespace: string | undefined, name: string): string {
  return JSON.stringify([group, kind, namespace ?? '', name]);
}
