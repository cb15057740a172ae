import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster, Resource, WatchEvent } from '../../schemas/wire/cluster.ts';
import { intercepting } from './intercept.ts';

/** A cluster whose watch events are delayed; each watch keeps its order. */
export function delayed(cluster: Cluster, clock: Clock, delayMs: (of: Resource) => number): Cluster {
  return intercepting(cluster, {
    request: async (_call, send) => send(),
    watch: ({ resource }, open, sink) => {
      let stopped = false;
      let free = 0;
      const deliver = (run: () => void): void => {
        free = Math.max(free, clock.now() + delayMs(resource));
        clock.after(free - clock.now(), () => {
          if (!stopped) run();
        });
      };
      const handle = open({
        onOpen: () => deliver(() => sink.onOpen?.()),
        onEvent: (event) => deliver(() => sink.onEvent(event)),
        onEnd: (error) => deliver(() => sink.onEnd(error)),
      });
      return {
        stop() {
          stopped = true;
          handle.stop();
        },
      };
    },
  });
}

/**
 * A cluster whose watch events are coalesced: of all events of an object in an interval only the last one is delivered, as
 * after a list. An object that was created and deleted in one interval has no event.
 */
export function coalesced(cluster: Cluster, clock: Clock, everyMs: number): Cluster {
  return intercepting(cluster, {
    request: async (_call, send) => send(),
    watch: (_call, open, sink) => {
      const waiting = new Map<string, WatchEvent>();
      let stopped = false;
      let cancel: (() => void) | undefined;
      const deliver = (): void => {
        cancel = undefined;
        for (const [key, event] of waiting) {
          waiting.delete(key);
          if (!stopped) sink.onEvent(event);
        }
      };
      const handle = open({
        onOpen: () => sink.onOpen?.(),
        onEvent(event) {
          const key = event.type === 'BOOKMARK' ? '' : (event.object.metadata.uid ?? '');
          const before = waiting.get(key);
          // In the order of the last events, so that versions stay in order.
          waiting.delete(key);
          if (before?.type === 'ADDED' && event.type === 'MODIFIED')
            waiting.set(key, { ...event, type: 'ADDED' });
          else if (before?.type !== 'ADDED' || event.type !== 'DELETED') waiting.set(key, event);
          cancel ??= clock.after(everyMs, deliver);
        },
        onEnd(error) {
          cancel?.();
          deliver();
          sink.onEnd(error);
        },
      });
      return {
        stop() {
          stopped = true;
          cancel?.();
          handle.stop();
        },
      };
    },
  });
}
