import { ApiError, type Cluster, type WatchHandle, type WatchSink } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ApiServer } from './server.ts';

/** The success `metav1.Status` for requests without an object in the response. */
const done = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  code: 201,
} as unknown as KubeObject;

/** Ends a rejected watch through its sink, asynchronously, as the port promises. */
function refusedWatch(error: ApiError, sink: WatchSink): WatchHandle {
  let stopped = false;
  queueMicrotask(() => {
    if (!stopped) sink.onEnd(error);
  });
  return {
    stop() {
      stopped = true;
    },
  };
}

/**
 * The in-process cluster port of one user. Requests run synchronously; their promises settle in a microtask, so
 * responses need no clock.
 */
export function createPort(server: ApiServer, user: string): Cluster {
  return {
    list: async (resource, options) => server.list(user, resource, options),
    watch(resource, options, sink) {
      try {
        return server.watch(user, resource, options, sink);
      } catch (error) {
        if (error instanceof ApiError) return refusedWatch(error, sink);
        throw error;
      }
    },
    get: async (resource, at) => server.get(user, resource, at),
    async create(resource, body, options) {
      const created = server.create(user, resource, body, options);
      // A POST to a subresource returns no object.
      return options?.subresource === undefined ? created : { ...done };
    },
    replace: async (resource, body, options) => server.replace(user, resource, body, options),
    patch: async (resource, at, patch, options) => server.patch(user, resource, at, patch, options),
    delete: async (resource, at, options) => server.delete(user, resource, at, options),
  };
}
