import {
  ApiError,
  type Resource,
  type WatchHandle,
  type WatchOptions,
  type WatchSink,
} from '../../schemas/wire/cluster.ts';
import { pathOf, watchQuery } from './address.ts';
import { collect, unreadable, readAnswer, type Answer } from './answer.ts';
import { headersOf, type ApiClient } from './calls.ts';
import type { Headers } from './connection.ts';
import { LONGEST_OBJECT } from './limits.ts';
import { readStream } from './stream.ts';
import { TransportError } from './transport-error.ts';

export interface Watches {
  watch(resource: Resource, options: WatchOptions, sink: WatchSink): WatchHandle;
  close(): void;
}

/** Watches, each with a `timeoutSeconds`: a watch that the server does not end by then is dead. */
export function createWatches(client: ApiClient): Watches {
  const { host } = client.transport;
  const open = new Set<(error: TransportError) => void>();
  let closed = false;

  function watch(resource: Resource, options: WatchOptions, sink: WatchSink): WatchHandle {
    const { clock, limits, transport, identity } = client;
    const startedAt = clock.monotonic();
    const seconds = Math.max(1, Math.round((limits.watchMs * (1 + client.random() / 4)) / 1000));
    const path = pathOf(resource, { namespace: options.namespace }) + watchQuery(options, seconds);
    let ended = false;
    let retried = 0;
    /** Stops the request or the stream without calling the sink. */
    let drop = (): void => {};

    function report(code: number | 'error'): void {
      client.onCall({
        verb: 'watch',
        resource: resource.plural,
        code,
        ms: clock.monotonic() - startedAt,
        retried,
      });
    }

    function end(error: Error | undefined): void {
      if (ended) return;
      ended = true;
      open.delete(end);
      drop();
      sink.onEnd(error);
    }

    function refuse(error: Error): void {
      if (ended) return;
      report(error instanceof ApiError ? error.status.code : 'error');
      end(error);
    }

    /** The server answered the watch with anything but 200. */
    function answered(answer: Answer | undefined, headers: Headers, isFirst: boolean): void {
      if (answer?.code === 401 && isFirst) return again(headers);
      try {
        if (answer !== undefined) readAnswer(answer, host, false);
        refuse(unreadable(host, 'it is not a watch', false));
      } catch (error) {
        refuse(error as Error);
      }
    }

    function again(refused: Headers | undefined): void {
      retried += 1;
      start(refused).catch(refuse);
    }

    async function start(refused?: Headers): Promise<void> {
      const headers = await identity.headers(refused);
      if (closed) throw new TransportError('closed', `the connection to ${host} is closed`);
      if (ended) return;
      let isOpen = false;
      const exchange = transport.open(
        {
          method: 'GET',
          path,
          headers: headersOf(client, headers),
          pool: 'watches',
          deadlineMs: limits.callMs,
        },
        {
          response(message, release) {
            if (message.statusCode !== 200)
              return collect(message, LONGEST_OBJECT, (answer) => {
                release();
                answered(answer, headers, refused === undefined);
              });
            release();
            isOpen = true;
            report(200);
            sink.onOpen?.();
            if (ended) return;
            const stop = readStream({
              message,
              clock,
              host,
              lifeMs: seconds * 1000,
              graceMs: limits.watchGraceMs,
              onEvent: (event) => sink.onEvent(event),
              onEnd: end,
            });
            drop = () => {
              stop();
              exchange.abort();
            };
          },
          failed(error, wasClosed) {
            if (isOpen) end(error);
            else if (wasClosed && retried < 2) again(refused);
            else refuse(error);
          },
        },
      );
      drop = () => exchange.abort();
    }

    open.add(end);
    start().catch(refuse);
    return {
      stop() {
        ended = true;
        open.delete(end);
        drop();
      },
    };
  }

  return {
    watch,
    close() {
      closed = true;
      for (const end of open) end(new TransportError('closed', `the connection to ${host} is closed`));
    },
  };
}
