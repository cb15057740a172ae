import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach } from 'vitest';
import type { Connection } from '../../../runtime/api/connection.ts';
import {
  createHttpCluster,
  type HttpCluster,
  type HttpClusterOptions,
} from '../../../runtime/api/http-cluster.ts';
import { TransportError } from '../../../runtime/api/transport-error.ts';
import { createVirtualClock, type VirtualClock } from 'kruise-sandbox/clock';
import { ApiError, type Resource } from '../../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';

/** One request as the server received it. */
export interface ReceivedRequest {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Answers a request; `index` counts from 0. */
export type Script = (
  response: ServerResponse,
  request: ReceivedRequest,
  index: number,
  socket: Socket,
) => void;

export interface Scripted {
  url: string;
  requests: ReceivedRequest[];
  /** Connections that were ever opened. */
  connections: () => number;
  close(): void;
}

const closings: (() => void)[] = [];

afterEach(() => {
  for (const close of closings.splice(0)) close();
});

/** Registers a function that is called after the test. */
export function afterwards(close: () => void): void {
  closings.push(close);
}

/** A server that responds by the script, which may violate the protocol. */
export async function scripted(script: Script): Promise<Scripted> {
  const requests: ReceivedRequest[] = [];
  let connections = 0;
  const server = createServer({ keepAliveTimeout: 60_000 }, (message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('error', () => {});
    response.on('error', () => {});
    message.on('end', () => {
      const { method = '', url = '', headers, socket } = message;
      const request = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
      requests.push(request);
      script(response, request, requests.length - 1, socket);
    });
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  afterwards(close);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    connections: () => connections,
    close,
  };
}

export function connectionTo(server: string, token = 'secret'): Connection {
  const headers = { authorization: `Bearer ${token}` };
  return { server, namespace: undefined, user: 'context test', headers: async () => headers };
}

export interface Bench {
  cluster: HttpCluster;
  clock: VirtualClock;
  calls: string[];
}

/** A client whose time stands still until the test advances it. */
export function clientOf(
  connection: Connection | string,
  options: Partial<Omit<HttpClusterOptions, 'connection'>> = {},
): Bench {
  const clock = createVirtualClock(0);
  const calls: string[] = [];
  const cluster = createHttpCluster({
    connection: typeof connection === 'string' ? connectionTo(connection) : connection,
    clock,
    random: () => 0,
    userAgent: 'kruise/test',
    onCall: ({ verb, resource, code, retried }) => calls.push(`${verb} ${resource} ${code} ${retried}`),
    ...options,
  });
  afterwards(() => cluster.close());
  return { cluster, clock, calls };
}

/** Waits, in real time, until something holds: for as long as a test may take, as a busy machine is no failure. */
export async function until(holds: () => boolean, what = 'what was awaited'): Promise<void> {
  for (let attempt = 0; attempt < 20_000; attempt++) {
    if (holds()) return;
    await new Promise((resolve) => void setTimeout(resolve, 5));
  }
  throw new Error(`${what} did not come about`);
}

/** What a promise was rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('it was not rejected');
    },
    (error: unknown) => error,
  );
}

export function json(response: ServerResponse, code: number, value: unknown, headers = {}): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}

export function statusBody(code: number, reason: string, more = {}): object {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `it is ${reason}`,
    reason,
    code,
    ...more,
  };
}

export const configMaps: Resource = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};

export function configMap(name: string, resourceVersion: string, data = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'shop', resourceVersion },
    data,
  };
}

export function listBody(resourceVersion: string, items: KubeObject[] = []): object {
  return { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion }, items };
}

export function line(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`;
}

/** The compared part of the error of a call. */
export function shown(error: unknown) {
  if (error instanceof TransportError) return [error.kind, error.outcomeUnknown];
  if (error instanceof ApiError) return [error.status.code, error.status.reason];
  return error;
}

/** Waits until data that arrived by socket is read. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => void setTimeout(resolve, 30));
}
