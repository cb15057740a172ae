import { describe, expect, test } from 'vitest';
import { TransportError } from '../../../runtime/api/transport-error.ts';
import { ApiError, type WatchOptions } from '../../../schemas/wire/cluster.ts';
import {
  clientOf,
  configMap,
  configMaps,
  line,
  scripted,
  statusBody,
  json,
  until,
  type Bench,
} from './scripted.ts';

/** A watch, and a short text for each of its callbacks. */
function follow({ cluster }: Bench, options: Partial<WatchOptions> = {}) {
  const received: string[] = [];
  const handle = cluster.watch(
    configMaps,
    { resourceVersion: '5', allowBookmarks: true, ...options },
    {
      onOpen: () => received.push('open'),
      onEvent: (event) =>
        received.push(
          event.type === 'BOOKMARK'
            ? `bookmark ${event.resourceVersion}${event.initialEventsEnd === true ? ' end' : ''}`
            : `${event.type} ${event.object.metadata.name}`,
        ),
      onEnd(error) {
        if (error instanceof ApiError) received.push(`refused ${error.status.code} ${error.status.reason}`);
        else if (error instanceof TransportError) received.push(error.kind);
        else received.push(error === undefined ? 'end' : String(error));
      },
    },
  );
  return {
    said: received,
    handle,
    last: async () =>
      until(() => received.some((word) => /^(end|refused|reset|timeout|garbled|closed)/.test(word))),
  };
}

const added = line('ADDED', configMap('a', '6'));

describe('a watch', () => {
  test('requests bookmarks and a timeout, and delivers events', async () => {
    const server = await scripted((response) => {
      response.write(added + line('MODIFIED', configMap('a', '7')));
      response.write(line('BOOKMARK', { kind: 'ConfigMap', metadata: { resourceVersion: '8' } }));
      response.end(line('DELETED', configMap('a', '9')));
    });
    const bench = clientOf(server.url, { random: () => 0.99 });
    const watch = follow(bench, { namespace: 'shop', labelSelector: 'a=b' });
    expect(watch.said).toEqual([]);
    await watch.last();
    expect(watch.said).toEqual(['open', 'ADDED a', 'MODIFIED a', 'bookmark 8', 'DELETED a', 'end']);
    expect(server.requests[0]?.url).toBe(
      '/api/v1/namespaces/shop/configmaps?watch=true&resourceVersion=5&allowWatchBookmarks=true&labelSelector=a%3Db&timeoutSeconds=50',
    );
    expect(bench.calls).toEqual(['watch configmaps 200 0']);
  });

  test('requests initial events, and reports their end', async () => {
    const server = await scripted((response) => {
      const annotations = { 'k8s.io/initial-events-end': 'true' };
      response.end(added + line('BOOKMARK', { metadata: { resourceVersion: '8', annotations } }));
    });
    const watch = follow(clientOf(server.url), { sendInitialEvents: true, resourceVersion: '' });
    await watch.last();
    expect(watch.said).toEqual(['open', 'ADDED a', 'bookmark 8 end', 'end']);
    expect(server.requests[0]?.url).toContain('sendInitialEvents=true&resourceVersionMatch=NotOlderThan');
  });

  test('events are complete, wherever they are split: within a line, within a character, many in one chunk', async () => {
    const big = line('ADDED', { ...configMap('ä-😀', '6'), data: { text: 'žluťoučký 🐎'.repeat(40) } });
    const bytes = Buffer.from(added.repeat(3) + big + added);
    const server = await scripted((response) => {
      void (async () => {
        for (let from = 0; from < bytes.length; from += 7) {
          response.write(bytes.subarray(from, from + 7));
          await new Promise((resolve) => void setImmediate(resolve));
        }
        response.end();
      })();
    });
    const watch = follow(clientOf(server.url));
    await watch.last();
    expect(watch.said).toEqual(['open', 'ADDED a', 'ADDED a', 'ADDED a', 'ADDED ä-😀', 'ADDED a', 'end']);
  });

  test('an event of 20 MB', async () => {
    const server = await scripted((response) =>
      response.end(line('ADDED', { ...configMap('big', '6'), data: { x: 'x'.repeat(20_000_000) } })),
    );
    const watch = follow(clientOf(server.url));
    await watch.last();
    expect(watch.said).toEqual(['open', 'ADDED big', 'end']);
  });

  test.each<[what: string, bytes: string, said: string[]]>([
    ['ERROR 410', line('ERROR', statusBody(410, 'Expired')), ['refused 410 Expired']],
    ['ERROR 500', line('ERROR', statusBody(500, 'InternalError')), ['refused 500 InternalError']],
    ['ERROR without a Status', line('ERROR', {}), ['garbled']],
    ['a line that is no JSON', 'upstream timed out\n', ['garbled']],
    ['an event without an object', '{"type":"ADDED"}\n', ['garbled']],
    ['an event of a type that there is not', line('RENAMED', configMap('a', '6')), ['garbled']],
    ['a bookmark without metadata', line('BOOKMARK', {}), ['garbled']],
    ['half an event at the end', `${added}{"type":"ADD`, ['ADDED a', 'garbled']],
    ['an event that lacks only its end of line', added.trim(), ['ADDED a', 'end']],
    ['nothing', '', ['end']],
    ['an event after an error', line('ERROR', statusBody(410, 'Expired')) + added, ['refused 410 Expired']],
  ])('%s', async (_, bytes, received) => {
    const server = await scripted((response) => response.end(bytes));
    const watch = follow(clientOf(server.url));
    await watch.last();
    expect(watch.said).toEqual(['open', ...received]);
  });

  test.each<[what: string, cut: 'destroy' | 'resetAndDestroy']>([
    ['closed within a chunk', 'destroy'],
    ['reset', 'resetAndDestroy'],
  ])('a connection that is %s: earlier events are delivered', async (_, cut) => {
    const server = await scripted((response, _seen, _index, socket) => {
      response.write(added);
      setTimeout(() => {
        socket.write('40\r\n{"type":');
        setTimeout(() => socket[cut](), 20);
      }, 20);
    });
    const watch = follow(clientOf(server.url));
    await watch.last();
    expect(watch.said).toEqual(['open', 'ADDED a', 'reset']);
  });

  test('a refusal is reported with its reason, and the watch does not open', async () => {
    const server = await scripted((response) => json(response, 403, statusBody(403, 'Forbidden')));
    const bench = clientOf(server.url);
    const watch = follow(bench);
    await watch.last();
    expect([watch.said, bench.calls]).toEqual([['refused 403 Forbidden'], ['watch configmaps 403 0']]);
  });

  test('refused credentials are renewed once', async () => {
    const server = await scripted((response, { headers }) =>
      headers.authorization === 'Bearer new'
        ? response.end(added)
        : json(response, 401, statusBody(401, 'Unauthorized')),
    );
    const bench = clientOf({
      server: server.url,
      namespace: undefined,
      user: 'context test',
      headers: async (refresh) => ({ authorization: refresh === true ? 'Bearer new' : 'Bearer old' }),
    });
    const watch = follow(bench);
    await watch.last();
    expect([watch.said, bench.calls]).toEqual([['open', 'ADDED a', 'end'], ['watch configmaps 200 1']]);
  });

  test('a stopped watch delivers no events, and its connection is closed', async () => {
    let gone = false;
    const server = await scripted((response) => {
      response.on('close', () => (gone = true));
      const events = setInterval(() => response.write(added), 5);
      response.on('close', () => clearInterval(events));
    });
    const watch = follow(clientOf(server.url));
    await until(() => watch.said.includes('ADDED a'));
    watch.handle.stop();
    const received = watch.said.length;
    await until(() => gone);
    expect(watch.said).toHaveLength(received);
  });

  test('closing the client ends the watch', async () => {
    const server = await scripted((response) => void response.write(added));
    const bench = clientOf(server.url);
    const watch = follow(bench);
    await until(() => watch.said.includes('ADDED a'));
    bench.cluster.close();
    expect(watch.said).toEqual(['open', 'ADDED a', 'closed']);
  });
});

