import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createWallClock } from 'kruise-sandbox/clock';
import { afterEach, describe, expect, test } from 'vitest';
import { createAddressRules } from '../../../runtime/check/addresses.ts';
import type { GetAnswer } from '../../../runtime/check/get.ts';
import { createHttpPost } from '../../../runtime/check/http-get.ts';
import { headersOf, payloadOf } from '../../../runtime/notify/payload.ts';
import { closeServers, listen, MIB, serverSending } from '../check/sockets.ts';
import { deliveryAbout } from './delivery.ts';

afterEach(closeServers);

const key = new TextEncoder().encode('a key of sixteen bytes');
const content = payloadOf(deliveryAbout('web', { message: 'ü' }), { url: '' });

async function send(url: string, addresses = ['127.0.0.0/8'], timeoutMs = 5_000): Promise<GetAnswer> {
  const post = createHttpPost({ clock: createWallClock(), addresses: createAddressRules(addresses) });
  const headers = headersOf('id', content, key);
  const { signal } = new AbortController();
  return post(url, { headers, content, timeoutMs, maxBytes: MIB, signal });
}

interface Received {
  request: IncomingMessage;
  body: Buffer;
}

/** A receiver that notes whole requests before it answers. */
async function receiver(answers: RequestListener): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const port = await listen(
    createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        received.push({ request, body: Buffer.concat(chunks) });
        answers(request, response);
      });
    }),
  );
  return { url: `http://127.0.0.1:${port}/hook?room=a`, received };
}

test('one POST with the body, its length and its signature', async () => {
  const { url, received } = await receiver((_request, response) => void response.writeHead(204).end());
  expect(await send(url)).toEqual({ status: 204, body: '' });
  const [{ request, body }] = received as [Received];
  expect([request.method, request.url, body.toString('utf8')]).toEqual(['POST', '/hook?room=a', content]);
  expect(request.headers).toMatchObject({
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(content)),
    'kruise-delivery': 'id',
    'kruise-signature': `sha256=${createHmac('sha256', key).update(body).digest('hex')}`,
    connection: 'close',
  });
});

describe('an answer counts by its status alone', () => {
  test('one that never ends', async () => {
    const { url } = await receiver((_request, response) => void response.writeHead(200).write('{'));
    expect(await send(url)).toEqual({ status: 200, body: '' });
  });

  test('one that is longer than any limit', async () => {
    const { url } = await receiver((_request, response) => void response.end('x'.repeat(4 * MIB)));
    expect(await send(url)).toEqual({ status: 200, body: '' });
  });

  test('one that leads elsewhere', async () => {
    const other = await receiver((_request, response) => void response.end());
    const location = { location: other.url };
    const { url } = await receiver((_request, response) => void response.writeHead(307, location).end());
    expect(await send(url)).toEqual({ status: 307, body: '' });
    expect(other.received).toEqual([]);
  });
});

test('a receiver that does not answer is left after the limit', async () => {
  const { url, received } = await receiver(() => {});
  expect(await send(url, undefined, 300)).toEqual({ error: 'no complete response within 0.3 s' });
  expect(received.length).toBeLessThanOrEqual(1);
});

test('what is not HTTP is an error without its bytes', async () => {
  const port = await serverSending('secret\r\n\r\n');
  expect(await send(`http://127.0.0.1:${port}/`)).toEqual({ error: 'the response is not HTTP' });
});

test('an address that is not allowed gets nothing', async () => {
  const { url, received } = await receiver((_request, response) => void response.end());
  expect(await send(url, [])).toEqual({ error: 'the host is a loopback address, which is not allowed' });
  expect(received).toEqual([]);
});
