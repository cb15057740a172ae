import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { isObject } from '../../semantics/values/json-shape.ts';
import { listen, type Endpoint } from '../serve/listen.ts';
import type { Certificate } from './certificate.ts';

/** The path of reviews. */
export const REVIEW_PATH = '/pods';

/** The largest request that an API server sends, with room for the object before and after. */
const MOST_BYTES = 3 * 1024 * 1024;
const MOST_CONNECTIONS = 512;
const limits = { headersTimeout: 2_000, requestTimeout: 4_000, maxHeaderSize: 16 * 1024 };
/** An API server keeps its connections open between reviews, milliseconds. */
const IDLE_MS = 60_000;

export interface ReviewServer extends Endpoint {
  /** Is used by connections from now on. */
  renew(certificate: Certificate): void;
}

/**
 * Serves reviews over TLS, on one path and by POST only. It asks for no client certificate: an answer says only what the set of a
 * cluster adds to a pod that the caller has sent. Rejects if the port cannot be opened.
 *
 * @param options.review answers a review; undefined: it cannot yet, and the API server goes on without an answer
 */
export async function serveReviews(options: {
  port: number;
  address: string;
  certificate: Certificate;
  review(body: JsonObject): JsonObject | undefined;
}): Promise<ReviewServer> {
  const { review } = options;
  const server = createServer(
    { ...limits, ...options.certificate, minVersion: 'TLSv1.2' },
    (request, response) => {
      const path = (request.url ?? '').split('?')[0];
      if (path !== REVIEW_PATH) return refuse(request, response, 404, `the path is ${REVIEW_PATH}`);
      if (request.method !== 'POST') return refuse(request, response, 405, 'only POST');
      read(request).then(
        (body) => {
          if (body === undefined) return refuse(request, response, 413, 'the review is too large');
          const parsed = parsedReview(body);
          if (parsed === undefined) return refuse(request, response, 400, 'the body is no AdmissionReview');
          const answered = review(parsed);
          return answered === undefined
            ? refuse(request, response, 503, 'not ready: the caches are not complete')
            : answer(response, 200, JSON.stringify(answered), 'application/json');
        },
        () => response.destroy(),
      );
    },
  );
  server.timeout = IDLE_MS;
  server.maxConnections = MOST_CONNECTIONS;
  return {
    ...(await listen(server, options)),
    renew: (certificate) => server.setSecureContext({ ...certificate, minVersion: 'TLSv1.2' }),
  };
}

/** The body of a request; undefined: it is too large. */
async function read(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsedReview(text: string): JsonObject | undefined {
  try {
    const parsed = JSON.parse(text) as Json;
    return isObject(parsed) && isObject(parsed['request']) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function refuse(request: IncomingMessage, response: ServerResponse, code: number, text: string): void {
  request.resume();
  response.setHeader('connection', 'close');
  answer(response, code, `${text}\n`, 'text/plain; charset=utf-8');
}

function answer(response: ServerResponse, code: number, text: string, type: string): void {
  response.writeHead(code, {
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  });
  response.end(text);
}
