import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../schemas/wire/clock.ts';
import { impersonationOf } from '../access/impersonation.ts';
import { administrator, anonymous, type UserInfo } from '../access/users.ts';
import type { ApiServer } from '../api/server.ts';
import { createWallClock } from '../clock/wall.ts';
import type { Exchange, ReadYaml, FrontContext } from './exchange.ts';
import { isWebSocket, streamExec } from './execStream.ts';
import { answerRequest } from './front.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { plainReply, refusalReply, send, type OutputOptions, type Reply } from './reply.ts';
import { frontRefusal } from './status.ts';
import type { StreamLimits } from './stream.ts';
import { readYaml as readYamlBody } from './yaml.ts';

export interface ServeOptions {
  /** Default 127.0.0.1: local clients only. */
  host?: string;
  /** Default 0: any free port. */
  port?: number;
  /** Serves HTTPS with this key and certificate (PEM). Default: plain HTTP. */
  tls?: { key: string; certificate: string };
  /**
   * Authenticates bearer tokens; a plain name is an administrator. Tokens issued by the server are accepted in
   * addition. Default: one random token of an administrator.
   */
  tokens?: ReadonlyMap<string, string | UserInfo>;
  /** Reads YAML bodies. Default: a reader of its own. */
  readYaml?: ReadYaml;
  /** The clock for connection timeouts. Default: real time, even if the cluster's clock runs faster. */
  timers?: Pick<Clock, 'after'>;
  /** Receives internal errors; each of them results in a 500. */
  onError?: (error: unknown) => void;
  limits?: Partial<StreamLimits>;
}

/** A world that clients reach over HTTP. */
export interface Front {
  url: string;
  port: number;
  /** The first of the tokens. */
  token: string;
  /** A kubeconfig for this server with that token, as YAML. */
  kubeconfig: string;
  /** Ends every watch and every connection. Responses to requests that were received are sent before, for at most 300 ms. */
  close(): Promise<void>;
}

/** The maximum size of a request body, in bytes. */
const largestBody = 3 * 1024 * 1024;
/** How long `close` waits for responses, in milliseconds. */
const longestClose = 300;
const connections = {
  keepAliveTimeout: 60_000,
  headersTimeout: 30_000,
  requestTimeout: 120_000,
  maxHeaderSize: 1024 * 1024,
};
const nobody: UserInfo = { name: anonymous, groups: ['system:unauthenticated'] };
/** Paths that need no authentication. */
const open = /^\/(?:healthz|livez|readyz|version)(?:\/|$)/;
const browsers = /^(?:curl|Wget|Mozilla)\//;
const defaultLimits: StreamLimits = { queuedEvents: 100_000, stallMs: 30_000 };

function outputOptionsOf(query: URLSearchParams, { headers }: IncomingMessage): OutputOptions {
  const pretty = query.get('pretty');
  return {
    pretty:
      pretty === null
        ? browsers.test(headers['user-agent'] ?? '')
        : pretty.toLowerCase() !== 'false' && pretty !== '0',
    gzip: String(headers['accept-encoding'] ?? '')
      .split(',')
      .some((coding) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(coding)),
  };
}

/** Path and query of a request line, which may be an absolute URL; undefined for invalid escapes. */
function target(line: string): { path: string; query: URLSearchParams } | undefined {
  const local = line.replace(/^https?:\/\/[^/?#]*/i, '').replace(/#.*$/, '');
  const at = local.indexOf('?');
  const raw = at < 0 ? local : local.slice(0, at);
  try {
    return {
      path: raw.includes('%') ? decodeURIComponent(raw) : raw,
      query: new URLSearchParams(at < 0 ? '' : local.slice(at + 1)),
    };
  } catch {
    return undefined;
  }
}

/**
 * Authenticates a request: the user of the token, anonymous without a token, undefined for an unknown token. The
 * token can also be the password in `http://NAME:TOKEN@HOST`, because kubectl sends no bearer token over plain
 * HTTP.
 */
function userOf({ headers }: IncomingMessage, known: (token: string) => UserInfo | undefined) {
  const { authorization } = headers;
  if (authorization === undefined) return nobody;
  const [scheme = '', credentials = ''] = authorization.trim().split(/\s+/, 2);
  if (scheme.toLowerCase() === 'bearer') return known(credentials);
  if (scheme.toLowerCase() !== 'basic') return undefined;
  return known(
    Buffer.from(credentials, 'base64')
      .toString()
      .replace(/^[^:]*:/, ''),
  );
}

function readAll(message: IncomingMessage, done: (body: Uint8Array | undefined) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  message.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= largestBody) chunks.push(chunk);
  });
  message.on('end', () => done(size > largestBody ? undefined : Buffer.concat(chunks, size)));
  message.on('error', () => {});
}

