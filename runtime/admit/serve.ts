import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type SecureContextOptions, TLSSocket } from 'node:tls';
import type { Clock } from '../../schemas/wire/clock.ts';
import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { isObject } from '../../semantics/values/json-shape.ts';
import { limitConnections } from '../serve/connections.ts';
import { listen, type Endpoint } from '../serve/listen.ts';
import { readBody } from './body.ts';
import { createBudget } from './budget.ts';
import type { Certificate } from './certificate.ts';
import { namesInHead } from './head.ts';
import type { UnreviewedReason } from './unreviewed.ts';

/** Most bytes of all requests and answers in memory: sixteen of the largest. */
const MOST_BYTES = 48 * 1024 * 1024;
/** An API server waits for three seconds. */
const limits = {
  handshakeTimeout: 2_000,
  headersTimeout: 2_000,
  requestTimeout: 4_000,
  connectionsCheckingInterval: 500,
  maxHeaderSize: 16 * 1024,
  // Longer than an API server keeps an idle connection, so that it does not send on one that is just being closed.
  keepAliveTimeout: 120_000,
};
/** Closes a connection without traffic during a request, such as a client that reads its answer slowly, milliseconds. */
const STALL_MS = 5_000;
/** An API server keeps at most 25 idle connections open. */
const CONNECTIONS = { total: 512, perClient: 64, graceMs: 2_000, most: 1_024 };

/** Answers a review; undefined: it cannot yet, and the API server goes on without an answer. Never rejects. */
export type Review = (body: JsonObject) => JsonObject | undefined | Promise<JsonObject | undefined>;

export interface ReviewServer extends Endpoint {
  /** Is used by connections from now on. */
  renew(certificate: Certificate): void;
}

/**
 * Serves reviews over TLS, by POST only, to clients with a certificate of `clientCa`; without that to everybody: an answer says only
 * what the set of a cluster adds to a pod that the caller has sent, or how it is limited. Rejects if the port cannot be opened.
 *
 * @param options.mostBytes most bytes of all requests and answers in memory
 * @param options.reviews by their paths
 * @param options.onUnreviewed is called for each request without an answer; `about` names the pod, where that is known
 */
export async function serveReviews(options: {
  port: number;
  address: string;
  certificate: Certificate;
  clock: Clock;
  mostBytes?: number;
  reviews: ReadonlyMap<string, Review>;
  onUnreviewed(reason: UnreviewedReason, about?: string): void;
}): Promise<ReviewServer> {
  const { reviews, onUnreviewed } = options;
  const budget = createBudget(options.mostBytes ?? MOST_BYTES);
  const areClientsKnown = options.certificate.clientCa !== undefined;
  /** Connections that are closed for an error that was counted. */
  const failed = new WeakSet<Duplex>();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // It may have been idle since it was opened.
    request.socket.setTimeout(STALL_MS);
    const refused = (reason: UnreviewedReason, code: number, text: string, about?: string): void => {
      onUnreviewed(reason, about);
      request.resume();
      response.setHeader('connection', 'close');
      answer(response, code, `${text}\n`, 'text/plain; charset=utf-8');
    };
    // The handshake ends without one, too, so that this answer can say what is missing.
    if (areClientsKnown && !(request.socket instanceof TLSSocket && request.socket.authorized))
      return refused('client', 403, 'a client certificate that --client-ca trusts is missing');
    const review = reviews.get((request.url ?? '').split('?')[0] ?? '');
    if (review === undefined)
      return refused('malformed', 404, `the path is ${[...reviews.keys()].join(' or ')}`);
    if (request.method !== 'POST') return refused('malformed', 405, 'only POST');
    const share = budget.share(request.socket.remoteAddress ?? '', () => {
      if (!response.headersSent) return refused('memory', 503, 'too many reviews are under way');
      onUnreviewed('memory');
      response.destroy();
    });
    const body = await readBody(request, share);
    if (body === 'dropped') return;
    if (typeof body === 'string' || 'head' in body) share.release();
    if (body === 'closed') {
      if (!response.headersSent && !failed.has(request.socket)) onUnreviewed('closed');
      response.destroy();
      return;
    }
    if ('head' in body) return refused('large', 413, 'the review is too large', namesInHead(body.head));
    const parsed = parsedReview(body.text);
    const answered = parsed && (await review(parsed));
    share.release();
    // Its share was taken away meanwhile, or the client has left.
    if (response.headersSent) return;
    if (request.socket.destroyed) return onUnreviewed('closed');
    if (parsed === undefined) return refused('malformed', 400, 'the body is no AdmissionReview');
    if (answered === undefined) return refused('unready', 503, 'not ready: the caches are not complete');
    send(request, response, JSON.stringify(answered));
  }

  /** The answer is held in memory until the client has read it. */
  function send(request: IncomingMessage, response: ServerResponse, text: string): void {
    let isDropped = false;
    const share = budget.share(request.socket.remoteAddress ?? '', () => {
      isDropped = true;
      onUnreviewed('memory');
      response.destroy();
    });
    response.once('close', () => {
      share.release();
      if (!response.writableFinished && !isDropped) onUnreviewed('closed');
    });
    if (share.take(Buffer.byteLength(text))) answer(response, 200, text, 'application/json');
  }

  const server = createServer(
    {
      ...limits,
      ...contextOf(options.certificate),
      requestCert: areClientsKnown,
      rejectUnauthorized: false,
    },
    (request, response) => void serve(request, response),
  );
  const secured = new WeakSet<Duplex>();
  server.on('secureConnection', (socket) => secured.add(socket));
  // Errors of a handshake come by this event, too.
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket) => {
    const reason = secured.has(socket) ? reasonOf(code) : 'tls';
    // An API server opens more connections than it has requests: what has sent nothing is as idle as after an answer.
    if (reason === 'timeout' && socket instanceof Socket && socket.bytesRead === 0)
      return void socket.setTimeout(limits.keepAliveTimeout);
    if (reason !== undefined && !failed.has(socket)) {
      failed.add(socket);
      onUnreviewed(reason);
    }
    if (reason === 'tls' || !socket.writable) return void socket.destroy();
    const status = reason === 'timeout' ? '408 Request Timeout' : '400 Bad Request';
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
  });
  server.timeout = STALL_MS;
  limitConnections(server, options.clock, CONNECTIONS);
  return {
    ...(await listen(server, options)),
    renew: (certificate) => server.setSecureContext(contextOf(certificate)),
  };
}

function contextOf({ cert, key, clientCa }: Certificate): SecureContextOptions {
  return { cert, key, minVersion: 'TLSv1.2', ...(clientCa !== undefined && { ca: clientCa }) };
}

/** Why a request was not read to its end, by the code of the error; undefined: whoever reads its body knows. */
function reasonOf(code: string): UnreviewedReason | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'timeout';
  if (code === 'HPE_INVALID_EOF_STATE') return 'closed';
  return code.startsWith('HPE_') ? 'malformed' : undefined;
}

function parsedReview(text: string): JsonObject | undefined {
  try {
    const parsed = JSON.parse(text) as Json;
    return isObject(parsed) && isObject(parsed['request']) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function answer(response: ServerResponse, code: number, text: string, type: string): void {
  response.writeHead(code, {
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  });
  response.end(text);
}
