import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { Address } from '../../../runtime/check/http-get.ts';
import { ask, closeServers, listen } from './sockets.ts';

afterEach(closeServers);

const to =
  (...all: string[]) =>
  async (): Promise<Address[]> =>
    Promise.resolve(all.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));

describe('addresses of hosts', () => {
  it.each([
    ['169.254.169.254', 'a cloud metadata address'],
    ['[::ffff:127.0.0.1]', 'a loopback address'],
    ['0.0.0.0', 'an unspecified address'],
    ['0', 'an unspecified address'],
    ['127.1', 'a loopback address'],
    ['0x7f000001', 'a loopback address'],
    ['[::1]', 'a loopback address'],
    ['[fe80::1]', 'a link-local address'],
  ])('http://%s is refused: %s', async (host, kind) => {
    let asked = 0;
    const port = await listen(createServer((_request, response) => void response.end(String((asked += 1)))));
    const answer = await ask(`http://${host}:${port}/`, { addresses: [] });
    expect(answer).toEqual({ error: `the host is ${kind}, which is not allowed` });
    expect(asked).toBe(0);
  });

  it('all addresses of a name are checked, and nothing is sent if one is refused', async () => {
    let asked = 0;
    const port = await listen(createServer((_request, response) => void response.end(String((asked += 1)))));
    const refused = { error: 'the host is a loopback address, which is not allowed' };
    const url = `http://web.shop:${port}/`;
    expect(await ask(url, { addresses: [], resolve: to('127.0.0.1') })).toEqual(refused);
    expect(await ask(url, { addresses: [], resolve: to('10.0.0.1', '127.0.0.1') })).toEqual(refused);
    expect(await ask(url, { addresses: [], resolve: to('10.0.0.1', '::ffff:7f00:1') })).toEqual(refused);
    expect(asked).toBe(0);
    expect(await ask(url, { resolve: to('127.0.0.1') })).toEqual({ status: 200, body: '1' });
  });

  it('a name is resolved once, and only the checked addresses are connected to', async () => {
    const hosts: (string | undefined)[] = [];
    const port = await listen(
      createServer((request, response) => {
        hosts.push(request.headers.host);
        response.end();
      }),
    );
    let asked = 0;
    const resolve = async (): Promise<Address[]> => to(asked++ === 0 ? '127.0.0.1' : '10.255.255.1')();
    expect(await ask(`http://web.shop:${port}/`, { resolve })).toEqual({ status: 200, body: '' });
    expect(asked).toBe(1);
    expect(hosts).toEqual([`web.shop:${port}`]);
  });

  it('a name without an address is an error', async () => {
    const unknown = { error: 'the name does not resolve' };
    expect(await ask('http://web.shop/', { resolve: to() })).toEqual(unknown);
    const failing = async (): Promise<Address[]> =>
      Promise.reject(Object.assign(new Error('queried by 10.1.1.1'), { code: 'ENOTFOUND' }));
    expect(await ask('http://web.shop/', { resolve: failing })).toEqual(unknown);
  });

  it('nothing is sent if a name is resolved too late', async () => {
    let asked = 0;
    const port = await listen(createServer((_request, response) => void response.end(String((asked += 1)))));
    let found = (_addresses: Address[]): void => {};
    const resolve = async (): Promise<Address[]> => new Promise((resolved) => (found = resolved));
    const late = { error: 'no complete response within 0.05 s' };
    expect(await ask(`http://web.shop:${port}/`, { resolve, timeoutMs: 50 })).toEqual(late);
    found([{ address: '127.0.0.1', family: 4 }]);
    await new Promise((passed) => setTimeout(passed, 50));
    expect(asked).toBe(0);
  });

  it('by default the system resolves names', async () => {
    const answer = await ask('http://localhost:1/', { addresses: [] });
    expect(answer).toEqual({ error: 'the host is a loopback address, which is not allowed' });
  });
});
