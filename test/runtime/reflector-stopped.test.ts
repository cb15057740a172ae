import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { inNamespace } from '../../runtime/observe/one-namespace.ts';
import { createReflector } from '../../runtime/observe/reflector.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';

const SECOND = 1_000;

/** A reflector of so many ControllerRevisions whose requests take half a second each, and everything that it does. */
function slow(count: number) {
  const clock = createVirtualClock(0);
  const world = createWorld({ clock, namespaces: ['shop'] });
  const user = world.cluster('user');
  for (let index = 0; index < count; index++)
    world.server.create('user', resources.ControllerRevision, {
      ...{ apiVersion: 'apps/v1', kind: 'ControllerRevision', data: {}, revision: 1 },
      metadata: { name: `r${index}`, namespace: 'shop' },
    } satisfies KubeObject);
  const done: string[] = [];
  const answered = async (): Promise<void> => new Promise((resolve) => void clock.after(SECOND / 2, resolve));
  const cluster: Cluster = {
    ...user,
    async list(...args) {
      done.push('list');
      await answered();
      return user.list(...args);
    },
    async get(...args) {
      done.push('get');
      await answered();
      return user.get(...args);
    },
  };
  let isOpen = true;
  const reflector = createReflector({
    ...{ cluster, clock, resource: resources.ControllerRevision },
    transform: (object) => (isOpen ? object : undefined),
    tap: { isOpen: true, see: () => done.push('see'), settle: () => done.push('settle') },
    onListed: () => done.push('listed'),
    onChange: () => done.push('change'),
    onSync: () => done.push('sync'),
    onError: () => done.push('error'),
  });
  reflector.start();
  return { clock, reflector, done, open: (value: boolean) => (isOpen = value) };
}

test.each([0, 1, 150])('a list of %i objects that ends after the stop reports nothing', async (count) => {
  const { clock, reflector, done } = slow(count);
  reflector.stop();
  await clock.advance(60 * SECOND);
  expect([done, reflector.listed, [...reflector.values()]]).toEqual([['list'], 0, []]);
});

test('so does one that was stopped between two pages, which reads no further page', async () => {
  const { clock, reflector, done } = slow(250);
  await clock.advance(0.75 * SECOND);
  reflector.stop();
  await clock.advance(60 * SECOND);
  expect(done.filter((what) => what !== 'see')).toEqual(['list', 'list']);
  expect(done.filter((what) => what === 'see')).toHaveLength(100);
});

test('an object that is read until after the stop is not stored, and no list follows', async () => {
  const { clock, reflector, done, open } = slow(1);
  open(false);
  await clock.advance(2 * SECOND);
  open(true);
  done.length = 0;
  const shownBy: number[] = [];
  reflector.read({ namespace: 'shop', name: 'r0' }, (ordinal) => shownBy.push(ordinal));
  reflector.stop();
  await clock.advance(60 * SECOND);
  expect([done, [...reflector.values()]]).toEqual([['get'], []]);
  // It is not known.
  expect(shownBy).toEqual([2]);
});

test('once stopped, it lists no more for whoever asks', async () => {
  const { clock, reflector, done } = slow(1);
  await clock.advance(2 * SECOND);
  done.length = 0;
  reflector.stop();
  reflector.relist();
  reflector.listAgain();
  reflector.read({ namespace: 'shop', name: 'r0' }, () => {});
  await clock.advance(60 * SECOND);
  expect(done).toEqual([]);
});

test('the namespace itself is read no more once its watch is stopped by what it reports', async () => {
  const clock = createVirtualClock(0);
  const user = createWorld({ clock, namespaces: ['shop'] }).cluster('user');
  let reads = 0;
  const get: Cluster['get'] = async (...args) => {
    reads += 1;
    return user.get(...args);
  };
  const cluster = inNamespace({ ...user, get }, clock, 'shop');
  const sinks: (() => void)[] = [];
  const handle = cluster.watch(
    resources.Namespace,
    { resourceVersion: '0' },
    { onOpen: () => sinks.push(() => handle.stop()), onEvent: () => handle.stop(), onEnd: () => {} },
  );
  await clock.advance(300 * SECOND);
  expect(reads).toBe(1);
  const other = cluster.watch(
    resources.Namespace,
    { resourceVersion: '0' },
    { onOpen: () => other.stop(), onEvent: () => {}, onEnd: () => {} },
  );
  await clock.advance(300 * SECOND);
  expect(reads).toBe(1);
});
