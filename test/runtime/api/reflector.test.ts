import { describe, expect, test } from 'vitest';
import { createReflector, type Reflector } from '../../../runtime/observe/reflector.ts';
import type { VirtualClock } from 'kruise-sandbox/clock';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import {
  clientOf,
  configMap,
  configMaps,
  json,
  line,
  listBody,
  scripted,
  statusBody,
  until,
  type Script,
  type Scripted,
} from './scripted.ts';

interface Reflecting {
  server: Scripted;
  clock: VirtualClock;
  reflector: Reflector;
  reported: string[];
  /** `list` and `watch FROM`, in their order. */
  asked(): string[];
}

/** A reflector on a server that lists `a`, and then responds to each watch by the script. */
async function reflecting(watch: Script, list?: Script): Promise<Reflecting> {
  let lists = 0;
  let watches = 0;
  const server = await scripted((response, seen, _, socket) => {
    if (seen.url.includes('watch=')) watch(response, seen, watches++, socket);
    else if (list !== undefined) list(response, seen, lists++, socket);
    else json(response, 200, listBody('5', [configMap('a', '4')]));
  });
  const { cluster, clock } = clientOf(server.url);
  const reported: string[] = [];
  const reflector = createReflector({
    cluster,
    clock,
    resource: configMaps,
    onChange: ({ metadata }: KubeObject, gone) => reported.push(`${gone ? '-' : '+'}${metadata.name}`),
    onSync: () => reported.push('synced'),
  });
  reflector.start();
  return {
    server,
    clock,
    reflector,
    reported,
    asked: () =>
      server.requests.map(({ url }) => {
        const query = new URLSearchParams(url.split('?')[1]);
        return query.has('watch') ? `watch ${query.get('resourceVersion')}` : 'list';
      }),
  };
}

const added = (name: string, version: string): string => line('ADDED', configMap(name, version));
const open = (): void => {};

describe('the reflector over a failing network', () => {
  test('a list that fails once with 500', async () => {
    const { reflector, clock, asked } = await reflecting(open, (response, _, index) =>
      index === 0
        ? json(response, 500, statusBody(500, 'InternalError'))
        : json(response, 200, listBody('5')),
    );
    await until(() => asked().length === 1);
    await pause();
    expect(reflector.synced).toBe(false);
    await clock.advance(800);
    await until(() => reflector.synced);
    expect(asked().slice(0, 2)).toEqual(['list', 'list']);
  });

  test.each<[what: string, watch: Script]>([
    [
      'a reset in the middle',
      (response, _, index, socket) => {
        response.write(added('b', '6'));
        if (index === 0) setTimeout(() => socket.resetAndDestroy(), 20);
      },
    ],
    [
      'a line that is no event',
      (response, _, index) => {
        response.write(added('b', '6'));
        if (index === 0) response.write('<html>\n');
      },
    ],
    [
      'a truncated chunk',
      (response, _, index, socket) => {
        response.write(added('b', '6'));
        if (index === 0) setTimeout(() => socket.end('40\r\n{"ty'), 20);
      },
    ],
  ])('%s: not synced, then resumed from the last event without a list', async (_, watch) => {
    const { reflector, clock, asked, reported } = await reflecting(watch);
    await until(() => reported.includes('+b'));
    await until(() => !reflector.synced, 'that it knows');
    await clock.advance(800);
    await until(() => reported.filter((word) => word === '+b').length === 2);
    await clock.advance(100);
    expect([reflector.synced, asked(), reflector.version]).toEqual([true, ['list', 'watch 5', 'watch 6'], 6]);
  });

  test('silence: not synced within a minute, then resumed (W07)', async () => {
    const { reflector, clock, asked, reported } = await reflecting((response, _, index) =>
      response.write(index === 0 ? added('b', '6') : added('c', '7')),
    );
    await until(() => reported.includes('+b'));
    await clock.advance(48_000);
    expect(reflector.synced).toBe(false);
    await clock.advance(800);
    await until(() => reported.includes('+c'));
    await clock.advance(100);
    expect([reflector.synced, asked(), clock.now() < 60_000]).toEqual([
      true,
      ['list', 'watch 5', 'watch 6'],
      true,
    ]);
  });

  test('the ordinary end of a watch is no gap', async () => {
    let end = open;
    const { reflector, clock, asked, reported } = await reflecting((response, _, index) => {
      response.write(added(`b${index}`, String(6 + index)));
      end = () => response.end();
    });
    for (const round of [0, 1, 2]) {
      await until(() => reported.includes(`+b${round}`));
      await clock.advance(40_000);
      expect(reflector.synced).toBe(true);
      end();
    }
    await until(() => reported.includes('+b3'));
    expect([asked(), reflector.syncedSince]).toEqual([
      ['list', 'watch 5', 'watch 6', 'watch 7', 'watch 8'],
      0,
    ]);
  });

  test('a server that closes every watch at once is not called in a loop', async () => {
    const { clock, asked } = await reflecting((response) => response.end());
    for (let tenths = 0; tenths < 300; tenths++) {
      await clock.advance(200);
      if (tenths % 20 === 0) await pause();
    }
    expect(asked().filter((word) => word === 'list')).toHaveLength(1);
    expect(asked().length).toBeGreaterThan(4);
    expect(asked().length).toBeLessThan(10);
  });

  test.each([410, 500])('ERROR %i in a watch is followed by a list', async (code) => {
    const { clock, asked, reported } = await reflecting(
      (response, _, index) => {
        if (index === 0) response.end(line('ERROR', statusBody(code, 'Expired')));
        else response.write(added('c', '9'));
      },
      (response, _, index) =>
        json(
          response,
          200,
          index === 0 ? listBody('5', [configMap('a', '4')]) : listBody('8', [configMap('b', '7')]),
        ),
    );
    await until(() => asked().length === 2);
    await pause();
    await clock.advance(800);
    await until(() => reported.includes('+c'));
    expect([reported, asked()]).toEqual([
      ['+a', 'synced', '+b', '-a', 'synced', '+c'],
      ['list', 'watch 5', 'list', 'watch 8'],
    ]);
  });

  test('pages are followed, and each item has the kind of the list', async () => {
    const { reported, asked, reflector } = await reflecting(open, (response, { url }) => {
      const isSecond = url.includes('continue=next');
      const metadata = { resourceVersion: '5', ...(isSecond ? {} : { continue: 'next' }) };
      const bare = { metadata: { name: isSecond ? 'b' : 'a', namespace: 'shop', resourceVersion: '4' } };
      json(response, 200, { kind: 'ConfigMapList', apiVersion: 'v1', metadata, items: [bare] });
    });
    await until(() => reported.includes('synced'));
    await until(() => asked().length === 3);
    expect([reported, asked()]).toEqual([
      ['+a', '+b', 'synced'],
      ['list', 'list', 'watch 5'],
    ]);
    expect([...reflector.values()].map(({ kind }) => kind)).toEqual(['ConfigMap', 'ConfigMap']);
  });
});

/** What is on its way over a socket arrives. */
async function pause(): Promise<void> {
  await new Promise((resolve) => void setTimeout(resolve, 30));
}
