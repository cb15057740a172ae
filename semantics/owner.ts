import type { KubeObject, OwnerReference } from '../schemas/wire/object.ts';

/** Which kind of object, whatever the version it is read in. A bare kind says too little: `apps` has a StatefulSet, too. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** The group and kind of an object, or of what refers to one. */
export function groupKindOf({ apiVersion, kind }: { apiVersion: string; kind: string }): GroupKind {
  const slash = apiVersion.indexOf('/');
  return { group: slash === -1 ? '' : apiVersion.slice(0, slash), kind };
}

/** The owner reference of everything a workload makes: collected with it, and nobody else's. */
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

/** The reference to the controller of an object; undefined: nobody controls it. */
export function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/**
 * A text for the controller of an object: its namespace, group, kind, name and uid. Whoever may create objects may write
 * any reference into them, so a uid alone proves nothing: an owner lies in the namespace of what it owns, and each part of
 * the reference has to name it; a controller without a namespace may own objects in any. Undefined: nobody controls it.
 *
 * @param isInNone whether controllers of this kind are in no namespace
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

/** Whether this very target controls the object. */
export function isOwnedBy(object: KubeObject, target: KubeObject): boolean {
  return controllerId(object, () => target.metadata.namespace === undefined) === ownerId(target);
}

function idOf(
  namespace: string | undefined,
  { apiVersion, kind, name, uid }: Pick<OwnerReference, 'apiVersion' | 'kind' | 'name' | 'uid'>,
): string {
  // As JSON no part can run into the next one, whatever is in it.
  return JSON.stringify([namespace ?? '', groupKindOf({ apiVersion, kind }).group, kind, name, uid]);
}

/**
 * A text for the tuple that names one object of all: two of these are equal only where each part is. Nothing takes it apart
 * again.
 */
export function tupleId({ group, kind }: GroupKind, namespace: string | undefined, name: string): string {
  return JSON.stringify([group, kind, namespace ?? '', name]);
}
