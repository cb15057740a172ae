import { ApiError, type Cluster, type WatchHandle, type WatchSink } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ApiServer } from './server.ts';

/** What a server answers with when there is no object to show (`metav1.Status`). */
const done = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  code: 201,
} as unknown as KubeObject;

/** Ends a watch that was refused the way the port promises: through its sink, and not synchronously. */
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
 * The cluster port of one user, in process. A request is carried out when it is called; its promise settles in a
 * microtask, so no clock has to move for an answer.
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
      // What is posted to an object is done or not done; there is nothing to show.
      return options?.subresource === undefined ? created : { ...done };
    },
    replace: async (resource, body, options) => server.replace(user, resource, body, options),
    patch: async (resource, at, patch, options) => server.patch(user, resource, at, patch, options),
    delete: async (resource, at, options) => server.delete(user, resource, at, options),
  };
}
