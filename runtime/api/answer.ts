import type { IncomingMessage } from 'node:http';
import { excerptOf, refusalOf } from './refusal.ts';
import { TransportError } from './transport-error.ts';

/** The complete response to a request. */
export interface Answer {
  code: number;
  text: string;
  /** The Retry-After header. */
  retryAfter: string | undefined;
  /** The server's time (Date header), milliseconds since 1970, to the second; undefined: not sent. */
  date: number | undefined;
}

/** Reads a response to its end; `done` receives undefined as soon as it exceeds `mostBytes`. */
export function collect(
  message: IncomingMessage,
  mostBytes: number,
  done: (answer: Answer | undefined) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  message.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= mostBytes) chunks.push(chunk);
    else {
      chunks.length = 0;
      done(undefined);
    }
  });
  message.on('end', () => {
    const [first] = chunks;
    const whole = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, bytes);
    const { statusCode = 0, headers } = message;
    const date = Date.parse(headers.date ?? '');
    done({
      code: statusCode,
      text: whole.toString('utf8'),
      retryAfter: headers['retry-after'],
      date: Number.isNaN(date) ? undefined : date,
    });
  });
}

/**
 * The value of a response. Throws ApiError if the server refused the request, and TransportError if no API server would
 * answer so: a redirect, or a body that is not JSON.
 */
export function readAnswer({ code, text, retryAfter }: Answer, host: string, isWrite: boolean): unknown {
  if (code >= 300 && code < 400)
    throw new TransportError('garbled', `${host} answered ${code} (redirect); an API server never redirects`);
  if (code < 200 || code >= 300) throw refusalOf(code, text, retryAfter);
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable(host, excerptOf(text), isWrite);
  }
}

/** The error of a response that is longer than its limit. */
export function oversized(host: string, mostBytes: number, isWrite: boolean): TransportError {
  const most = `${Math.round(mostBytes / 1024 / 1024)} MiB`;
  return new TransportError('oversized', `the response of ${host} is longer than ${most}`, {
    outcomeUnknown: isWrite,
  });
}

/** The error of a response that is not understood. */
export function unreadable(host: string, what: string, isWrite: boolean): TransportError {
  return new TransportError('garbled', `the response of ${host} cannot be read: ${what}`, {
    outcomeUnknown: isWrite,
  });
}
