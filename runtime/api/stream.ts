import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../schemas/wire/clock.ts';
import type { WatchEvent } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { LONGEST_OBJECT } from './limits.ts';
import { createLineReader } from './lines.ts';
import { apiErrorOf, excerptOf, isStatus } from './refusal.ts';
import { TransportError } from './transport-error.ts';

export interface StreamOptions {
  message: IncomingMessage;
  clock: Clock;
  host: string;
  /** The timeout that the watch requested, milliseconds from now. */
  lifeMs: number;
  /** How much later its end may arrive, milliseconds. */
  graceMs: number;
  onEvent(event: WatchEvent): void;
  /** Called once, unless the stream was stopped before. */
  onEnd(error: Error | undefined): void;
}

/**
 * Reads the events of a watch. If its timeout has passed and no more bytes arrive, the connection is dead, even though its
 * socket is open. Returns a function that stops reading.
 */
export function readStream(options: StreamOptions): () => void {
  const { message, clock, host, lifeMs, graceMs, onEvent, onEnd } = options;
  const reader = createLineReader(LONGEST_OBJECT);
  let received = clock.monotonic();
  let ended = false;
  let cancelTimer = clock.after(lifeMs + graceMs, check);

  function check(): void {
    const quiet = clock.monotonic() - received;
    if (quiet < graceMs) cancelTimer = clock.after(graceMs - quiet, check);
    else end(new TransportError('timeout', `${host} stopped sending: a watch did not end in time`));
  }

  function stop(): void {
    ended = true;
    cancelTimer();
  }

  function end(error: Error | undefined): void {
    if (ended) return;
    stop();
    onEnd(error);
  }

  function take(line: string): void {
    if (ended || line.trim() === '') return;
    const read = eventOf(line, host);
    if (read instanceof Error) end(read);
    else onEvent(read);
  }

  message.on('data', (bytes: Buffer) => {
    received = clock.monotonic();
    let lines: string[];
    try {
      lines = reader.push(bytes);
    } catch (error) {
      return end(garbled(host, error instanceof Error ? error.message : ''));
    }
    for (const line of lines) take(line);
  });
  message.on('end', () => {
    take(reader.rest());
    end(undefined);
  });
  return stop;
}

function garbled(host: string, what: string): TransportError {
  return new TransportError('garbled', `${host} sent an invalid watch event: ${what}`);
}

/** The event of a line, or the error that it contains. */
function eventOf(line: string, host: string): WatchEvent | Error {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return garbled(host, excerptOf(line.slice(0, 200)));
  }
  const { type, object } = (value ?? {}) as { type?: unknown; object?: unknown };
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return isObject(object) ? { type, object } : garbled(host, `${type} without an object`);
    case 'BOOKMARK':
      return isObject(object) ? bookmark(object) : garbled(host, 'BOOKMARK without an object');
    case 'ERROR':
      return isStatus(object) ? apiErrorOf(object, 500) : garbled(host, 'ERROR without a Status');
    default:
      return garbled(host, excerptOf(line.slice(0, 200)));
  }
}

function isObject(value: unknown): value is KubeObject {
  if (typeof value !== 'object' || value === null) return false;
  const { metadata } = value as { metadata?: unknown };
  return typeof metadata === 'object' && metadata !== null;
}

function bookmark({ metadata }: KubeObject): WatchEvent {
  const resourceVersion = metadata.resourceVersion ?? '';
  return metadata.annotations?.['k8s.io/initial-events-end'] === 'true'
    ? { type: 'BOOKMARK', resourceVersion, initialEventsEnd: true }
    : { type: 'BOOKMARK', resourceVersion };
}
