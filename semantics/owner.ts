import type { KubeObject, OwnerReference } from '../schemas/wire/object.ts';

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
