import { Agent, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterEach } from 'vitest';
import { serve, type Front as Listener, type ServeOptions } from '../../http/serve.ts';
import type { WorldOptions } from '../../world.ts';
import { stage, type Stage } from '../world.ts';

export const token = 'secret';
export const json = { 'content-type': 'application/json' };

export interface Answer {
  code: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The body as JSON; fails if it is invalid. */
  json: unknown;
}

export interface Ask {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array | object;
}

/** A world behind HTTP, with a client for tests. */
export interface Front extends Stage {
  listener: Listener;
  errors: unknown[];
  ask(path: string, options?: Ask): Promise<Answer>;
  /** Sends raw bytes and returns the response until the server closes or is silent for `quietMs`. */
  raw(bytes: string, quietMs?: number): Promise<string>;
  watch(path: string, headers?: Record<string, string>): Promise<OpenStream>;
}

/** An open watch. */
export interface OpenStream {
  code: number;
  headers: IncomingHttpHeaders;
  message: IncomingMessage;
  /** The next line as JSON; undefined at the end. */
  next(): Promise<WireEvent | undefined>;
  close(): void;
}

export interface WireEvent {
  type: string;
  object: Record<string, unknown> & { metadata: Record<string, unknown> };
}

const open: Front[] = [];
const agents: Agent[] = [];

afterEach(async () => {
  for (const agent of agents.splice(0)) agent.destroy();
  for (const opened of open.splice(0)) {
    opened.world.stop();
    await opened.listener.close();
  }
});

function authorised(headers: Record<string, string> = {}): Record<string, string> {
  return { authorization: `Bearer ${token}`, ...headers };
}

async function collect(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function streamOf(message: IncomingMessage): OpenStream {
  const chunks = message[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let pending = '';
  return {
    code: message.statusCode ?? 0,
    headers: message.headers,
    message,
    async next() {
      for (;;) {
        const end = pending.indexOf('\n');
        if (end >= 0) {
          const line = pending.slice(0, end);
          pending = pending.slice(end + 1);
          return JSON.parse(line) as WireEvent;
        }
        const chunk = await chunks.next();
        if (chunk.done === true) return undefined;
        pending += chunk.value.toString('utf8');
      }
    },
    close: () => message.destroy(),
  };
}

/** Starts a world with an HTTP listener; both are closed after the test. */
export async function front(
  world: Partial<WorldOptions> = {},
  options: Partial<ServeOptions> = {},
): Promise<Front> {
  const staged = stage(world);
  const errors: unknown[] = [];
  const listener = await serve(staged.world, {
    tokens: new Map([[token, 'kubernetes-admin']]),
    timers: staged.clock,
    onError: (error) => errors.push(error),
    ...options,
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  agents.push(agent);

  const send = async (path: string, { method = 'GET', headers, body }: Ask, own: boolean) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const bytes =
        body === undefined || typeof body === 'string' || body instanceof Uint8Array
          ? body
          : JSON.stringify(body);
      const length: Record<string, string> =
        bytes === undefined ? {} : { 'content-length': String(Buffer.byteLength(bytes)) };
      const typed = typeof body === 'object' && !(body instanceof Uint8Array) ? json : {};
      const asked = request(
        {
          port: listener.port,
          host: '127.0.0.1',
          path,
          method,
          headers: authorised({ ...typed, ...length, ...headers }),
          ...(own ? { agent: false } : { agent }),
        },
        resolve,
      );
      asked.on('error', reject);
      asked.end(bytes);
    });

  const made: Front = {
    ...staged,
    listener,
    errors,
    async ask(path, asked = {}) {
      const message = await send(path, asked, false);
      const text = await collect(message);
      return {
        code: message.statusCode ?? 0,
        headers: message.headers,
        text,
        get json() {
          return JSON.parse(text) as unknown;
        },
      };
    },
    raw: async (bytes, quietMs = 300) =>
      new Promise((resolve) => {
        let received = '';
        const socket = connect(listener.port, '127.0.0.1', () => socket.write(bytes));
        socket.setTimeout(quietMs, () => socket.destroy());
        socket.on('data', (chunk) => (received += chunk.toString('latin1')));
        socket.on('error', () => {});
        socket.on('close', () => resolve(received));
      }),
    watch: async (path, headers = {}) => streamOf(await send(path, { headers }, true)),
  };
  open.push(made);
  return made;
}
