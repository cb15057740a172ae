import type { IncomingMessage } from 'node:http';
import { excerptOf, refusalOf } from './refusal.ts';
import { TransportError } from './transport-error.ts';

/** What came back for a request, whole. */
export interface Answer {
  code: number;
  text: string;
  /** The Retry-After header. */
  retryAfter: string | undefined;
  /** The server's time, milliseconds since 1970, to the second; undefined where it does not say. */
  date: number | undefined;
}

/** Reads an answer to its end; undefined as soon as it has more than so many bytes. */
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
 * The value that was answered. Throws ApiError for what the server refused, TransportError for what no API server says:
 * a redirect, or a body that is no JSON.
 */
export function readAnswer({ code, text, retryAfter }: Answer, host: string, isWrite: boolean): unknown {
  if (code >= 300 && code < 400)
    throw new TransportError('garbled', `${host} answered ${code}, a redirect: an API server has none`);
  if (code < 200 || code >= 300) throw refusalOf(code, text, retryAfter);
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable(host, excerptOf(text), isWrite);
  }
}

/** What `host` answered is longer than what is read of an answer of its kind. */
export function oversized(host: string, mostBytes: number, isWrite: boolean): TransportError {
  const most = `${Math.round(mostBytes / 1024 / 1024)} MiB`;
  return new TransportError('oversized', `what ${host} answered is longer than ${most}`, {
    outcomeUnknown: isWrite,
  });
}

/** What `host` answered cannot be understood. */
export function unreadable(host: string, what: string, isWrite: boolean): TransportError {
  return new TransportError('garbled', `what ${host} answered cannot be read: ${what}`, {
    outcomeUnknown: isWrite,
  });
}
