import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';
import { controllerOf, groupKindOf } from '../../semantics/owner.ts';

/** Most controllers above a pod: of Kubernetes it has at most two. */
const MOST_OWNERS = 5;

/** An object as it is stored now; undefined: there is none. Rejects if it cannot be read. */
export type Read = (resource: Resource, namespace: string, name: string) => Promise<KubeObject | undefined>;

/**
 * The controllers above a pod that is to be created, the nearest first, as far as they can be read: its own, and that of each whose
 * resource is among `reads`. Rejects never.
 *
 * @param onUnread a controller could not be read; `about` names it
 */
export async function ownersOf(
  pod: KubeObject,
  namespace: string,
  {
    reads,
    read,
    onUnread,
  }: { reads: readonly Resource[]; read: Read; onUnread(about: string, error: unknown): void },
): Promise<OwnerReference[]> {
  const owners: OwnerReference[] = [];
  let owner = controllerOf(pod);
  while (owner !== undefined) {
    owners.push(owner);
    const resource = resourceOf(owner, reads);
    if (resource === undefined || owners.length >= MOST_OWNERS) break;
    const { name, uid }: OwnerReference = owner;
    let object: KubeObject | undefined;
    try {
      object = await read(resource, namespace, name);
    } catch (error) {
      onUnread(`${resource.kind} ${namespace}/${name}`, error);
    }
    owner = object?.metadata.uid === uid ? object && controllerOf(object) : undefined;
  }
  return owners;
}

function resourceOf(owner: OwnerReference, among: readonly Resource[]): Resource | undefined {
  const { group, kind } = groupKindOf(owner);
  return among.find((each) => each.group === group && each.kind === kind);
}
