import type { ApiError, Cluster } from '../../schemas/wire/cluster.ts';
import { intercepting, type Call } from './intercept.ts';

/**
 * A cluster that refuses calls, which never reach the server.
 *
 * @param errorOf the error of a call; undefined if it is sent. A watch ends with its error.
 */
export function failing(cluster: Cluster, errorOf: (call: Call) => ApiError | undefined): Cluster {
  return intercepting(cluster, {
    request: async (call, send) => {
      const error = errorOf(call);
      if (error !== undefined) throw error;
      return send();
    },
    watch(call, open, sink) {
      const error = errorOf(call);
      if (error === undefined) return open(sink);
      let stopped = false;
      queueMicrotask(() => {
        if (!stopped) sink.onEnd(error);
      });
      return { stop: () => void (stopped = true) };
    },
  });
}
