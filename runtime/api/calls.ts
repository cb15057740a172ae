import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError, type Resource } from '../../schemas/wire/cluster.ts';
import { collect, oversized, readAnswer, type Answer } from './answer.ts';
import { bodyText } from './body.ts';
import type { Headers } from './connection.ts';
import type { Identity } from './identity.ts';
import { type HttpLimits, LONGEST_OBJECT } from './limits.ts';
import { secondsOf } from './refusal.ts';
import type { Outgoing, Pool, Transport } from './transport.ts';
import { TransportError } from './transport-error.ts';

/** A finished call, or a watch that is open or was refused. */
export interface ApiCall {
  verb: 'list' | 'watch' | 'get' | 'create' | 'replace' | 'patch' | 'delete';
  /** The plural; `pods/exec` of a command, which creates no pod. */
  resource: string;
  code: number | 'error';
  /** Milliseconds from the call to its end, including waits. */
  ms: number;
  /** The number of retries. */
  retried: number;
}

/** What calls and watches share. */
export interface ApiClient {
  transport: Transport;
  identity: Identity;
  clock: Clock;
  random: () => number;
  userAgent: string;
  limits: HttpLimits;
  onCall: (call: ApiCall) => void;
  beforeWrite: () => void;
  /** Called for every call, except of Leases, that has no response after `SLOW_MS`. */
  onSlow?: (() => void) | undefined;
  /** Called with the server's time of every response, milliseconds since 1970, to the second. */
  onDate?: ((date: number) => void) | undefined;
}

export interface Call {
  verb: Exclude<ApiCall['verb'], 'watch'>;
  resource: Resource;
  method: Outgoing['method'];
  path: string;
  body?: object | undefined;
  contentType?: string;
  /** The caller needs only the metadata of the object in the response. */
  isMetadataEnough?: boolean;
  /** A refusal is not retried, even if it has a Retry-After. */
  final?: boolean;
  /** The longest response body. Default: that of one object. */
  mostBytes?: number;
}

export interface Calls {
  /** The value of the response. Rejects with ApiError or TransportError. */
  call(request: Call): Promise<unknown>;
  close(): void;
}

/** A call that takes longer is reported, milliseconds. */
const SLOW_MS = 5_000;
/** The wait, milliseconds, if an overloaded server sends no Retry-After; also the range of the jitter. */
const WAIT_MS = 1_000;

const JSON_TYPE = 'application/json';
/** A server that does not support this form answers with whole objects. */
const metadataType = (as: string): string => `${JSON_TYPE};as=${as};g=meta.k8s.io;v=v1,${JSON_TYPE}`;
const METADATA_TYPE = metadataType('PartialObjectMetadata');
const METADATA_LIST_TYPE = metadataType('PartialObjectMetadataList');

export function headersOf(
  client: ApiClient,
  identity: Headers,
  contentType?: string,
  accept = JSON_TYPE,
): Outgoing['headers'] {
  const common = { ...identity, accept, 'user-agent': client.userAgent };
  return contentType === undefined ? common : { ...common, 'content-type': contentType };
}

