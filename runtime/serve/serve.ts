import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { Clock } from '../../schemas/wire/clock.ts';
import { listed } from '../../semantics/values/listed.ts';
import { limitConnections } from './connections.ts';
import { listen, type Endpoint } from './listen.ts';
import type { Page } from './page.ts';

/** What `/readyz` answers. */
export interface Readiness {
  isReady: boolean;
  /** Why it is not ready, or `ok` with the kinds that are held. */
  text: string;
}

export interface ServeOptions {
  /** 0: any that is free. */
  port: number;
  address: string;
  clock: Clock;
  readiness(): Readiness;
  metrics(): string;
  /** Answers `/rollouts`; undefined: it is not served. */
  page?: Page | undefined;
}

/** Milliseconds and bytes; enough for the kubelet and Prometheus. */
const limits = {
  headersTimeout: 2_000,
  requestTimeout: 3_000,
  connectionsCheckingInterval: 500,
  maxHeaderSize: 8 * 1024,
};
/** Closes a connection without traffic, such as a client that reads its answer slowly. */
const IDLE_MS = 5_000;
const CONNECTIONS = { total: 256, perClient: 16, graceMs: 200, most: 2_048 };
/** How long a rendered text of metrics is reused: bounds the cost of a flood of requests. */
export const METRICS_MS = 1_000;

/** No other site shows the page in a frame. */
const UNFRAMED = { 'content-security-policy': "frame-ancestors 'none'", 'referrer-policy': 'no-referrer' };

/**
 * Serves `/livez`, `/readyz` and `/metrics` without authentication: they contain no object's name and take no input. The page of
 * rollouts decides about its readers itself.
 * Rejects if the port cannot be opened.
 */
export async function serve(options: ServeOptions): Promise<Endpoint> {
  const { clock, page } = options;
  let metrics: { text: Buffer; at: number } | undefined;
  const answers: Readonly<
    Record<string, (response: ServerResponse, headers: IncomingHttpHeaders, search: string) => void>
  > = {
    '/livez': (response) => plain(response, 200, 'ok\n'),
    '/readyz'(response) {
      const { isReady, text } = options.readiness();
      plain(response, isReady ? 200 : 503, `${text}\n`);
    },
    '/metrics'(response) {
      const now = clock.monotonic();
      if (metrics === undefined || now - metrics.at >= METRICS_MS)
        metrics = { text: Buffer.from(options.metrics()), at: now };
      plain(response, 200, metrics.text, 'text/plain; version=0.0.4; charset=utf-8');
    },
    ...(page !== undefined && {
      '/rollouts'(response: ServerResponse, headers: IncomingHttpHeaders, search: string) {
        void page(headers, search).then(({ code, text, headers: more }) => {
          for (const [name, value] of Object.entries({ ...UNFRAMED, ...more }))
            response.setHeader(name, value);
          if (code === 200) plain(response, code, text, 'text/html; charset=utf-8');
          else plain(response, code, `${text}\n`);
        });
      },
    }),
  };
  const paths = Object.keys(answers);
  const server = createServer(limits, (request, response) => {
    request.resume();
    const url = request.url ?? '';
    const [path = ''] = url.split('?', 1);
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined;
    if (answer === undefined)
      return plain(response, 404, `not found: the paths are ${listed(paths, 'and')}\n`);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return plain(response, 405, 'only GET and HEAD\n');
    }
    return answer(response, request.headers, url.slice(path.length));
  });
  // One request per connection: an idle client does not occupy a connection.
  server.maxRequestsPerSocket = 1;
  server.timeout = IDLE_MS;
  limitConnections(server, clock, CONNECTIONS);
  return listen(server, options);
}

function plain(
  response: ServerResponse,
  code: number,
  text: string | Buffer,
  type = 'text/plain; charset=utf-8',
): void {
  response.writeHead(code, {
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    connection: 'close',
    'x-content-type-options': 'nosniff',
  });
  response.end(text);
}
