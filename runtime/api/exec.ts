import { WebSocket } from 'ws';
import { ApiError, type Status } from '../../schemas/wire/cluster.ts';
import { type ExecCommand, failedCommand } from '../../schemas/wire/exec.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { parsedJson } from '../../semantics/values/json-shape.ts';
import { cutForeign } from '../../semantics/values/text.ts';
import { collect, oversized } from './answer.ts';
import type { ApiClient } from './calls.ts';
import type { Connection, Headers } from './connection.ts';
import { apiErrorOf, isStatus, refusalOf } from './refusal.ts';
import { transportError, TransportError } from './transport-error.ts';

/** What a command may print in all, bytes: it is asked for nothing but errors. */
const MOST_BYTES = 64 * 1024;
/** The most characters of what it prints that are in a message. */
const MOST_SAID = 300;
/** So many commands run at once, and so long a further one waits, milliseconds: what is sent late is not expected any more. */
const MOST_AT_ONCE = 100;
const PATIENCE_MS = 5_000;
/** The protocols of remote commands, the preferred one first. */
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
/** The first byte of each message. */
const STDERR = 2;
const STATUS = 3;

/** Runs commands in containers, each over a web socket of its own. */
export interface Commands {
  /** The Status of a command that has run. Rejects with ApiError where the server or the command failed, and with TransportError. */
  run(path: string): Promise<KubeObject>;
  close(): void;
}

/** The query of a command. */
export function execQuery({ container, command }: ExecCommand): string {
  const named = container === undefined ? [] : [['container', container]];
  const parts = [...named, ...command.map((word) => ['command', word]), ['stderr', 'true']];
  return `?${parts.map(([key = '', value = '']) => `${key}=${encodeURIComponent(value)}`).join('&')}`;
}

export function createCommands(client: ApiClient, connection: Connection): Commands {
  const { clock, limits, transport, identity } = client;
  const { host } = transport;
  const open = new Set<(error: TransportError) => void>();
  const waiting = new Set<() => void>();
  let running = 0;
  let closed = false;
  const closedError = (): TransportError =>
    new TransportError('closed', `the connection to ${host} is closed`, { outcomeUnknown: true });

  /** One attempt. */
  async function attempt(path: string, headers: Headers): Promise<KubeObject> {
    const { servername, ...tls } = connection.tls ?? { rejectUnauthorized: true };
    const socket = new WebSocket(`${connection.server.replace(/^http/, 'ws')}${path}`, PROTOCOLS, {
      ...tls,
      ...(servername !== undefined && { servername }),
      minVersion: 'TLSv1.2',
      headers: { ...headers, 'user-agent': client.userAgent },
      maxPayload: MOST_BYTES,
      perMessageDeflate: false,
      followRedirects: false,
    });
    return new Promise((resolve, reject) => {
      let isOpen = false;
      let bytes = 0;
      let stderr = '';
      const cancel = clock.after(limits.callMs, () =>
        fail(
          new TransportError('timeout', `${host} did not answer within ${limits.callMs / 1000} s`, {
            outcomeUnknown: true,
          }),
        ),
      );
      const end = (): void => {
        cancel();
        open.delete(fail);
        socket.terminate();
      };
      function fail(error: Error): void {
        end();
        reject(error);
      }
      function done(status: unknown): void {
        const error = failureOf(status, stderr);
        if (error !== undefined) return fail(error);
        end();
        resolve(status as KubeObject);
      }
      open.add(fail);
      socket.on('open', () => (isOpen = true));
      socket.on('error', (error) => fail(failureOfSocket(error, host, isOpen)));
      socket.on('close', () => fail(new TransportError('reset', lost(host), { outcomeUnknown: true })));
      socket.on('unexpected-response', (_request, response) =>
        collect(response, MOST_BYTES, (answer) => {
          if (answer === undefined) return fail(oversized(host, MOST_BYTES, false));
          return fail(refusalOf(answer.code, answer.text, answer.retryAfter));
        }),
      );
      socket.on('message', (data: Buffer) => {
        bytes += data.length;
        if (bytes > MOST_BYTES) return fail(oversized(host, MOST_BYTES, true));
        const text = data.subarray(1).toString();
        if (data[0] === STATUS) return done(parsedJson(text));
        if (data[0] === STDERR) stderr = (stderr + text).slice(0, MOST_SAID);
      });
    });
  }

  /** Waits until few enough commands run. Containers that let theirs hang take no more sockets than that. */
  async function turn(): Promise<void> {
    if (running < MOST_AT_ONCE) {
      running += 1;
      return;
    }
    return new Promise((resolve, reject) => {
      const cancel = clock.after(PATIENCE_MS, () => {
        waiting.delete(next);
        reject(
          new TransportError('timeout', `${MOST_AT_ONCE} commands have not ended: no further one was sent`),
        );
      });
      const next = (): void => {
        cancel();
        resolve();
      };
      waiting.add(next);
    });
  }

  /** Gives the turn to the one that has waited for longest. */
  function pass(): void {
    const [next] = waiting;
    if (next === undefined) running -= 1;
    else {
      waiting.delete(next);
      next();
    }
  }

  async function settle(path: string, onRetry: () => void): Promise<KubeObject> {
    let refused: Headers | undefined;
    for (; ; onRetry()) {
      if (closed) throw closedError();
      const headers = await identity.headers(refused);
      if (closed) throw closedError();
      client.beforeWrite();
      try {
        return await attempt(path, headers);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status.code !== 401 || refused !== undefined) throw error;
        refused = headers;
      }
    }
  }

  return {
    async run(path) {
      await turn();
      const startedAt = clock.monotonic();
      let retried = 0;
      let code: number | 'error' = 'error';
      try {
        const status = await settle(path, () => void (retried += 1));
        code = 200;
        return status;
      } catch (error) {
        if (error instanceof ApiError) ({ code } = error.status);
        throw error;
      } finally {
        pass();
        client.onCall({
          verb: 'create',
          resource: 'pods/exec',
          code,
          ms: clock.monotonic() - startedAt,
          retried,
        });
      }
    },
    close() {
      closed = true;
      for (const fail of [...open]) fail(closedError());
    },
  };
}

const lost = (host: string): string => `${host} closed the connection before the command had ended`;

/** No connection was made: nothing has arrived. After any other failure the server may have run the command before its answer was lost. */
const UNCONNECTED: ReadonlySet<string> = new Set(['refused', 'dns', 'tls']);

function failureOfSocket(error: unknown, host: string, isOpen: boolean): TransportError {
  const { kind } = transportError(error, host, true);
  return transportError(error, host, isOpen || !UNCONNECTED.has(kind));
}

/** Why a command failed, by the Status that it ends with; undefined: it succeeded. */
function failureOf(status: unknown, stderr: string): Error | undefined {
  if (!isStatus(status)) return new TransportError('garbled', NO_STATUS, { outcomeUnknown: true });
  if (status['status'] === 'Success') return undefined;
  const { reason, message, details }: Status = apiErrorOf(status, 0).status;
  return failedCommand(
    { reason, message, ...(details !== undefined && { details }) },
    cutForeign(stderr.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')),
  );
}

const NO_STATUS = 'the result of the command is no Status';
