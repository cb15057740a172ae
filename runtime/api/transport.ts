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

/** Sockets are pooled apart, so that neither a watch nor a hundred slow calls can keep a lease from being renewed. */
export type Pool = 'calls' | 'watches' | 'leases';

export interface Outgoing {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query. */
  path: string;
  headers: OutgoingHttpHeaders;
  body?: string | undefined;
  pool: Pool;
  /** Whole milliseconds that connecting and the answer may take. */
  deadlineMs: number;
}

export interface Receiver {
  /** The head of the answer is there; `release` ends the deadline. */
  response(message: IncomingMessage, release: () => void): void;
  /** Called once, and for nothing after `abort`. `stale`: a kept connection that the server had given up. */
  failed(error: TransportError, stale: boolean): void;
}

export interface Transport {
  /** `host:port`, for messages. */
  readonly host: string;
  /** Sends one request. Its receiver is never called synchronously. */
  open(outgoing: Outgoing, receiver: Receiver): { abort(): void };
  /** Lets go of every socket. */
  close(): void;
}

export interface TransportOptions {
  connection: Connection;
  clock: Clock;
  /** Milliseconds until the connection stands, TLS and all. */
  connectMs: number;
}

/** Sockets of one pool: the server takes some hundred requests at once from everybody, and each socket is a handshake. */
const MOST_SOCKETS = 100;
/** A probe of TCP after so much silence, milliseconds. */
const PROBE_MS = 15_000;
/** An idle socket is given up before servers and the balancers before them do. */
const IDLE_MS = 45_000;

/** HTTP/1.1 with kept connections; no proxy, no redirect, no compression. */
export function createTransport({ connection, clock, connectMs }: TransportOptions): Transport {
  const url = new URL(connection.server);
  const isSecure = url.protocol === 'https:';
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port || (isSecure ? '443' : '80');
  const host = `${url.hostname}:${port}`;
  const base = url.pathname.replace(/\/+$/, '');
  const request = isSecure ? secureRequest : plainRequest;
  let agents = new Map<Pool, PlainAgent>();
  let tls: TlsOptions | undefined;

  function agentOf(pool: Pool): PlainAgent {
    // Certificates were renewed: connections that stand keep the old ones until they end.
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
    let over = false;
    let sent = false;
    let answered = false;
    let cancelConnect = (): void => {};
    const isWrite = outgoing.method !== 'GET';
    const cancelDeadline = clock.after(outgoing.deadlineMs, () => {
      // Whatever made this one silent has made the idle ones so too.
      for (const agent of agents.values()) dropIdle(agent);
      fail(
        new TransportError('timeout', `${host} did not answer within ${outgoing.deadlineMs / 1000} s`, {
          outcomeUnknown: isWrite && sent,
        }),
      );
    });

    function finish(): void {
      over = true;
      cancelDeadline();
      cancelConnect();
    }

    function fail(error: TransportError): void {
      if (over) return;
      finish();
      asked.destroy();
      const stale = error.kind === 'reset' && asked.reusedSocket && !answered;
      receiver.failed(error, stale);
    }

    function broken(error: unknown): void {
      fail(transportError(error, host, isWrite && sent));
    }

    function watchConnecting(socket: Socket): void {
      if (asked.reusedSocket) {
        sent = true;
        return;
      }
      cancelConnect = clock.after(connectMs, () =>
        fail(new TransportError('timeout', `no connection to ${host} within ${connectMs / 1000} s`)),
      );
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
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
    const asked = request(options);
    asked.on('socket', watchConnecting);
    asked.on('error', broken);
    asked.on('response', (message) => {
      answered = true;
      message.on('error', broken);
      if (over) message.destroy();
      else receiver.response(message, finishDeadline);
    });
    asked.end(outgoing.body);

    function finishDeadline(): void {
      cancelDeadline();
      cancelConnect();
    }

    return {
      abort() {
        finish();
        asked.destroy();
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

/** Of a DELETE, Node does not say by itself how long its body is. */
function headersOf({ headers, body }: Outgoing): OutgoingHttpHeaders {
  return body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) };
}

function dropIdle(agent: PlainAgent): void {
  for (const sockets of Object.values(agent.freeSockets))
    for (const socket of sockets ?? []) socket.destroy();
}

/** The context is made once: otherwise its certificates would be read for every connection, and compared for every request. */
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
