import { request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { createVirtualClock, createWallClock } from 'kruise-sandbox/clock';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { admissionMetrics } from '../../runtime/admit/metrics.ts';
import { type ReviewServer, serveReviews } from '../../runtime/admit/serve.ts';
import { createUnreviewed } from '../../runtime/admit/unreviewed.ts';
import { createLogLimiter } from '../../runtime/report/log-limiter.ts';
import { createRegistry } from '../../runtime/report/registry.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { identity, type Identity } from '../runtime/admit/site.ts';
import { until } from '../until.ts';

const API_SERVER = '127.0.0.2';
const ATTACKER = '127.0.0.3';
const KIB = 1_024;
const REVIEW = '{"request": {"uid": "u"}}';

let own: Identity;
beforeAll(async () => {
  own = await identity('one');
});

const sockets = new Set<Socket>();
let server: ReviewServer | undefined;
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await server?.close();
});

async function answeredLater(): Promise<JsonObject> {
  return new Promise((resolve) => void setTimeout(() => resolve({ answer: 'late' }), 1_000));
}

/** Whether a review is one whose answer comes late. */
const isWaiting = (body: JsonObject): boolean => (body['request'] as { uid?: string }).uid === 'wait';

/** Starts to answer reviews with a text; returns why requests got none. */
async function start({
  answer = 'yes',
  mostBytes,
  waits = false,
}: { answer?: string; mostBytes?: number; waits?: boolean } = {}): Promise<string[]> {
  const unreviewed: string[] = [];
  server = await serveReviews({
    port: 0,
    address: '127.0.0.1',
    certificate: own,
    clock: createWallClock(),
    reviews: new Map([['/pods', (body) => (waits && isWaiting(body) ? answeredLater() : { answer })]]),
    onUnreviewed: (reason, about) => unreviewed.push(about === undefined ? reason : `${reason}: ${about}`),
    ...(mostBytes !== undefined && { mostBytes }),
  });
  return unreviewed;
}