/** Requests with one response each, retried where that helps. */
export function createCalls(client: ApiClient): Calls {
  const { transport, identity, clock, random, limits } = client;
  const { host } = transport;
  const endings = new Set<() => void>();
  let closed = false;

  const closedError = (outcomeUnknown: boolean): TransportError =>
    new TransportError('closed', `the connection to ${host} is closed`, { outcomeUnknown });

  async function send(outgoing: Outgoing, mostBytes: number): Promise<Answer | 'closed'> {
    const isWrite = outgoing.method !== 'GET';
    return new Promise((resolve, reject) => {
      const end = (): void => {
        exchange.abort();
        reject(closedError(isWrite));
      };
      const exchange = transport.open(outgoing, {
        response(message, release) {
          collect(message, mostBytes, (answer) => {
            endings.delete(end);
            release();
            if (answer !== undefined) return resolve(answer);
            exchange.abort();
            reject(oversized(host, mostBytes, isWrite));
          });
        },
        failed(error, wasClosed) {
          endings.delete(end);
          // A write may have been executed before its connection broke: the caller has to check.
          if (wasClosed && !isWrite) resolve('closed');
          else reject(error);
        },
      });
      endings.add(end);
    });
  }

  async function pause(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        cancel();
        reject(closedError(false));
      };
      const cancel = clock.after(ms, () => {
        endings.delete(end);
        resolve();
      });
      endings.add(end);
    });
  }

  /** How long to wait before a refused call is retried; undefined: it is not retried. */
  function retryDelay({ code, retryAfter }: Answer, spentMs: number): number | undefined {
    const seconds = secondsOf(retryAfter);
    if (code !== 429 && (code !== 503 || seconds === undefined)) return undefined;
    // Jitter: clients that were refused together must not retry together.
    const wait = (seconds === undefined ? WAIT_MS : seconds * 1000) + random() * WAIT_MS;
    return spentMs + wait > limits.patienceMs ? undefined : wait;
  }

  /** Sends a call until its response is final. */
  async function settle(request: Call, startedAt: number, onRetry: () => void): Promise<Answer> {
    const { verb, resource, method, path, contentType = JSON_TYPE } = request;
    const isWrite = method !== 'GET';
    const body = request.body === undefined ? undefined : bodyText(request.body);
    const metadataAlone = verb === 'list' ? METADATA_LIST_TYPE : METADATA_TYPE;
    const accept = request.isMetadataEnough === true ? metadataAlone : JSON_TYPE;
    let refused: Headers | undefined;
    for (; ; onRetry()) {
      if (closed) throw closedError(false);
      const headers = await identity.headers(refused);
      if (closed) throw closedError(false);
      if (isWrite) client.beforeWrite();
      const outgoing: Outgoing = {
        method,
        path,
        headers: headersOf(client, headers, body === undefined ? undefined : contentType, accept),
        body,
        pool: poolOf(resource),
        deadlineMs: deadlineOf(resource, verb),
      };
      const answer = await send(outgoing, request.mostBytes ?? LONGEST_OBJECT);
      if (answer === 'closed') continue;
      if (answer.date !== undefined) client.onDate?.(answer.date);
      if (answer.code === 401 && refused === undefined) {
        refused = headers;
        continue;
      }
      const wait = request.final === true ? undefined : retryDelay(answer, clock.monotonic() - startedAt);
      if (wait === undefined) return answer;
      await pause(wait);
    }
  }

  function deadlineOf(resource: Resource, verb: Call['verb']): number {
    if (poolOf(resource) === 'leases') return limits.leaseMs;
    return verb === 'list' ? limits.listMs : limits.callMs;
  }

  return {
    async call(request) {
      const startedAt = clock.monotonic();
      let retried = 0;
      let code: ApiCall['code'] = 'error';
      // The calls of a Lease have shorter deadlines.
      const { onSlow } = poolOf(request.resource) === 'leases' ? {} : client;
      const cancelSlow = onSlow && clock.after(SLOW_MS, onSlow);
      try {
        const answer = await settle(request, startedAt, () => void (retried += 1));
        const value = readAnswer(answer, host, request.method !== 'GET');
        ({ code } = answer);
        return value;
      } catch (error) {
        if (error instanceof ApiError) ({ code } = error.status);
        throw error;
      } finally {
        cancelSlow?.();
        const { verb, resource } = request;
        client.onCall({ verb, resource: resource.plural, code, ms: clock.monotonic() - startedAt, retried });
      }
    },
    close() {
      closed = true;
      for (const end of endings) end();
      endings.clear();
    },
  };
}

function poolOf({ group }: Resource): Pool {
  return group === 'coordination.k8s.io' ? 'leases' : 'calls';
}
