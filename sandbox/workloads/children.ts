import type { LabelSelector } from '../../schemas/pods/pod.ts';
import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';
import { selects } from '../kinds/selectors.ts';
import type { Commit } from '../store/history.ts';
import type { Store } from '../store/store.ts';

/** The objects of a few resources by the controller that owns them. */
export interface Children {
  /** Sorted by name. */
  of(resource: string, owner: KubeObject): KubeObject[];
  /** Objects of a namespace without a controller, sorted by name. */
  orphans(resource: string, namespace: string): KubeObject[];
  /** Must see each commit before it is acted on. */
  see(commit: Commit): void;
}

export function controllerOf(object: KubeObject | undefined): OwnerReference | undefined {
  return object?.metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** The reference of a child to its controller. */
export function controllerReference({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  const { name, uid = '' } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** Where a child is filed: under its controller, or under its namespace without one. */
function fileOf(resource: string, object: KubeObject): string {
  const owner = controllerOf(object)?.uid;
  return owner === undefined
    ? `${resource} in ${object.metadata.namespace ?? ''}`
    : `${resource} of ${owner}`;
}

export function createChildren(store: Store, resources: ReadonlySet<string>): Children {
  const files = new Map<string, Set<string>>();

  function read(file: string): KubeObject[] {
    return [...(files.get(file) ?? [])]
      .flatMap((uid) => store.byUid(uid) ?? [])
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  function remove(file: string, uid: string): void {
    const uids = files.get(file);
    uids?.delete(uid);
    if (uids?.size === 0) files.delete(file);
  }

  return {
    of: (resource, { metadata }) => read(`${resource} of ${metadata.uid ?? ''}`),
    orphans: (resource, namespace) => read(`${resource} in ${namespace}`),
    see({ type, resource, object, previous }) {
      const { uid } = object.metadata;
      if (uid === undefined || !resources.has(resource)) return;
      const file = fileOf(resource, object);
      if (previous !== undefined && fileOf(resource, previous) !== file)
        remove(fileOf(resource, previous), uid);
      if (type === 'DELETED') return remove(file, uid);
      const uids = files.get(file);
      if (uids === undefined) files.set(file, new Set([uid]));
      else uids.add(uid);
    },
  };
}

/** Which children a controller takes and which it gives up: by the selector, never while either is being deleted. */
export function claimChanges(
  owner: KubeObject,
  selector: LabelSelector | undefined,
  owned: readonly KubeObject[],
  orphans: readonly KubeObject[],
): { adopted: KubeObject[]; released: KubeObject[] } {
  if (owner.metadata.deletionTimestamp !== undefined) return { adopted: [], released: [] };
  const isLeft = ({ metadata }: KubeObject) => metadata.deletionTimestamp === undefined;
  return {
    adopted: orphans.filter((each) => isLeft(each) && selects(selector, each.metadata.labels)),
    released: owned.filter((each) => isLeft(each) && !selects(selector, each.metadata.labels)),
  };
}
