import type { ServerResponse } from 'node:http';
import { gzip } from 'node:zlib';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { Executed } from '../api/exec.ts';
import { statusOf, failure } from './status.ts';

/** A response. A stream writes its own response; what was executed goes over a web socket. */
export type Reply =
  | TextReply
  | { type: 'stream'; open: (response: ServerResponse) => void }
  | { type: 'executed'; executed: Executed };

/** Response headers; a list is written as one header per value. */
export type Headers = Readonly<Record<string, string | string[]>>;

export interface TextReply {
  type: 'text';
  code: number;
  contentType: string;
  text: string;
  headers?: Headers;
}

/** The JSON format that the client requests. */
export interface OutputOptions {
  pretty: boolean;
  gzip: boolean;
}

/** Larger bodies are compressed if the client accepts it. */
const gzipFrom = 128 * 1024;

/** Bodies up to this many characters are sent in one write with the header. */
const oneWriteUpTo = 16 * 1024;

/** A response of serialized JSON in the requested format. */
export function jsonReply(code: number, text: string, output: OutputOptions, headers?: Headers): TextReply {
  return {
    type: 'text',
    code,
    contentType: 'application/json',
    text: output.pretty ? JSON.stringify(JSON.parse(text), undefined, 2) : `${text}\n`,
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

/** The 404 response for paths outside of the API. */
export function pageNotFound(): Reply {
  return plainReply(404, '404 page not found\n');
}

/** A Status response; `extraHeaders`: additional headers. */
export function refusalReply(error: unknown, output: OutputOptions, extraHeaders: Headers = {}): Reply {
  const status = statusOf(error);
  const seconds = status.details?.retryAfterSeconds;
  const headers = { ...extraHeaders, ...(seconds === undefined ? {} : { 'Retry-After': String(seconds) }) };
  const text = JSON.stringify(failure(status));
  return jsonReply(status.code, text, output, Object.keys(headers).length === 0 ? undefined : headers);
}

/**
 * Sends a response. Disconnected clients are ignored; a client that reads nothing of a long response for `stallMs`
 * milliseconds of real time is disconnected.
 */
export function send(response: ServerResponse, reply: Reply, wantsGzip: boolean, stallMs: number): void {
  if (!response.destroyed) response.setHeader('Cache-Control', 'no-cache, private');
  if (reply.type === 'stream') return reply.open(response);
  if (response.destroyed) return;
  if (reply.type === 'executed') {
    const refused = new ApiError({ code: 400, reason: 'BadRequest', message: 'Upgrade request required' });
    return send(response, refusalReply(refused, { pretty: false, gzip: false }), false, stallMs);
  }
  response.statusCode = reply.code;
  response.setHeader('Content-Type', reply.contentType);
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  // A string is sent together with the header, which must be ASCII in this case.
  const isOneWrite = reply.headers === undefined && reply.text.length <= oneWriteUpTo;
  const body = isOneWrite ? reply.text : Buffer.from(reply.text);
  const length = Buffer.byteLength(body);
  if (length > gzipFrom) response.setTimeout(stallMs, () => response.destroy());
  if (!wantsGzip || length <= gzipFrom) {
    response.setHeader('Content-Length', length);
    // Otherwise Node would send the header of a waiting response before `100 Continue`.
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
