import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ServeOptions {
  /** 0: any that is free. */
  port: number;
  address: string;
  /** Undefined: ready; else why not, as a sentence. */
  notReady(): string | undefined;
  metrics(): string;
}

export interface Endpoint {
  port: number;
  close(): Promise<void>;
}

/** Whoever asks has no need of more. */
const limits = {
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  keepAliveTimeout: 30_000,
  maxHeaderSize: 16 * 1024,
};
const MOST_CONNECTIONS = 64;

/**
 * Answers `/livez`, `/readyz` and `/metrics` to whoever asks: they tell no object's name and take no input. Rejects when
 * the port cannot be had.
 */
export async function serve(options: ServeOptions): Promise<Endpoint> {
  const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
    '/livez': (response) => plain(response, 200, 'ok\n'),
    '/readyz'(response) {
      const why = options.notReady();
      plain(response, why === undefined ? 200 : 503, `${why ?? 'ok'}\n`);
    },
    '/metrics'(response) {
      plain(response, 200, options.metrics(), 'text/plain; version=0.0.4; charset=utf-8');
    },
  };
  const server = createServer(limits, (request, response) => {
    request.resume();
    const path = (request.url ?? '').split('?')[0] ?? '';
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined;
    if (answer === undefined) return plain(response, 404, 'there are /livez, /readyz and /metrics\n');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return plain(response, 405, 'only GET and HEAD\n');
    }
    return answer(response);
  });
  server.maxConnections = MOST_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.address, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function plain(
  response: ServerResponse,
  code: number,
  text: string,
  type = 'text/plain; charset=utf-8',
): void {
  response.writeHead(code, {
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(text);
}