/** Sends a review as an API server does; returns the code of the answer. */
async function ask(body = REVIEW, { ca = own.cert, path = '/pods' } = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const to = { host: '127.0.0.1', port: server?.port, path, method: 'POST', localAddress: API_SERVER };
    const sent = request({ ...to, ca, agent: false }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Opens a connection from another address, and sends a text over TLS on it; undefined: nothing, and no handshake. */
async function open(text: string | undefined): Promise<Socket> {
  const socket = connect({ port: server?.port ?? 0, host: '127.0.0.1', localAddress: ATTACKER });
  const secure = text === undefined ? socket : connectTls({ socket, rejectUnauthorized: false });
  for (const each of [socket, secure]) {
    sockets.add(each);
    each.on('error', () => each.destroy());
    each.on('end', () => each.destroy());
  }
  await new Promise<void>((done) => {
    secure.once('close', () => done());
    if (text === undefined) secure.once('connect', () => done());
    else secure.write(text, () => done());
  });
  return secure;
}

async function crowd(count: number, text: string | undefined): Promise<void> {
  await Promise.all(Array.from({ length: count }, async () => open(text)));
}

async function closed(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  if (!socket.destroyed) await new Promise((done) => socket.once('close', done));
  return text;
}

/** The head of a request whose body has so many bytes. */
const headOf = (bytes: number): string =>
  `POST /pods HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n`;

// Other loopback addresses are there without more on Linux alone.
describe.skipIf(process.platform !== 'linux')('the API server is answered', () => {
  test('whoever else holds 600 connections that send nothing', { timeout: 60_000 }, async () => {
    await start();
    await crowd(600, undefined);
    for (let time = 0; time < 3; time += 1) expect(await ask()).toBe(200);
  });

  test('whoever else sends bodies that do not end, which take no more than their budget', async () => {
    const unreviewed = await start({ mostBytes: 512 * KIB });
    await crowd(20, `${headOf(200 * KIB)}${' '.repeat(100 * KIB)}`);
    await until('some are refused', () => unreviewed.includes('memory'));
    expect(await ask()).toBe(200);
  });

  test('whoever else sends bodies that are reviewed for long, which count until then', async () => {
    const unreviewed = await start({ mostBytes: 512 * KIB, waits: true });
    const body = JSON.stringify({ request: { uid: 'wait', text: 'x'.repeat(100 * KIB) } });
    await crowd(20, `${headOf(body.length)}${body}`);
    await until('some are refused', () => unreviewed.includes('memory'));
    expect(await ask()).toBe(200);
  });

  test('whoever else does not read its answers, which count as well', async () => {
    const unreviewed = await start({ answer: 'a'.repeat(16 * 1024 * KIB), mostBytes: 40 * 1024 * KIB });
    const unread = Array.from({ length: 4 }, async () => (await open('')).pause());
    for (const socket of await Promise.all(unread)) socket.write(`${headOf(REVIEW.length)}${REVIEW}`);
    await until('some are dropped', () => unreviewed.includes('memory'));
    expect(await ask()).toBe(200);
  });
});

test('whoever leaves before the review has ended is counted once', async () => {
  const unreviewed = await start({ waits: true });
  const body = JSON.stringify({ request: { uid: 'wait' } });
  const socket = await open(`${headOf(body.length)}${body}`);
  await ask();
  socket.destroy();
  await until('it is counted', () => unreviewed.join() === 'closed');
});

test(
  'a connection that an API server opens ahead of its requests is kept, and counted nowhere',
  { timeout: 60_000 },
  async () => {
    const unreviewed = await start();
    const socket = await open('');
    const texts: string[] = [];
    socket.on('data', (data: Buffer) => texts.push(data.toString()));
    // Longer than a head, and than the pause of a request, may take.
    await new Promise((done) => setTimeout(done, 6_000));
    expect([texts, unreviewed]).toEqual([[], []]);
    socket.write(`${headOf(REVIEW.length)}${REVIEW}`);
    await until('it is answered', () => texts.join('').startsWith('HTTP/1.1 200'));
    // A request on it that does not end is closed in time all the same.
    socket.write('POST /pods');
    await closed(socket);
    expect(unreviewed).toEqual(['timeout']);
  },
);

describe('what was not reviewed is counted', () => {
  test('a body that does not end: it is closed in time', { timeout: 60_000 }, async () => {
    const unreviewed = await start();
    expect(await closed(await open(headOf(10)))).toMatch(/^HTTP\/1.1 408/);
    expect(unreviewed).toEqual(['timeout']);
  });

  test('a handshake that does not begin: it is closed in time', { timeout: 60_000 }, async () => {
    const unreviewed = await start();
    await closed(await open(undefined));
    await until('it is counted', () => unreviewed.join() === 'tls');
  });

  test('an API server that trusts another authority', async () => {
    const unreviewed = await start();
    await expect(ask(REVIEW, { ca: (await identity('two')).cert })).rejects.toThrow(/certificate/);
    await until('it is counted', () => unreviewed.join() === 'tls');
  });

  test('whoever leaves before the end', async () => {
    const unreviewed = await start();
    const socket = await open(`${headOf(10)}a`);
    // The server has read the head once it has answered another request.
    await ask();
    socket.destroy();
    await until('it is counted', () => unreviewed.join() === 'closed');
  });

  test('what is no review', async () => {
    const unreviewed = await start();
    expect([await ask('x'), await ask(REVIEW, { path: '/other' })]).toEqual([400, 404]);
    expect(unreviewed).toEqual(['malformed', 'malformed']);
  });

  test('a review of more than 3 MiB, with the name of its pod', async () => {
    const unreviewed = await start();
    const pod = {
      metadata: { generateName: 'web-', labels: { name: 'x' } },
      spec: { text: 'x'.repeat(4_000 * KIB) },
    };
    const body = { kind: 'AdmissionReview', request: { uid: 'u', namespace: 'shop', object: pod } };
    expect(await ask(JSON.stringify(body))).toBe(413);
    expect(unreviewed).toEqual(['large: shop/web-…']);
  });
});

describe('what people see of it', () => {
  function createSetup() {
    const clock = createVirtualClock(0);
    const lines: string[] = [];
    const warn = (line: string): number => lines.push(line);
    const registry = createRegistry(admissionMetrics);
    const log = { info() {}, error() {}, warn };
    return { ...createUnreviewed(registry, createLogLimiter(log, clock), clock), registry, lines, clock };
  }

  test('each reason is a series from the start', () => {
    const { add, registry } = createSetup();
    add('timeout');
    const text = registry.render();
    expect(text).toContain('kruise_admission_unreviewed_total{reason="timeout"} 1\n');
    expect(text).toContain('kruise_admission_unreviewed_total{reason="memory"} 0\n');
  });

  test('a refusal for want of memory is in /readyz for a minute, and the log says what to do once', async () => {
    const { add, shown, lines, clock } = createSetup();
    expect(shown()).toBeUndefined();
    for (let time = 0; time < 3; time += 1) add('memory');
    expect(shown()).toBe('reviews were refused for want of memory within the last minute');
    expect(lines).toEqual([
      expect.stringMatching(/without sidecars; let API servers alone reach the port \(docs\/install\.md\)$/),
    ]);
    await clock.advance(60_000);
    expect(shown()).toBeUndefined();
  });

  test('no more than twenty pods are named in a minute', () => {
    const { add, lines } = createSetup();
    for (let time = 0; time < 50; time += 1) add('large', `shop/web-${time}`);
    expect(lines).toHaveLength(21);
    expect(lines[0]).toMatch(/^pod shop\/web-0: .* make it smaller/);
  });
});
