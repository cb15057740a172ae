import type { ServerResponse } from 'node:http';
import type { Clock } from '../../schemas/wire/clock.ts';
import type { WatchEvent, WatchSink } from '../../schemas/wire/cluster.ts';
import type { OpenWatch } from '../api/watch.ts';
import { failure, statusOf } from './status.ts';

/** Limits for slow watch clients. */
export interface StreamLimits {
  /** Maximum number of queued events; the watch ends above it. */
  queuedEvents: number;
  /** The watch ends if the client reads nothing for this long while events are queued, milliseconds. */
  stallMs: number;
}

export interface StreamRequest {
  timers: Pick<Clock, 'after'>;
  limits: StreamLimits;
  /** The maximum duration of the watch, in milliseconds. */
  timeoutMs: number;
  /** Serializes an event to one line of JSON, without the line break. */
  lineOf: (event: WatchEvent) => string;
  /** Receives the error of an event that cannot be serialized; the watch ends. */
  onError: (error: unknown) => void;
  /** Starts the watch; its error becomes the response. */
  watch: (sink: WatchSink) => OpenWatch;
}

/** Bytes per write to the socket. */
const chunkSize = 64 * 1024;

/**
 * Opens a watch that writes events as lines of JSON, as fast as the client reads. Events are queued as references
 * to stored objects and serialized only when written.
 */
export function watchStream(request: StreamRequest): (response: ServerResponse) => void {
  const { timers, limits } = request;
  const waiting: WatchEvent[] = [];
  let taken = 0;
  let response: ServerResponse | undefined;
  let blocked = false;
  let over = false;
  let lastError: Error | undefined;
  let cancelStall = () => {};
  let cancelTimeout = () => {};

  function close(): void {
    if (over) return;
    over = true;
    cancelStall();
    cancelTimeout();
    waiting.length = 0;
    watch.stop();
  }

  function cut(): void {
    close();
    response?.destroy();
  }

  function finish(): void {
    over = true;
    cancelStall();
    cancelTimeout();
    if (lastError !== undefined)
      response?.write(`${JSON.stringify({ type: 'ERROR', object: failure(statusOf(lastError)) })}\n`);
    response?.end();
  }

  function nextChunk(): string {
    let chunk = '';
    while (taken < waiting.length && chunk.length < chunkSize) {
      const event = waiting[taken++];
      if (event !== undefined) chunk += `${request.lineOf(event)}\n`;
    }
    if (taken === waiting.length || taken > 1024) {
      waiting.splice(0, taken);
      taken = 0;
    }
    return chunk;
  }

  function pump(): void {
    if (response === undefined || blocked || over) return;
    try {
      while (waiting.length > 0) {
        blocked = !response.write(nextChunk());
        if (!blocked) continue;
        cancelStall = timers.after(limits.stallMs, cut);
        return;
      }
    } catch (error) {
      request.onError(error);
      return cut();
    }
    if (ended) finish();
  }

  let ended = false;
  let scheduled = false;
  const watch = request.watch({
    onEvent(event) {
      if (over) return;
      waiting.push(event);
      if (waiting.length - taken > limits.queuedEvents) return cut();
      if (scheduled) return;
      scheduled = true;
      // Events of the same instant are sent in one write.
      queueMicrotask(() => {
        scheduled = false;
        pump();
      });
    },
    onEnd(error) {
      ended = true;
      lastError = error;
      pump();
    },
  });

  return (opened) => {
    if (opened.destroyed) return close();
    response = opened;
    opened.statusCode = 200;
    opened.setHeader('Content-Type', 'application/json');
    opened.flushHeaders();
    opened.on('drain', () => {
      blocked = false;
      cancelStall();
      pump();
    });
    opened.on('close', close);
    opened.on('error', close);
    cancelTimeout = timers.after(request.timeoutMs, () => watch.end(undefined));
    pump();
  };
}