describe('a connection that is dead without being closed (W07)', () => {
  async function silent(writes: string) {
    const server = await scripted((response) => void response.write(writes));
    const bench = clientOf(server.url, { random: () => 0 });
    const watch = follow(bench);
    await until(() => watch.said.includes('ADDED a'));
    return { ...bench, ...watch };
  }

  test('is detected within a minute, after the timeout of the watch', async () => {
    const { clock, said: received } = await silent(added);
    await clock.advance(47_999);
    expect(received).toEqual(['open', 'ADDED a']);
    await clock.advance(1);
    expect(received).toEqual(['open', 'ADDED a', 'timeout']);
    expect(clock.now()).toBeLessThan(60_000);
  });

  test('is not assumed while events arrive, even after the timeout', async () => {
    let send = (): void => {};
    const server = await scripted((response) => {
      send = () => void response.write(added);
      send();
    });
    const { clock, cluster, calls } = clientOf(server.url, { random: () => 0 });
    const { said: received } = follow({ clock, cluster, calls });
    for (let events = 1; events <= 20; events++) {
      await until(() => received.length === events + 1);
      await clock.advance(5_000);
      if (events < 20) send();
    }
    expect(received).toEqual(['open', ...Array<string>(20).fill('ADDED a')]);
    await clock.advance(8_000);
    expect(received.at(-1)).toBe('timeout');
  });

  test('a watch without a response has the deadline of any request', async () => {
    const server = await scripted(() => {});
    const bench = clientOf(server.url);
    const { said: received } = follow(bench);
    await until(() => server.requests.length === 1);
    await bench.clock.advance(30_000);
    expect([received, bench.calls]).toEqual([['timeout'], ['watch configmaps error 0']]);
  });
});
