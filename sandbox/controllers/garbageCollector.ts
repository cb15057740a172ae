import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';
import { attempt } from '../api/attempt.ts';
import { servedKind, resourceOf } from '../api/registry.ts';
import type { Commit } from '../store/history.ts';
import type { ControllerContext } from './context.ts';
import { createWorkQueue } from './workQueue.ts';

const user = 'system:serviceaccount:kube-system:generic-garbage-collector';

interface Dependent {
  resource: string;
  uid: string;
}

function owners(object: KubeObject | undefined): readonly OwnerReference[] {
  return object?.metadata.ownerReferences ?? [];
}

/**
 * The garbage collector: deletes dependents whose owners are all gone, after `collectMs`. Foreground: the owner
 * keeps the finalizer `foregroundDeletion` until no blocking dependent is left. Orphan: the owner references of
 * dependents are removed first.
 */
export function startGarbageCollector({
  store,
  registry,
  server,
  clock,
  timings,
}: ControllerContext): () => void {
  const dependents = new Map<string, Map<string, Dependent>>();
  const enqueue = createWorkQueue(clock);

  function index({ type, resource, object, previous }: Commit): void {
    const { uid } = object.metadata;
    if (uid === undefined) return;
    const before = owners(previous);
    const after = type === 'DELETED' ? [] : owners(object);
    if (before === after) return;
    for (const { uid: owner } of before) {
      const known = dependents.get(owner);
      known?.delete(uid);
      if (known?.size === 0) dependents.delete(owner);
    }
    for (const { uid: owner } of after) {
      let known = dependents.get(owner);
      if (known === undefined) dependents.set(owner, (known = new Map()));
      known.set(uid, { resource, uid });
    }
  }

  function keyOf({ metadata: { name, namespace } }: KubeObject) {
    return namespace === undefined ? { name } : { name, namespace };
  }

  function dependentsOf(uid: string): { resource: string; object: KubeObject }[] {
    return [...(dependents.get(uid)?.values() ?? [])].flatMap(({ resource, uid: dependent }) => {
      const object = store.byUid(dependent);
      return object === undefined ? [] : [{ resource, object }];
    });
  }

  function keepOwners(resource: string, object: KubeObject, keep: (owner: OwnerReference) => boolean): void {
    const type = registry.byId(resource);
    if (type === undefined) return;
    const ownerReferences = owners(object).filter(keep);
    attempt(() =>
      server.patch(user, resourceOf(type), keyOf(object), {
        type: 'merge',
        body: { metadata: { ownerReferences: ownerReferences.map((owner) => ({ ...owner })) } },
      }),
    );
  }

  function remove(resource: string, object: KubeObject, propagationPolicy?: 'Foreground'): void {
    const type = registry.byId(resource);
    const { uid } = object.metadata;
    if (type === undefined || uid === undefined) return;
    attempt(() =>
      server.delete(user, resourceOf(type), keyOf(object), {
        uid,
        ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
      }),
    );
  }

  /** Deletes or orphans a dependent whose owner is gone or waits for it. */
  function collect({ resource, uid }: Dependent): void {
    const object = store.byUid(uid);
    if (object === undefined || owners(object).length === 0) return;
    const alive = (owner: OwnerReference) => store.byUid(owner.uid) !== undefined;
    const waitsForDependents = (owner: OwnerReference) =>
      store.byUid(owner.uid)?.metadata.finalizers?.includes('foregroundDeletion') === true &&
      store.byUid(owner.uid)?.metadata.deletionTimestamp !== undefined;
    const solid = owners(object).filter((owner) => alive(owner) && !waitsForDependents(owner));
    if (solid.length > 0) {
      if (solid.length < owners(object).length)
        keepOwners(resource, object, (owner) => solid.includes(owner));
      return;
    }
    if (object.metadata.deletionTimestamp !== undefined) return;
    const propagates = owners(object).some(waitsForDependents) && dependents.has(uid);
    remove(resource, object, propagates ? 'Foreground' : undefined);
  }

  function dropFinalizer(resource: string, object: KubeObject, finalizer: string): void {
    const type = registry.byId(resource);
    if (type === undefined) return;
    const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
    attempt(() =>
      server.patch(user, resourceOf(type), keyOf(object), {
        type: 'merge',
        body: { metadata: { finalizers } },
      }),
    );
  }

  function workOnOwner(resource: string, uid: string): void {
    const object = store.byUid(uid);
    if (object?.metadata.deletionTimestamp === undefined) return;
    const finalizers = object.metadata.finalizers ?? [];
    if (finalizers.includes('orphan')) {
      for (const dependent of dependentsOf(uid))
        keepOwners(dependent.resource, dependent.object, (owner) => owner.uid !== uid);
      dropFinalizer(resource, object, 'orphan');
    } else if (finalizers.includes('foregroundDeletion')) {
      for (const dependent of dependentsOf(uid))
        collect({ resource: dependent.resource, uid: dependent.object.metadata.uid ?? '' });
      const blocked = dependentsOf(uid).some((dependent) =>
        owners(dependent.object).some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
      );
      if (!blocked) dropFinalizer(resource, object, 'foregroundDeletion');
    }
  }

  function soon(key: string, run: () => void): void {
    enqueue(key, timings.collectMs, run);
  }

  function see(commit: Commit): void {
    index(commit);
    const { type, resource, object, previous } = commit;
    const { uid, deletionTimestamp, finalizers } = object.metadata;
    if (uid === undefined) return;
    if (type === 'DELETED') {
      for (const dependent of dependents.get(uid)?.values() ?? [])
        soon(`dependent ${dependent.uid}`, () => collect(dependent));
      for (const owner of owners(previous)) {
        const waiting = store.byUid(owner.uid);
        const waitingType = waiting?.metadata.finalizers?.includes('foregroundDeletion')
          ? servedKind(registry, waiting.apiVersion, waiting.kind)?.type
          : undefined;
        if (waitingType !== undefined)
          soon(`owner ${owner.uid}`, () => workOnOwner(waitingType.id, owner.uid));
      }
      return;
    }
    if (
      deletionTimestamp !== undefined &&
      (finalizers?.includes('orphan') || finalizers?.includes('foregroundDeletion'))
    )
      soon(`owner ${uid}`, () => workOnOwner(resource, uid));
    if (
      owners(object) !== owners(previous) &&
      owners(object).some((owner) => store.byUid(owner.uid) === undefined)
    )
      soon(`dependent ${uid}`, () => collect({ resource, uid }));
  }

  return store.followAll(see);
}
