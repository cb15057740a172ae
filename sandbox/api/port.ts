import { ApiError, type Cluster, type WatchHandle, type WatchSink } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { commandOf, failedCommand } from '../../schemas/wire/exec.ts';
import { withAnswers, type Answers } from '../webhooks/answers.ts';
import type { Executed } from './exec.ts';
import type { ApiServer } from './server.ts';

/** The success `metav1.Status` for requests without an object in the response. */
const done = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  code: 201,
} as unknown as KubeObject;

/** The Status of a command that has run. Throws ApiError where it failed. */
function executed({ status, stderr, act }: Executed): KubeObject {
  const { reason = '', message = '', details } = status;
  if (status.status !== 'Success')
    throw failedCommand({ reason, message, ...(details !== undefined && { details }) }, stderr);
  act?.();
  return { ...done };
}

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
 * responses need no clock. A write waits for the webhooks that are called for it.
 */
export function createPort(server: ApiServer, user: string): Cluster {
  const play = <T>(run: (options: { webhooks?: Answers }) => T): T | Promise<T> =>
    server.callsWebhooks ? withAnswers((webhooks) => run({ webhooks })) : run({});
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
      if (options?.subresource === 'exec')
        return executed(await play((own) => server.exec(user, body.metadata, commandOf(body), own)));
      const created = play((own) => server.create(user, resource, body, { ...options, ...own }));
      // A POST to a subresource returns no object.
      if (options?.subresource === undefined) return created;
      await created;
      return { ...done };
    },
    replace: async (resource, body, options) =>
      play((own) => server.replace(user, resource, body, { ...options, ...own })),
    patch: async (resource, at, patch, options) =>
      play((own) => server.patch(user, resource, at, patch, { ...options, ...own })),
    delete: async (resource, at, options) =>
      play((own) => server.delete(user, resource, at, { ...options, ...own })),
  };
}
