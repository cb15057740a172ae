import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster, Resource, WatchEvent, WatchHandle, WatchSink } from '../../schemas/wire/cluster.ts';

/** One call of the cluster port, as a fault is aimed at it. */
export interface Call {
  verb: 'list' | 'watch' | 'get' | 'create' | 'replace' | 'patch' | 'delete';
  resource: Resource;
  name: string;
  subresource?: string;
}

export function isWrite({ verb }: Call): boolean {
  return verb !== 'list' && verb !== 'watch' && verb !== 'get';
}

/** `patch pods/web-x2b4c status`. */
export function callText({ verb, resource, name, subresource }: Call): string {
  return [verb, name === '' ? resource.plural : `${resource.plural}/${name}`, subresource ?? '']
    .join(' ')
    .trim();
}

/** What stands between a client and the server: every request passes one function, every watch another. */
export interface Between {
  request<Answer>(call: Call, send: () => Promise<Answer>): Promise<Answer>;
  watch(call: Call, open: (sink: WatchSink) => WatchHandle, sink: WatchSink): WatchHandle;
}

/** The same cluster with something in between. */
export function intercepting(cluster: Cluster, between: Between): Cluster {
  const { request } = between;
  const call = (verb: Call['verb'], resource: Resource, name = '', subresource?: string): Call => ({
    verb,
    resource,
    name,
    ...(subresource === undefined ? {} : { subresource }),
  });
  return {
    list: (resource, options) => request(call('list', resource), () => cluster.list(resource, options)),
    watch: (resource, options, sink) =>
      between.watch(call('watch', resource), (inner) => cluster.watch(resource, options, inner), sink),
    get: (resource, at) => request(call('get', resource, at.name), () => cluster.get(resource, at)),
    create: (resource, body, options) =>
      request(call('create', resource, body.metadata.name, options?.subresource), () =>
        cluster.create(resource, body, options),
      ),
    replace: (resource, body, options) =>
      request(call('replace', resource, body.metadata.name, options?.subresource), () =>
        cluster.replace(resource, body, options),
      ),
    patch: (resource, at, patch, options) =>
      request(call('patch', resource, at.name, options?.subresource), () =>
        cluster.patch(resource, at, patch, options),
      ),
    delete: (resource, at, options) =>
      request(call('delete', resource, at.name), () => cluster.delete(resource, at, options)),
  };
}

/**
 * What becomes of a process at a call: it lives on; it ends before the call is sent; after the server did it and before
 * the answer came; or its request is still under way when it ends, and arrives later.
 */
export type Fate = 'lives' | 'unsent' | 'unanswered' | { arrivesAfterMs: number };

/** The cluster as seen by a process that may end at any call: nothing it says afterwards reaches anybody. */
export function mortal(
  cluster: Cluster,
  clock: Clock,
  fate: (call: Call) => Fate,
  onDeath: () => void,
): Cluster {
  const never = new Promise<never>(() => undefined);
  const nothing: WatchHandle = { stop: () => undefined };
  let dead = false;
  const decide = (call: Call): Fate => {
    const decided = fate(call);
    if (decided === 'lives') return decided;
    dead = true;
    return decided;
  };
  return intercepting(cluster, {
    async request(call, send) {
      if (dead) return never;
      const decided = decide(call);
      if (decided === 'lives') return send();
      const sent = (): void => void send().catch(() => undefined);
      if (decided === 'unanswered') sent();
      else if (decided !== 'unsent') clock.after(decided.arrivesAfterMs, sent);
      onDeath();
      return never;
    },
    watch(call, open, sink) {
      if (dead) return nothing;
      if (decide(call) === 'lives') return open(sink);
      onDeath();
      return nothing;
    },
  });
}

/** The cluster as seen by somebody to whom watch events come late, each watch in its own order. */
export function late(cluster: Cluster, clock: Clock, delayMs: () => number): Cluster {
  return intercepting(cluster, {
    request: async (_call, send) => send(),
    watch: (_call, open, sink) => {
      let stopped = false;
      let free = 0;
      const deliver = (run: () => void): void => {
        free = Math.max(free, clock.now() + delayMs());
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
 * The cluster as seen by somebody who looks every so often: of all events of an object in between the last one comes, as
 * after a list. One that was made and deleted in between was never there.
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
          // In the order of the last ones, so that a version never comes after a higher one.
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
