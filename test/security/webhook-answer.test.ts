import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { httpWebhooks } from 'kruise-sandbox/http';
import { afterEach, expect, test } from 'vitest';

const opened: { close(): void }[] = [];

afterEach(() => {
  for (const server of opened.splice(0)) server.close();
});

/** Calls a webhook that answers so. Its time is longer than that of a test. */
async function call(answer: (response: ServerResponse) => void): Promise<unknown> {
  const server = createServer((_request, response) => answer(response));
  opened.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  const timeoutMs = 600_000;
  return httpWebhooks(
    { url, host: '127.0.0.1', port, path: '/', serverName: '127.0.0.1', caBundle: undefined, timeoutMs },
    {},
  );
}

test('an answer of a webhook of more than 3 MiB fails the call', async () => {
  const answer = await call((response) => response.end('x'.repeat(4 * 2 ** 20)));
  expect(answer).toEqual({ fault: expect.stringContaining('http: response body too large') as string });
});

test('an answer that ends early fails the call', async () => {
  const answer = await call((response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{');
    setImmediate(() => response.destroy());
  });
  expect(answer).toEqual({ fault: expect.stringMatching(/aborted|EOF/) as string });
});
