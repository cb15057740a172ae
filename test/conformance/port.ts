import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster, Resource, WatchEvent, WatchHandle, WatchSink } from '../../schemas/wire/cluster.ts';

/** One call of the cluster port. */
export interface Call {
  verb: 'list' | 'watch' | 'get' | 'create' | 'replace' | 'patch' | 'delete';
  resource: Resource;
  name: string;
  subresource?: string;
  /** What a create, replace or patch sends, and the preconditions of a delete. */
  sends?: object;
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

/** Functions between a client and the server: one for every request, one for every watch. */
export interface Between {
  request<Answer>(call: Call, send: () => Promise<Answer>): Promise<Answer>;
  watch(call: Call, open: (sink: WatchSink) => WatchHandle, sink: WatchSink): WatchHandle;
}

/** A cluster whose calls go through an interceptor. */
export function intercepting(cluster: Cluster, between: Between): Cluster {
  const { request } = between;
  const call = (
    verb: Call['verb'],
    resource: Resource,
    name = '',
    rest: Pick<Partial<Call>, 'sends'> & { subresource?: string | undefined } = {},
  ): Call => {
    const { sends, subresource } = rest;
    return {
      verb,
      resource,
      name,
      ...(sends === undefined ? {} : { sends }),
      ...(subresource === undefined ? {} : { subresource }),
    };
  };
  return {
    list: (resource, options) => request(call('list', resource), () => cluster.list(resource, options)),
    watch: (resource, options, sink) =>
      between.watch(call('watch', resource), (inner) => cluster.watch(resource, options, inner), sink),
    get: (resource, at) => request(call('get', resource, at.name), () => cluster.get(resource, at)),
    create: (resource, body, options) =>
      request(
        call('create', resource, body.metadata.name, { sends: body, subresource: options?.subresource }),
        () => cluster.create(resource, body, options),
      ),
    replace: (resource, body, options) =>
      request(
        call('replace', resource, body.metadata.name, { sends: body, subresource: options?.subresource }),
        () => cluster.replace(resource, body, options),
      ),
    patch: (resource, at, patch, options) =>
      request(
        call('patch', resource, at.name, { sends: patch.body, subresource: options?.subresource }),
        () => cluster.patch(resource, at, patch, options),
      ),
    delete: (resource, at, options) =>
      request(call('delete', resource, at.name, { sends: options ?? {} }), () =>
        cluster.delete(resource, at, options),
      ),
  };
}

/**
 * What happens to a process at a call: it continues (`lives`); it ends before the call is sent (`unsent`), or after the server
 * has executed it and before the response (`unanswered`); or it ends with the request in flight, which arrives later.
 */
export type Fate = 'lives' | 'unsent' | 'unanswered' | { arrivesAfterMs: number };

/** A cluster used by a process that may end at any call: later calls are never sent. */
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

/** A cluster whose watch events are delayed; each watch keeps its order. */
export function late(cluster: Cluster, clock: Clock, delayMs: (of: Resource) => number): Cluster {
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