/** The `Date` header from the server's clock, not the host's. */
function dateOf(now: number): string {
  return new Date(now).toUTCString();
}

/**
 * Serves a world over HTTP or HTTPS. Rejects if the port is in use. Every request gets a response: a Status, or a 500 for
 * unexpected errors.
 */
export async function serve(
  { server, clock }: { server: ApiServer; clock: Pick<Clock, 'now'> },
  options: ServeOptions = {},
): Promise<Front> {
  const { readYaml = readYamlBody, onError = () => {} } = options;
  const tokens = options.tokens ?? new Map([[randomBytes(16).toString('hex'), 'kubernetes-admin']]);
  const [token = ''] = tokens.keys();
  const host = options.host ?? '127.0.0.1';
  const limits = { ...defaultLimits, ...options.limits };
  const context: FrontContext = {
    server,
    timers: options.timers ?? createWallClock(),
    readYaml,
    limits,
    onError,
  };

  const users = new Map(
    [...tokens].map(([secret, user]) => [secret, typeof user === 'string' ? administrator(user) : user]),
  );
  const known = (secret: string) => users.get(secret) ?? server.tokens.userOf(secret);

  /** `deliver` sends the response in another way than as the body of this response. */
  function answer(
    message: IncomingMessage,
    response: ServerResponse,
    deliver?: (reply: Reply) => boolean,
  ): void {
    response.on('error', () => {});
    response.sendDate = false;
    response.setHeader('Date', dateOf(clock.now()));
    const asked = target(message.url ?? '/');
    if (asked === undefined) {
      message.resume();
      return send(response, plainReply(400, 'Bad Request\n'), false, limits.stallMs);
    }
    const { path, query } = asked;
    const output = outputOptionsOf(query, message);
    const user = userOf(message, known);
    if (user === undefined || (user === nobody && !open.test(path))) {
      message.resume();
      return send(response, refusalReply(frontRefusal.unauthorized(), output), false, limits.stallMs);
    }
    readAll(message, (body) => {
      if (body === undefined)
        return send(
          response,
          refusalReply(frontRefusal.tooLarge(largestBody), output),
          false,
          limits.stallMs,
        );
      const exchange: Exchange = {
        method: message.method ?? 'GET',
        path,
        query,
        user: user.name,
        requester: user,
        impersonation: impersonationOf(message.headers, () => message.headersDistinct),
        accept: message.headers.accept,
        contentType: message.headers['content-type'],
        userAgent: message.headers['user-agent'],
        host: message.headers.host ?? host,
        ifNoneMatch: message.headers['if-none-match'],
        body,
        output,
      };
      unanswered.add(response);
      response.on('close', () => unanswered.delete(response));
      const conclude = (reply: Reply) => {
        if (reply.type !== 'text') unanswered.delete(response);
        if (deliver?.(reply) !== true) send(response, reply, output.gzip, limits.stallMs);
      };
      const reply = answerRequest(context, exchange);
      if (reply instanceof Promise) void reply.then(conclude);
      else conclude(reply);
    });
  }

  /** Responses that are not sent completely; without streams, which end with their connection. */
  const unanswered = new Set<ServerResponse>();
  /** Sockets that the HTTP server does not end any more. */
  const upgraded = new Set<Duplex>();

  /** A request that asks for another protocol. What is no command in a container gets a plain response. */
  function upgrade(message: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => {});
    upgraded.add(socket);
    socket.on('close', () => upgraded.delete(socket));
    const response = new ServerResponse(message);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as Socket);
    response.on('finish', () => socket.end());
    answer(message, response, (reply) => {
      if (reply.type !== 'executed' || !isWebSocket(message)) return false;
      response.detachSocket(socket as Socket);
      streamExec(message, socket, head, reply.executed);
      return true;
    });
  }

  const { tls } = options;
  const http =
    tls === undefined
      ? createServer(connections)
      : createSecureServer({ ...connections, key: tls.key, cert: tls.certificate });
  http.on('request', (message, response) => answer(message, response));
  http.on('upgrade', upgrade);
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(options.port ?? 0, host, () => {
      http.off('error', reject);
      resolve();
    });
  });
  http.on('error', onError);
  const { port } = http.address() as AddressInfo;
  const url = `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return {
    url,
    port,
    token,
    kubeconfig: kubeconfigText({ url, token, certificate: tls?.certificate }),
    close: async () => {
      const closed = new Promise<void>((resolve) => void http.close(() => resolve()));
      const sent = [...unanswered].map(async (response) => once(response, 'close'));
      await new Promise<void>((resolve) => {
        const cancel = createWallClock().after(longestClose, resolve);
        void Promise.all(sent).then(() => {
          cancel();
          resolve();
        });
      });
      http.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
      await closed;
    },
  };
}
