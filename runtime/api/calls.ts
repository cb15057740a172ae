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

/** A call of the port that is over, or a watch that is open or was refused. */
export interface ApiCall {
  verb: 'list' | 'watch' | 'get' | 'create' | 'replace' | 'patch' | 'delete';
  /** The plural. */
  resource: string;
  code: number | 'error';
  /** Milliseconds from the call to its end, waiting and all. */
  ms: number;
  /** How often it was sent again. */
  retried: number;
}

/** What calls and watches are made with. */
export interface ApiClient {
  transport: Transport;
  identity: Identity;
  clock: Clock;
  random: () => number;
  userAgent: string;
  limits: HttpLimits;
  onCall: (call: ApiCall) => void;
  beforeWrite: () => void;
  /** Told of every call, but those about Leases, that has no answer yet after `SLOW_MS`. */
  onSlow?: (() => void) | undefined;
  /** Told with every answer what time it is there, milliseconds since 1970, to the second. */
  onDate?: ((date: number) => void) | undefined;
}

export interface Call {
  verb: Exclude<ApiCall['verb'], 'watch'>;
  resource: Resource;
  method: Outgoing['method'];
  path: string;
  body?: object | undefined;
  contentType?: string;
  /** Nothing but the metadata of an object is read of its answer. */
  isMetadataEnough?: boolean;
  /** A refusal of this one stands, even when it says when to come again. */
  final?: boolean;
  /** The longest body that is read of its answer. Default: that of one object. */
  mostBytes?: number;
}

export interface Calls {
  /** The value that was answered. Rejects with ApiError or TransportError. */
  call(asked: Call): Promise<unknown>;
  close(): void;
}

/** Somebody who waits so long wants to know for whom, milliseconds. */
const SLOW_MS = 5_000;
/** Where an overloaded server does not say how long to wait. */
const WAIT_MS = 1_000;

const JSON_TYPE = 'application/json';
/** A server that does not know this form answers with whole objects. */
const METADATA_TYPE = `${JSON_TYPE};as=PartialObjectMetadata;g=meta.k8s.io;v=v1,${JSON_TYPE}`;

export function headersOf(
  client: ApiClient,
  identity: Headers,
  contentType?: string,
  accept = JSON_TYPE,
): Outgoing['headers'] {
  const common = { ...identity, accept, 'user-agent': client.userAgent };
  return contentType === undefined ? common : { ...common, 'content-type': contentType };
}

/** Requests with one answer each, sent again where that is known to help. */
export function createCalls(client: ApiClient): Calls {
  const { transport, identity, clock, random, limits } = client;
  const { host } = transport;
  const endings = new Set<() => void>();
  let closed = false;

  const closedError = (outcomeUnknown: boolean): TransportError =>
    new TransportError('closed', `the connection to ${host} is closed`, { outcomeUnknown });

  async function send(outgoing: Outgoing, mostBytes: number): Promise<Answer | 'stale'> {
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
        failed(error, stale) {
          endings.delete(end);
          // What a write did before its connection broke is for the caller to find out.
          if (stale && !isWrite) resolve('stale');
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

  /** How long to wait before a refused call is sent again; undefined when the refusal stands. */
  function patience({ code, retryAfter }: Answer, spentMs: number): number | undefined {
    const seconds = secondsOf(retryAfter);
    if (code !== 429 && (code !== 503 || seconds === undefined)) return undefined;
    // Those who were turned away together must not come back together.
    const wait = (seconds === undefined ? WAIT_MS : seconds * 1000) + random() * WAIT_MS;
    return spentMs + wait > limits.patienceMs ? undefined : wait;
  }

  /** Sends a call until its answer stands. */
  async function settle(asked: Call, began: number, again: () => void): Promise<Answer> {
    const { verb, resource, method, path, contentType = JSON_TYPE } = asked;
    const isWrite = method !== 'GET';
    const body = asked.body === undefined ? undefined : bodyText(asked.body);
    const accept = asked.isMetadataEnough === true ? METADATA_TYPE : JSON_TYPE;
    let refused: Headers | undefined;
    for (; ; again()) {
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
      const answer = await send(outgoing, asked.mostBytes ?? LONGEST_OBJECT);
      if (answer === 'stale') continue;
      if (answer.date !== undefined) client.onDate?.(answer.date);
      if (answer.code === 401 && refused === undefined) {
        refused = headers;
        continue;
      }
      const wait = asked.final === true ? undefined : patience(answer, clock.monotonic() - began);
      if (wait === undefined) return answer;
      await pause(wait);
    }
  }

  function deadlineOf(resource: Resource, verb: Call['verb']): number {
    if (poolOf(resource) === 'leases') return limits.leaseMs;
    return verb === 'list' ? limits.listMs : limits.callMs;
  }

  return {
    async call(asked) {
      const began = clock.monotonic();
      let retried = 0;
      let code: ApiCall['code'] = 'error';
      // Whoever renews a Lease does not wait for so long.
      const { onSlow } = poolOf(asked.resource) === 'leases' ? {} : client;
      const cancelSlow = onSlow && clock.after(SLOW_MS, onSlow);
      try {
        const answer = await settle(asked, began, () => void (retried += 1));
        const value = readAnswer(answer, host, asked.method !== 'GET');
        ({ code } = answer);
        return value;
      } catch (error) {
        if (error instanceof ApiError) ({ code } = error.status);
        throw error;
      } finally {
        cancelSlow?.();
        const { verb, resource } = asked;
        client.onCall({ verb, resource: resource.plural, code, ms: clock.monotonic() - began, retried });
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
