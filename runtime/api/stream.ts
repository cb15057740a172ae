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
  /** When the server is to have ended it, milliseconds from now. */
  lifeMs: number;
  /** So much longer may its end be on its way. */
  graceMs: number;
  onEvent(event: WatchEvent): void;
  /** Called once, unless the stream was stopped before. */
  onEnd(error: Error | undefined): void;
}

/**
 * Reads the events of a watch. The server was told when to end it: when that time is over and nothing comes any more, the
 * connection is dead, whatever it looks like. Returns what stops the reading.
 */
export function readStream(options: StreamOptions): () => void {
  const { message, clock, host, lifeMs, graceMs, onEvent, onEnd } = options;
  const reader = createLineReader(LONGEST_OBJECT);
  let heard = clock.monotonic();
  let over = false;
  let cancelTimer = clock.after(lifeMs + graceMs, check);

  function check(): void {
    const quiet = clock.monotonic() - heard;
    if (quiet < graceMs) cancelTimer = clock.after(graceMs - quiet, check);
    else end(new TransportError('timeout', `${host} fell silent: the end of a watch did not come`));
  }

  function stop(): void {
    over = true;
    cancelTimer();
  }

  function end(error: Error | undefined): void {
    if (over) return;
    stop();
    onEnd(error);
  }

  function take(line: string): void {
    if (over || line.trim() === '') return;
    const read = eventOf(line, host);
    if (read instanceof Error) end(read);
    else onEvent(read);
  }

  message.on('data', (bytes: Buffer) => {
    heard = clock.monotonic();
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
  return new TransportError('garbled', `what ${host} sent in a watch is no event: ${what}`);
}

/** The event of a line, or the error that it is. */
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
