import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Address } from '../../../runtime/check/http-get.ts';
import { selfSigned } from './certificate.ts';
import { ask, closeServers, listen, MIB, serverSending } from './sockets.ts';

afterEach(closeServers);

const nothing: RequestListener = (_request, response) => void response.end();

describe('GET over sockets', () => {
  it('returns status and body', async () => {
    const port = await listen(
      createServer((_request, response) => void response.writeHead(503).end('{"a":1}')),
    );
    expect(await ask(`http://127.0.0.1:${port}/`)).toEqual({ status: 503, body: '{"a":1}' });
  });

  it('sends GET with its own headers and those of the configuration, and closes the connection', async () => {
    const received: IncomingMessage[] = [];
    const port = await listen(
      createServer((request, response) => {
        received.push(request);
        response.setHeader('set-cookie', 'a=b').end();
      }),
    );
    const url = `http://127.0.0.1:${port}/a%20b/c?d=%7Be%7D`;
    await ask(url, { headers: { 'X-Team': 'shop', 'User-Agent': 'probe' } });
    await ask(url);
    expect(received.map(({ method, url: path }) => `${method} ${path}`)).toEqual([
      'GET /a%20b/c?d=%7Be%7D',
      'GET /a%20b/c?d=%7Be%7D',
    ]);
    expect(received[0]?.headers).toEqual({
      accept: 'application/json',
      'accept-encoding': 'identity',
      connection: 'close',
      host: `127.0.0.1:${port}`,
      'user-agent': 'probe',
      'x-team': 'shop',
    });
    expect(received[1]?.headers).toMatchObject({ 'user-agent': 'kruise' });
    expect(received[1]?.headers).not.toHaveProperty('cookie');
    expect(received[0]?.socket).not.toBe(received[1]?.socket);
  });

  it('uses no proxy of the environment', async () => {
    let proxied = 0;
    const proxy = await listen(
      createServer((_request, response) => void response.end(String((proxied += 1)))),
    );
    const port = await listen(createServer(nothing));
    for (const name of ['http_proxy', 'HTTP_PROXY', 'ALL_PROXY']) {
      vi.stubEnv(name, `http://127.0.0.1:${proxy}`);
    }
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    expect(await ask(`http://127.0.0.1:${port}/`)).toEqual({ status: 200, body: '' });
    expect(proxied).toBe(0);
  });

  it('trusts no self-signed certificate, whatever the environment contains', async () => {
    let asked = 0;
    const server = createSecureServer(
      selfSigned(),
      (_request, response) => void response.end(String((asked += 1))),
    );
    const port = await listen(server);
    const untrusted = { error: 'no secure connection (DEPTH_ZERO_SELF_SIGNED_CERT)' };
    expect(await ask(`https://127.0.0.1:${port}/`)).toEqual(untrusted);
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    expect(await ask(`https://127.0.0.1:${port}/`)).toEqual(untrusted);
    warn.mockRestore();
    expect(asked).toBe(0);
  });

  it('follows no redirect', async () => {
    let asked = 0;
    const port = await listen(
      createServer((_request, response) => {
        asked += 1;
        response.writeHead(302, { location: '/elsewhere' }).end();
      }),
    );
    expect(await ask(`http://127.0.0.1:${port}/`)).toEqual({ status: 302, body: '' });
    expect(asked).toBe(1);
  });

  it.each([
    [MIB, true],
    [MIB + 1, false],
  ])('limits a body of %i bytes: %s', async (bytes, whole) => {
    const port = await listen(createServer((_request, response) => void response.end('x'.repeat(bytes))));
    const answer = await ask(`http://127.0.0.1:${port}/`);
    if (whole) expect(answer).toEqual({ status: 200, body: 'x'.repeat(bytes) });
    else expect(answer).toEqual({ error: 'more than 1048576 bytes' });
  });

  it('stops reading an endless body', async () => {
    let closed = (): void => {};
    const ended = new Promise<void>((resolve) => (closed = resolve));
    const port = await listen(
      createServer((request, response) => {
        // Node.js 26 answers writes after the end at once, and calls nothing destroyed before it has a turn.
        const more = (): void => void (response.destroyed || response.write('x'.repeat(65_536), later));
        const later = (): void => void setImmediate(more);
        more();
        request.socket.on('close', closed);
      }),
    );
    expect(await ask(`http://127.0.0.1:${port}/`)).toEqual({ error: 'more than 1048576 bytes' });
    await ended;
  });

  it.each([
    ['no answer at all', ''],
    ['a body that does not end', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1'],
    ['headers that do not end', 'HTTP/1.1 200 OK\r\nA: b\r\n'],
  ])('times out: %s', async (_name, text) => {
    const port = await serverSending(text, false);
    const answer = await ask(`http://127.0.0.1:${port}/`, { timeoutMs: 100 });
    expect(answer).toEqual({ error: 'no complete response within 0.1 s' });
  });

  it('times out while single bytes arrive, and while a name is resolved', async () => {
    const port = await listen(
      createServer((_request, response) => {
        const drip = setInterval(() => response.write('x'), 10);
        response.on('close', () => clearInterval(drip));
      }),
    );
    const late = { error: 'no complete response within 0.1 s' };
    expect(await ask(`http://127.0.0.1:${port}/`, { timeoutMs: 100 })).toEqual(late);
    const never = async (): Promise<Address[]> => new Promise(() => {});
    expect(await ask('http://web.shop/', { timeoutMs: 100, resolve: never })).toEqual(late);
  });

  it.each([
    ['a body cut short', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1', 'the connection was closed'],
    [
      'chunks cut short',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n1',
      'the connection was closed',
    ],
    ['no byte', '', 'the connection was closed'],
    ['something else than HTTP', '\u001b[31mSSH-2.0\r\n\r\n', 'the response is not HTTP'],
    [
      'an upgrade',
      'HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n',
      'the connection was closed',
    ],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1',
      'the response is not HTTP',
    ],
    ['a huge header', `HTTP/1.1 200 OK\r\nA: ${'b'.repeat(20_000)}\r\n\r\n`, 'the response is not HTTP'],
  ])('reports the failure, never the received bytes: %s', async (_name, text, error) => {
    const port = await serverSending(text);
    expect(await ask(`http://127.0.0.1:${port}/`)).toEqual({ error });
  });

  it('accepts a body that ends with the connection', async () => {
    const port = await serverSending('HTTP/1.1 200 OK\r\n\r\n12');
    expect(await ask(`http://127.0.0.1:${port}/`)).toEqual({ status: 200, body: '12' });
  });

  it('reports a refused connection and a failed handshake', async () => {
    const port = await serverSending('HTTP/1.1 400 Bad Request\r\n\r\n');
    expect(await ask(`https://127.0.0.1:${port}/`)).toEqual({ error: 'no secure connection' });
    closeServers();
    expect(await ask(`http://127.0.0.1:${port}/`)).toEqual({ error: 'connection refused' });
  });

  it('reports a request that cannot be created', async () => {
    const answer = await ask('http://127.0.0.1:1/', { headers: { 'X-A': 'a\r\nX-B: c' } });
    expect(answer).toEqual({ error: 'the request failed (ERR_INVALID_CHAR)' });
  });

  it('ends when the request is canceled', async () => {
    const port = await serverSending('', false);
    const ended = new AbortController();
    setTimeout(() => ended.abort(), 20);
    const answer = await ask(`http://127.0.0.1:${port}/`, { signal: ended.signal });
    expect(answer).toEqual({ error: 'the request was canceled' });
    expect(await ask(`http://127.0.0.1:${port}/`, { signal: ended.signal })).toEqual(answer);
  });
});
