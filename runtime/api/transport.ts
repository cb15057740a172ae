import {
  Agent as PlainAgent,
  request as plainRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
} from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import type { Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { Clock } from '../../schemas/wire/clock.ts';
import type { Connection, TlsOptions } from './connection.ts';
import { transportError, TransportError } from './transport-error.ts';
import { withoutTrailing } from '../../semantics/values/text.ts';

/** Separate pools of sockets, so that neither watches nor a hundred slow calls delay the renewal of a Lease. */
export type Pool = 'calls' | 'watches' | 'leases';

export interface Outgoing {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Includes the query. */
  path: string;
  headers: OutgoingHttpHeaders;
  body?: string | undefined;
  pool: Pool;
  /** The limit for connecting and the response together, milliseconds. */
  deadlineMs: number;
}

export interface Receiver {
  /** The head of the response was received; `release` ends the deadline. */
  response(message: IncomingMessage, release: () => void): void;
  /** Called at most once, and not after `abort`. `wasClosed`: the server had closed the kept-alive connection. */
  failed(error: TransportError, wasClosed: boolean): void;
}

export interface Transport {
  /** `host:port`, for messages. */
  readonly host: string;
  /** Sends one request. Its receiver is never called synchronously. */
  open(outgoing: Outgoing, receiver: Receiver): { abort(): void };
  /** Closes every socket. */
  close(): void;
}

export interface TransportOptions {
  connection: Connection;
  clock: Clock;
  /** The limit for connecting, including TLS, milliseconds. */
  connectMs: number;
}

/** Sockets of one pool: a server processes some hundred requests of all its clients at once, and each socket costs a handshake. */
const MOST_SOCKETS = 100;
/** TCP keep-alive probes start after this idle time, milliseconds. */
const PROBE_MS = 15_000;
/** An idle socket is closed before servers and load balancers close it, milliseconds. */
const IDLE_MS = 45_000;

/** HTTP/1.1 with kept-alive connections; no proxy, no redirect, no compression. */
export function createTransport({ connection, clock, connectMs }: TransportOptions): Transport {
  const url = new URL(connection.server);
  const isSecure = url.protocol === 'https:';
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port || (isSecure ? '443' : '80');
  const host = `${url.hostname}:${port}`;
  const base = withoutTrailing(url.pathname, '/');
  const request = isSecure ? secureRequest : plainRequest;
  /** A request that has waited for a socket gets one that is connected already, without being told so by `reusedSocket`. */
  const connected = new WeakSet<Socket>();
  let agents = new Map<Pool, PlainAgent>();
  let tls: TlsOptions | undefined;

  function agentOf(pool: Pool): PlainAgent {
    // The certificates were renewed: open connections use the old ones until they end.
    if (connection.tls !== tls) {
      for (const agent of agents.values()) dropIdle(agent);
      agents = new Map();
      tls = connection.tls;
    }
    const known = agents.get(pool);
    if (known !== undefined) return known;
    const options = {
      keepAlive: true,
      keepAliveMsecs: PROBE_MS,
      timeout: IDLE_MS,
      scheduling: 'lifo' as const,
      maxSockets: pool === 'watches' ? Infinity : MOST_SOCKETS,
    };
    const agent = isSecure ? new SecureAgent({ ...options, ...securityOf(tls) }) : new PlainAgent(options);
    agents.set(pool, agent);
    return agent;
  }

  function open(outgoing: Outgoing, receiver: Receiver): { abort(): void } {
    let ended = false;
    let sent = false;
    let answered = false;
    let isKept = false;
    let cancelConnect = (): void => {};
    const isWrite = outgoing.method !== 'GET';
    const cancelDeadline = clock.after(outgoing.deadlineMs, () => {
      // The idle connections are probably dead for the same reason.
      for (const agent of agents.values()) dropIdle(agent);
      fail(
        new TransportError('timeout', `${host} did not answer within ${outgoing.deadlineMs / 1000} s`, {
          outcomeUnknown: isWrite && sent,
        }),
      );
    });

    function finish(): void {
      ended = true;
      cancelDeadline();
      cancelConnect();
    }

    function fail(error: TransportError): void {
      if (ended) return;
      finish();
      sending.destroy();
      const wasClosed = error.kind === 'reset' && isKept && !answered;
      receiver.failed(error, wasClosed);
    }

    function broken(error: unknown): void {
      fail(transportError(error, host, isWrite && sent));
    }

    function watchConnecting(socket: Socket): void {
      isKept = sending.reusedSocket || connected.has(socket);
      if (isKept) {
        sent = true;
        return;
      }
      cancelConnect = clock.after(connectMs, () =>
        fail(new TransportError('timeout', `no connection to ${host} within ${connectMs / 1000} s`)),
      );
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        connected.add(socket);
        sent = true;
        cancelConnect();
      });
    }

    const options: RequestOptions = {
      hostname,
      port,
      method: outgoing.method,
      path: `${base}${outgoing.path}`,
      headers: headersOf(outgoing),
      agent: agentOf(outgoing.pool),
    };
    const sending = request(options);
    sending.on('socket', watchConnecting);
    sending.on('error', broken);
    sending.on('response', (message) => {
      answered = true;
      message.on('error', broken);
      if (ended) message.destroy();
      else receiver.response(message, finishDeadline);
    });
    sending.end(outgoing.body);

    function finishDeadline(): void {
      cancelDeadline();
      cancelConnect();
    }

    return {
      abort() {
        finish();
        sending.destroy();
      },
    };
  }

  return {
    host,
    open,
    close() {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

/** Adds the Content-Length, which Node does not set for a DELETE. */
function headersOf({ headers, body }: Outgoing): OutgoingHttpHeaders {
  return body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) };
}

function dropIdle(agent: PlainAgent): void {
  for (const sockets of Object.values(agent.freeSockets))
    for (const socket of sockets ?? []) socket.destroy();
}

/** One context per agent: otherwise the certificates would be parsed for every connection, and compared for every request. */
function securityOf(tls: TlsOptions | undefined): object {
  const { ca, cert, key, servername, rejectUnauthorized = true } = tls ?? {};
  return {
    secureContext: createSecureContext({
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      minVersion: 'TLSv1.2',
    }),
    rejectUnauthorized,
    ...(servername === undefined ? {} : { servername }),
  };
}
