import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resourceOf } from '../api/registry.ts';
import type { Commit } from '../store/history.ts';
import type { Surroundings } from './runtime.ts';

const user = 'system:serviceaccount:kube-system:namespace-controller';

/** Empties a namespace that is being deleted, and lets it go when nothing is left in it. */
export function startNamespaceLifecycle(surroundings: Surroundings): () => void {
  const { store, registry, server, clock, timings } = surroundings;
  const queued = new Set<string>();

  function contents(namespace: string): { resource: string; object: KubeObject }[] {
    return registry
      .types()
      .filter((type) => type.namespaced)
      .flatMap(({ id }) => store.list(id, namespace).map((object) => ({ resource: id, object })));
  }

  function work(name: string): void {
    const namespace = store.read('namespaces', '', name);
    if (namespace?.metadata.deletionTimestamp === undefined) return;
    for (const { resource, object } of contents(name)) {
      const type = registry.byId(resource);
      if (type === undefined || object.metadata.deletionTimestamp !== undefined) continue;
      try {
        server.delete(user, resourceOf(type), { namespace: name, name: object.metadata.name });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
    }
    if (contents(name).length === 0) server.finalizeNamespace(user, name);
  }

  function soon(name: string): void {
    if (queued.has(name)) return;
    queued.add(name);
    clock.after(timings.collectMs, () => {
      queued.delete(name);
      work(name);
    });
  }

  function see({ type, resource, object }: Commit): void {
    if (resource === 'namespaces') {
      if (type === 'MODIFIED' && object.metadata.deletionTimestamp !== undefined) soon(object.metadata.name);
      return;
    }
    const { namespace } = object.metadata;
    if (namespace === undefined) return;
    if (store.read('namespaces', '', namespace)?.metadata.deletionTimestamp !== undefined) soon(namespace);
  }

  return store.followAll(see);
}
