import type { ServerResponse } from 'node:http';
import { gzip } from 'node:zlib';
import { statusOf, failure } from './status.ts';

/** What a request is answered with. A stream writes its own answer. */
export type Reply = TextReply | { type: 'stream'; open: (response: ServerResponse) => void };

/** Headers of an answer; of a list, each value stands in a header of its own. */
export type Headers = Readonly<Record<string, string | string[]>>;

export interface TextReply {
  type: 'text';
  code: number;
  contentType: string;
  text: string;
  headers?: Headers;
}

/** How the client would have its JSON. */
export interface OutputOptions {
  pretty: boolean;
  gzip: boolean;
}

/** Bodies above this many bytes are compressed for who wants that. */
const gzipFrom = 128 * 1024;

/** Bodies up to this many characters are cheaper to copy than to write apart from their head. */
const oneWriteUpTo = 16 * 1024;

/** JSON that is text already, in the manner asked for. */
export function jsonReply(code: number, text: string, manner: OutputOptions, headers?: Headers): TextReply {
  return {
    type: 'text',
    code,
    contentType: 'application/json',
    text: manner.pretty ? JSON.stringify(JSON.parse(text), undefined, 2) : `${text}\n`,
    ...(headers === undefined ? {} : { headers }),
  };
}

export function plainReply(code: number, text: string): Reply {
  return {
    type: 'text',
    code,
    contentType: 'text/plain; charset=utf-8',
    text,
    headers: { 'X-Content-Type-Options': 'nosniff' },
  };
}

/** For paths that nothing is served at. */
export function pageNotFound(): Reply {
  return plainReply(404, '404 page not found\n');
}

/** A Status; `told` are headers that go with it besides. */
export function refusalReply(error: unknown, manner: OutputOptions, told: Headers = {}): Reply {
  const status = statusOf(error);
  const seconds = status.details?.retryAfterSeconds;
  const headers = { ...told, ...(seconds === undefined ? {} : { 'Retry-After': String(seconds) }) };
  const text = JSON.stringify(failure(status));
  return jsonReply(status.code, text, manner, Object.keys(headers).length === 0 ? undefined : headers);
}

/**
 * Sends a reply. A client that is gone is nobody's error; one that takes nothing of a long answer for `stallMs`
 * milliseconds of the host's time is let go.
 */
export function send(response: ServerResponse, reply: Reply, wantsGzip: boolean, stallMs: number): void {
  if (!response.destroyed) response.setHeader('Cache-Control', 'no-cache, private');
  if (reply.type === 'stream') return reply.open(response);
  if (response.destroyed) return;
  response.statusCode = reply.code;
  response.setHeader('Content-Type', reply.contentType);
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  // As text it leaves together with the head, which must be plain ASCII then.
  const isOneWrite = reply.headers === undefined && reply.text.length <= oneWriteUpTo;
  const body = isOneWrite ? reply.text : Buffer.from(reply.text);
  const length = Buffer.byteLength(body);
  if (length > gzipFrom) response.setTimeout(stallMs, () => response.destroy());
  if (!wantsGzip || length <= gzipFrom) {
    response.setHeader('Content-Length', length);
    // Otherwise Node would put the head of a waiting answer before the `100 Continue` that was written first.
    if (response.req.headers.expect !== undefined) response.flushHeaders();
    response.end(body);
    return;
  }
  gzip(body, { level: 1 }, (error, packed) => {
    if (response.destroyed) return;
    if (error === null) response.setHeader('Content-Encoding', 'gzip');
    response.setHeader('Vary', 'Accept-Encoding');
    response.setHeader('Content-Length', error === null ? packed.length : length);
    response.end(error === null ? packed : body);
  });
}
