import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster, WatchHandle, WatchSink } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';

/** How often the namespace itself is read: its policy seldom changes. */
const READ_MS = 30_000;

/** The namespace of a call that means all of them, though the cluster is restricted to one. */
export const EVERYWHERE = '';

/**
 * The cluster restricted to one namespace, for a user without rights to others: objects are listed and watched there unless
 * a call names another namespace, or `EVERYWHERE`. The only Namespace object is that one; it is polled by name, which a Role can allow.
 */
export function inNamespace(cluster: Cluster, clock: Clock, namespace: string): Cluster {
  const self = async (): Promise<KubeObject> => cluster.get(resources.Namespace, { name: namespace });

  function watchSelf(from: string, sink: WatchSink): WatchHandle {
    let version = from;
    let cancel = (): void => {};
    let stopped = false;
    /** A handler may have stopped the watch. */
    const readLater = (): void => {
      if (!stopped) cancel = clock.after(READ_MS, read);
    };
    const read = (): void => {
      self().then(
        (object) => {
          if (stopped) return;
          const { resourceVersion = '' } = object.metadata;
          if (resourceVersion !== version) sink.onEvent({ type: 'MODIFIED', object });
          version = resourceVersion;
          readLater();
        },
        (error: unknown) => {
          if (!stopped) sink.onEnd(error instanceof Error ? error : new Error(String(error)));
        },
      );
    };
    cancel = clock.after(0, () => {
      sink.onOpen?.();
      readLater();
    });
    return {
      stop() {
        stopped = true;
        cancel();
      },
    };
  }

  return {
    ...cluster,
    async list(resource, options) {
      if (resource.namespaced) return cluster.list(resource, { namespace, ...options });
      if (resource !== resources.Namespace) return cluster.list(resource, options);
      const object = await self();
      return { metadata: { resourceVersion: object.metadata.resourceVersion ?? '0' }, items: [object] };
    },
    watch(resource, options, sink) {
      if (resource.namespaced) return cluster.watch(resource, { namespace, ...options }, sink);
      if (resource !== resources.Namespace) return cluster.watch(resource, options, sink);
      return watchSelf(options.resourceVersion, sink);
    },
  };
}
