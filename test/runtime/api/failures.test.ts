import type { ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { resources } from '../../../schemas/wire/resources.ts';
import {
  afterwards,
  clientOf,
  configMap,
  configMaps,
  failureOf,
  json,
  scripted,
  settled,
  shown,
  until,
} from './scripted.ts';

const at = { namespace: 'shop', name: 'a' };
const patch = { type: 'merge', body: { data: {} } } as const;

/** A server of TCP alone. */
async function bareServer(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createServer(onConnection);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterwards(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a connection that fails', () => {
  test('connection refused: a write was not executed', async () => {
    const server = await scripted(() => {});
    server.close();
    const { cluster, calls } = clientOf(server.url);
    expect(shown(await failureOf(cluster.patch(configMaps, at, patch)))).toEqual(['refused', false]);
    expect(calls).toEqual(['patch configmaps error 0']);
  });

  test('the host name does not resolve', async () => {
    const { cluster } = clientOf('http://no-such-host.invalid:1');
    expect(shown(await failureOf(cluster.get(configMaps, at)))).toEqual(['dns', false]);
  });

  test.each<[what: string, bytes: string]>([
    ['closed without a word', ''],
    ['closed within the answer', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"kind":'],
    ['closed within a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n40\r\n{"kind":'],
  ])('%s: the outcome of a write is unknown', async (_, bytes) => {
    const url = await bareServer((socket: Socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(bytes));
    });
    const { cluster } = clientOf(url);
    expect(shown(await failureOf(cluster.patch(configMaps, at, patch)))).toEqual(['reset', true]);
    expect(shown(await failureOf(cluster.get(configMaps, at)))).toEqual(['reset', false]);
  });

  test('a response that is not HTTP', async () => {
    const url = await bareServer((socket: Socket) => {
      socket.on('error', () => {});
      socket.end('SSH-2.0-OpenSSH_9.2\r\n');
    });
    const { cluster } = clientOf(url);
    expect(shown(await failureOf(cluster.get(configMaps, at)))).toEqual(['garbled', false]);
  });

  test('a kept-alive connection that the server had closed: a read is retried, a write is not', async () => {
    let open: Socket[] = [];
    const server = await scripted((response, _, _index, socket) => {
      open.push(socket);
      json(response, 200, configMap('a', '1'));
    });
    const { cluster, calls } = clientOf(server.url);
    const giveUp = (): void => {
      for (const socket of open) socket.resetAndDestroy();
      open = [];
    };
    await cluster.get(configMaps, at);
    giveUp();
    await cluster.get(configMaps, at);
    giveUp();
    expect(shown(await failureOf(cluster.patch(configMaps, at, patch)))).toEqual(['reset', true]);
    expect(calls).toEqual(['get configmaps 200 0', 'get configmaps 200 1', 'patch configmaps error 0']);
  });
});

describe('a call that has waited for one of a hundred connections', () => {
  /** A hundred calls that wait for their answers, and one more, which gets the connection of the first. */
  async function waited(onLast: (response: ServerResponse, socket: Socket) => void) {
    const held: ServerResponse[] = [];
    const server = await scripted((response, _, index, socket) => {
      if (index < 100) held.push(response);
      else onLast(response, socket);
    });
    const { cluster, clock } = clientOf(server.url);
    for (let index = 0; index < 100; index += 1) cluster.get(configMaps, at).catch(() => {});
    await until(() => held.length === 100);
    const giveWay = async (): Promise<void> => {
      const [first] = held;
      if (first !== undefined) json(first, 200, configMap('a', '1'));
      await until(() => server.requests.length > 100);
    };
    return { cluster, clock, giveWay };
  }

  test('is not taken for one that is not connected: what became of a write is not known', async () => {
    const { cluster, clock, giveWay } = await waited(() => {});
    let over = false;
    const failing = failureOf(cluster.patch(configMaps, at, patch)).finally(() => (over = true));
    await giveWay();
    await clock.advance(10_000);
    await settled();
    expect(over).toBe(false);
    await clock.advance(20_000);
    expect(shown(await failing)).toEqual(['timeout', true]);
  });

  test('is retried if it reads, and the server had closed that connection', async () => {
    let resets = 0;
    const { cluster, giveWay } = await waited((response, socket) => {
      if (resets++ === 0) socket.resetAndDestroy();
      else json(response, 200, configMap('a', '2'));
    });
    const reading = cluster.get(configMaps, at);
    await giveWay();
    expect((await reading).metadata.resourceVersion).toBe('2');
  });
});

describe('deadlines', () => {
  test.each<
    [
      what: string,
      run: (cluster: ReturnType<typeof clientOf>['cluster']) => Promise<unknown>,
      ms: number,
      unknown: boolean,
    ]
  >([
    ['a get', async (cluster) => cluster.get(configMaps, at), 30_000, false],
    [
      'a write: what became of it is not known',
      async (cluster) => cluster.patch(configMaps, at, patch),
      30_000,
      true,
    ],
    ['a list', async (cluster) => cluster.list(configMaps), 60_000, false],
    ['a write to a Lease', async (cluster) => cluster.patch(resources.Lease, at, patch), 5_000, true],
  ])('%s without a response', async (_, run, ms, unknown) => {
    const server = await scripted(() => {});
    const { cluster, clock } = clientOf(server.url);
    const failing = failureOf(run(cluster));
    await until(() => server.requests.length === 1);
    let over = false;
    void failing.then(() => (over = true));
    await clock.advance(ms - 1);
    expect(over).toBe(false);
    await clock.advance(1);
    expect(shown(await failing)).toEqual(['timeout', unknown]);
  });

  test('slow headers and a slow body: the deadline is for the whole response', async () => {
    const url = await bareServer((socket: Socket) => {
      socket.on('error', () => {});
      const drip = setInterval(() => socket.write('x-drip: 1\r\n'), 10);
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n'));
      socket.on('close', () => clearInterval(drip));
    });
    const { cluster, clock } = clientOf(url);
    const failing = failureOf(cluster.get(configMaps, at));
    await settled();
    await clock.advance(30_000);
    expect(shown(await failing)).toEqual(['timeout', false]);
  });

  test('a connection, or its TLS handshake, that takes too long: a write was not executed', async () => {
    const url = await bareServer((socket: Socket) => socket.on('error', () => {}));
    const { cluster, clock } = clientOf(url.replace('http:', 'https:'));
    const failing = failureOf(cluster.patch(configMaps, at, patch));
    await settled();
    let over = false;
    void failing.then(() => (over = true));
    await clock.advance(9_999);
    expect(over).toBe(false);
    await clock.advance(1);
    expect(shown(await failing)).toEqual(['timeout', false]);
  });

  test('after a timeout, idle connections are closed', async () => {
    const server = await scripted((response, { url }) => {
      if (!url.endsWith('/silent')) json(response, 200, configMap('a', '1'));
    });
    const { cluster, clock } = clientOf(server.url);
    await Promise.all([1, 2].map(async () => cluster.get(configMaps, at)));
    expect(server.connections()).toBe(2);
    const failing = failureOf(cluster.get(configMaps, { ...at, name: 'silent' }));
    await until(() => server.requests.length === 3);
    await clock.advance(30_000);
    await failing;
    await cluster.get(configMaps, at);
    expect(server.connections()).toBe(3);
  });
});

describe('a slow call', () => {
  test('is reported after five seconds and continues; a call of a Lease is not, nor a finished one', async () => {
    let slowCalls = 0;
    const server = await scripted((response, { url }) => {
      if (url.endsWith('/quick')) json(response, 200, configMap('quick', '1'));
    });
    const { cluster, clock } = clientOf(server.url, { onSlow: () => (slowCalls += 1) });
    await cluster.get(configMaps, { ...at, name: 'quick' });
    const failing = failureOf(cluster.get(configMaps, at));
    await until(() => server.requests.length === 2);
    await clock.advance(4_999);
    expect(slowCalls).toBe(0);
    await clock.advance(1);
    expect(slowCalls).toBe(1);
    const lease = failureOf(cluster.get(resources.Lease, at));
    await until(() => server.requests.length === 3);
    await clock.advance(25_000);
    expect([shown(await failing), shown(await lease)]).toEqual([
      ['timeout', false],
      ['timeout', false],
    ]);
    expect(slowCalls).toBe(1);
  });
});

describe('closing', () => {
  test('ends calls in flight and refuses new ones', async () => {
    const server = await scripted(() => {});
    const { cluster } = clientOf(server.url);
    const failing = failureOf(cluster.patch(configMaps, at, patch));
    await until(() => server.requests.length === 1);
    cluster.close();
    expect(shown(await failing)).toEqual(['closed', true]);
    expect(shown(await failureOf(cluster.get(configMaps, at)))).toEqual(['closed', false]);
    expect(server.requests).toHaveLength(1);
  });
});
