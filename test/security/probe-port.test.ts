import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Endpoint } from '../../runtime/serve/listen.ts';
import { serve } from '../../runtime/serve/serve.ts';
import { createWallClock } from 'kruise-sandbox/clock';

const sockets = new Set<Socket>();
let endpoint: Endpoint | undefined;

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await endpoint?.close();
});

async function start(metrics: () => string = () => 'm 1\n'): Promise<number> {
  endpoint = await serve({
    port: 0,
    address: '127.0.0.1',
    clock: createWallClock(),
    readiness: () => ({ isReady: true, text: 'ok' }),
    metrics,
  });
  return endpoint.port;
}

/** Opens a connection from an address of this machine, and sends `text` on it. */
async function open(port: number, localAddress: string, text = ''): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  sockets.add(socket);
  socket.on('error', () => {});
  socket.on('end', () => socket.destroy());
  await new Promise<void>((done) => {
    socket.once('close', () => done());
    socket.once('connect', () => done());
  });
  if (text !== '' && socket.writable) socket.write(text);
  return socket;
}

async function crowd(count: number, each: (index: number) => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: count }, async (_, index) => each(index)));
}

const LATE = 'nothing within a second';

/**
 * A probe, as the kubelet asks: a connection of its own, and an answer within a second. One that comes late is asked for
 * again, for the machine may be busy with other tests; one that is refused or reset is not.
 */
async function probe(port: number, localAddress: string, path = '/livez'): Promise<number | string> {
  let answer: number | string = LATE;
  for (let time = 0; time < 5 && answer === LATE; time += 1) answer = await askOnce(port, localAddress, path);
  return answer;
}

async function askOnce(port: number, localAddress: string, path: string): Promise<number | string> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, path, localAddress, agent: false, timeout: 1_000 };
    const request = get(options, (response: IncomingMessage) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', (error) => resolve(error.message));
    });
    request.on('timeout', () => request.destroy(new Error(LATE)));
    request.on('error', (error) => resolve(error.message));
  });
}

async function closed(socket: Socket): Promise<void> {
  socket.resume();
  if (!socket.destroyed) await new Promise((done) => socket.once('close', done));
}

const NODE = '127.0.0.2';
const ATTACKER = '127.0.0.3';
const HEAD = 'GET /livez HTTP/1.1\r\nHost: a\r\n';

// Other loopback addresses are there without more on Linux alone.
describe.skipIf(process.platform !== 'linux')(
  'security 7: a probe is answered, whatever connections are open',
  () => {
    it.each([
      ['80 connections that send nothing', 80, ''],
      ['500 connections that send nothing', 500, ''],
      ['500 connections that never end their headers', 500, `${HEAD}X-A: `],
      ['500 connections that have been answered and stay', 500, `${HEAD}\r\n`],
      ['500 connections that send no body', 500, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n'],
    ])('%s', async (_what, count, text) => {
      const port = await start();
      await crowd(count, async () => open(port, ATTACKER, text));
      for (let time = 0; time < 3; time += 1) {
        expect(await probe(port, NODE)).toBe(200);
        expect(await probe(port, NODE, '/readyz')).toBe(200);
        expect(await probe(port, NODE, '/metrics')).toBe(200);
      }
    });

    it('from the address of the probe', async () => {
      const port = await start();
      await crowd(500, async () => open(port, NODE));
      expect(await probe(port, NODE)).toBe(200);
    });

    it('during a burst of them', async () => {
      const port = await start();
      const first = crowd(250, async () => open(port, NODE));
      const answer = probe(port, NODE);
      const rest = crowd(250, async () => open(port, NODE));
      expect(await answer).toBe(200);
      await Promise.all([first, rest]);
    });

    it('from 250 addresses, two each', async () => {
      const port = await start();
      await crowd(500, async (index) => open(port, `127.0.1.${(index % 250) + 1}`));
      expect(await probe(port, NODE)).toBe(200);
    });

    it('that read their responses slowly', async () => {
      const port = await start(() => 'm 1\n'.repeat(256 * 1024));
      await crowd(100, async () =>
        (await open(port, ATTACKER, 'GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n')).pause(),
      );
      expect(await probe(port, NODE)).toBe(200);
    });

    it('and metrics are rendered once a second, however often they are requested', async () => {
      let made = 0;
      const port = await start(() => `m ${(made += 1)}\n`);
      const answers: unknown[] = [];
      const since = performance.now();
      await crowd(200, async () => answers.push(await probe(port, ATTACKER, '/metrics')));
      expect(new Set(answers)).toEqual(new Set([200]));
      expect(made).toBeLessThan(2 + (performance.now() - since) / 1_000);
    });

    it.each([
      ['nothing sent', ''],
      ['headers that do not end', `${HEAD}X-A: `],
    ])('%s: closed after two', { timeout: 20_000 }, async (_what, text) => {
      const port = await start();
      const socket = await open(port, ATTACKER, text);
      const since = performance.now();
      const drip = setInterval(() => socket.writable && text !== '' && socket.write('a'), 100);
      await closed(socket);
      clearInterval(drip);
      expect(performance.now() - since).toBeLessThan(8_000);
    });

    it('each connection gets one answer, and no more than 8 KiB of headers are read', async () => {
      const port = await start();
      const twice = await open(port, ATTACKER);
      let text = '';
      twice.on('data', (chunk: Buffer) => (text += chunk.toString()));
      twice.write(`${HEAD}\r\n`);
      await closed(twice);
      expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n.*connection: close/is);
      const large = await open(port, ATTACKER);
      large.on('data', (chunk: Buffer) => (text = chunk.toString()));
      large.write(`${HEAD}X-A: ${'a'.repeat(9 * 1024)}\r\n\r\n`);
      await closed(large);
      expect(text).toMatch(/^HTTP\/1\.1 431 /);
    });
  },
);
