import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { serve } from '../../http/serve.ts';
import { configMap, configMaps, noon } from '../world.ts';
import { front, token } from './front.ts';

const path = '/api/v1/namespaces/default/configmaps';
const credentials = `Host: x\r\nAuthorization: Bearer ${token}\r\n`;

/** The status lines of a connection, and whether the bodies are complete. */
function statusLines(received: string): string[] {
  return [...received.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, code = '']) => code);
}

describe('the wire', () => {
  it('answers requests sent one upon the other, in their order, on one connection', async () => {
    const { raw } = await front();
    const get = (at: string) => `GET ${at} HTTP/1.1\r\n${credentials}\r\n`;
    const body = JSON.stringify(configMap('a'));
    const post = `POST ${path} HTTP/1.1\r\n${credentials}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    expect(statusLines(await raw(get(`${path}/a`) + post + get(`${path}/a`) + get('/nope')))).toEqual([
      '404',
      '201',
      '200',
      '404',
    ]);
  });

  it('accepts an absolute URL in the request line', async () => {
    const { raw } = await front();
    const received = await raw(`GET http://elsewhere:1${path}?limit=1#x HTTP/1.1\r\n${credentials}\r\n`);
    expect(received).toContain('"kind":"ConfigMapList"');
  });

  it('lets a client wait with its body', async () => {
    const { raw } = await front();
    const head = `POST ${path} HTTP/1.1\r\n${credentials}Content-Type: application/json\r\nContent-Length: 200\r\nExpect: 100-continue\r\n\r\n`;
    expect(statusLines(await raw(head))).toEqual(['100']);
  });

  it('reads a body in chunks', async () => {
    const { raw } = await front();
    const body = JSON.stringify(configMap('a'));
    const [left, right] = [body.slice(0, 20), body.slice(20)];
    const chunk = (part: string) => `${part.length.toString(16)}\r\n${part}\r\n`;
    const head = `POST ${path} HTTP/1.1\r\n${credentials}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(statusLines(await raw(`${head}${chunk(left)}${chunk(right)}0\r\n\r\n`))).toEqual(['201']);
  });

  it.each([
    ['broken escapes', `GET /api/v1/%zz HTTP/1.1\r\n${credentials}\r\n`, '400'],
    ['no HTTP', 'hello\r\n\r\n', '400'],
    ['an absurd header', `GET / HTTP/1.1\r\n${credentials}X: ${'x'.repeat(2 ** 20)}\r\n\r\n`, '431'],
    ['an asterisk', `OPTIONS * HTTP/1.1\r\n${credentials}\r\n`, '404'],
    ['a method nobody knows', `FOO / HTTP/1.1\r\n${credentials}\r\n`, '400'],
    ['an unknown expectation', `GET / HTTP/1.1\r\n${credentials}Expect: miracles\r\n\r\n`, '417'],
    ['a length that is none', `POST ${path} HTTP/1.1\r\n${credentials}Content-Length: -1\r\n\r\n`, '400'],
  ])('answers %s', async (_what, bytes, code) => {
    const { raw, ask } = await front();
    expect(statusLines(await raw(bytes))).toEqual([code]);
    expect((await ask('/healthz')).text).toBe('ok');
  });

  it('refuses a body that is too large, and keeps serving', async () => {
    const { ask } = await front();
    const headers = { 'content-type': 'application/json' };
    const body = ' '.repeat(3 * 1024 * 1024 + 1);
    const answer = await ask(path, { method: 'POST', body, headers });
    expect(answer.json).toMatchObject({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: limit is 3145728',
    });
    expect((await ask(path)).code).toBe(200);
  });

  it('compresses large responses if the client accepts it', async () => {
    const { raw, alice } = await front();
    await alice.create(configMaps, configMap('a', {}, { big: 'x'.repeat(200_000) }));
    const get = (at: string, accepted: string) =>
      `GET ${at} HTTP/1.1\r\n${credentials}${accepted}Connection: close\r\n\r\n`;
    const gzip = 'Accept-Encoding: deflate, gzip\r\n';
    const packed = await raw(get(path, gzip));
    expect(packed).toMatch(/^Content-Encoding: gzip$/m);
    const body = packed.slice(packed.indexOf('\r\n\r\n') + 4);
    expect(gunzipSync(Buffer.from(body, 'latin1')).toString()).toContain('"kind":"ConfigMapList"');
    expect(await raw(get(path, ''))).not.toContain('Content-Encoding');
    expect(await raw(get(path, 'Accept-Encoding: gzip;q=0\r\n'))).not.toContain('Content-Encoding');
    expect(await raw(get('/version', gzip))).not.toContain('Content-Encoding');
  });

  it('sends its own time, not that of the host', async () => {
    const { ask, clock } = await front();
    await clock.advance(90_000);
    expect(Date.parse(String((await ask('/version')).headers.date))).toBe(noon + 90_000);
  });

  it('listens on the loopback address only, and reports a port in use', async () => {
    const { listener, world } = await front();
    expect(listener.url).toBe(`http://127.0.0.1:${listener.port}`);
    const again = serve(world, { port: listener.port });
    await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('closes with watches and idle connections open', async () => {
    const { listener, watch, ask } = await front();
    await ask('/version');
    const stream = await watch(`${path}?watch=true`);
    const closed = new Promise((resolve) => stream.message.once('close', resolve));
    stream.message.on('error', () => {});
    await listener.close();
    await closed;
    await expect(
      new Promise((resolve, reject) => {
        connect(listener.port, '127.0.0.1', () => resolve('open')).on('error', reject);
      }),
    ).rejects.toThrow('ECONNREFUSED');
  });
});
