import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { sendEvents } from '../../runtime/report/events.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';

const clock = createVirtualClock(Date.UTC(2026, 0, 1));
const about: KubeObject = {
  apiVersion: 'apps.kruise.io/v1alpha1',
  kind: 'CloneSet',
  metadata: { name: 'web', namespace: 'shop', uid: 'u' },
};
const event = { type: 'Warning', reason: 'FailedCreate', message: 'no' } as const;

/** The greatest count that an Event can have. */
const MOST = 2 ** 31 - 1;

/** A client that notes each call and how it ended. */
function noted(cluster: Cluster, calls: string[]): Cluster {
  const note = async <T>(verb: string, call: Promise<T>): Promise<T> => {
    try {
      const answer = await call;
      calls.push(verb);
      return answer;
    } catch (error) {
      calls.push(`${verb} ${error instanceof ApiError ? error.status.code : ''}`);
      throw error;
    }
  };
  return {
    ...cluster,
    create: (...args) => note('create', cluster.create(...args)),
    get: (...args) => note('get', cluster.get(...args)),
    patch: (...args) => note('patch', cluster.patch(...args)),
  };
}

function begin() {
  const world = createWorld({ clock, namespaces: ['shop'], nodes: 0 });
  const counts = (): unknown[] =>
    world.server.list('admin', resources.Event).items.map((each) => each['count']);
  const client = (calls: string[]): Cluster => noted(world.cluster('kruise'), calls);
  return { world, counts, client };
}

test('the same Event is counted by one patch a minute, and no create is refused', async () => {
  const { world, counts, client } = begin();
  const calls: string[] = [];
  const cluster = client(calls);
  for (let n = 0; n < 4; n += 1) {
    await sendEvents(cluster, about, [event], clock.now());
    await clock.advance(10_000);
  }
  expect(calls).toEqual(['create']);
  await clock.advance(20_000);
  await sendEvents(cluster, about, [event], clock.now());
  expect(calls).toEqual(['create', 'patch']);
  expect(counts()).toEqual([5]);
  // Another text is another Event.
  await sendEvents(cluster, about, [{ ...event, message: 'never' }], clock.now());
  expect(calls.at(-1)).toBe('create');
  world.stop();
});

test('an Event that the server has deleted is created again', async () => {
  const { world, counts, client } = begin();
  const calls: string[] = [];
  const cluster = client(calls);
  await sendEvents(cluster, about, [event], clock.now());
  const [stored] = world.server.list('admin', resources.Event).items;
  await world
    .cluster('admin')
    .delete(resources.Event, { namespace: 'shop', name: stored?.metadata.name ?? '' }, {});
  await clock.advance(60_000);
  await sendEvents(cluster, about, [event], clock.now());
  expect(calls).toEqual(['create', 'patch 404', 'create']);
  expect(counts()).toEqual([1]);
  world.stop();
});

test('that of a process before is counted on, but for what it repeats within a minute of it', async () => {
  const { world, counts, client } = begin();
  await sendEvents(client([]), about, [event], clock.now());
  const calls: string[] = [];
  const cluster = client(calls);
  await clock.advance(10_000);
  await sendEvents(cluster, about, [event], clock.now());
  expect(calls).toEqual(['create 409', 'get']);
  expect(counts()).toEqual([1]);
  await clock.advance(60_000);
  await sendEvents(cluster, about, [event], clock.now());
  expect(calls.slice(2)).toEqual(['patch']);
  expect(counts()).toEqual([2]);
  world.stop();
});

test('where processes lead by turns, the count never falls', async () => {
  const { world, counts, client } = begin();
  const calls: Record<string, string[]> = { a: [], b: [] };
  const [a, b] = [client(calls['a'] ?? []), client(calls['b'] ?? [])];
  const send = async (cluster: Cluster): Promise<unknown> => {
    await sendEvents(cluster, about, [event], clock.now());
    await clock.advance(60_000);
    return counts()[0];
  };
  const seen: unknown[] = [];
  for (const each of [a, b, b, b, a, a, b]) seen.push(await send(each));
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7]);
  // What another one has written costs one call more than what is its own.
  expect(calls).toEqual({
    a: ['create', 'patch 409', 'get', 'patch', 'patch'],
    b: ['create 409', 'get', 'patch', 'patch', 'patch', 'patch 409', 'get', 'patch'],
  });
  world.stop();
});

test('a refused Event is dropped, and forgotten', async () => {
  const { world, client } = begin();
  const calls: string[] = [];
  const cluster = client(calls);
  const elsewhere = { ...about, metadata: { ...about.metadata, namespace: 'nowhere' } };
  await sendEvents(cluster, elsewhere, [event], clock.now());
  await sendEvents(cluster, elsewhere, [event], clock.now());
  expect(calls).toEqual(['create 404', 'create 404']);
  world.stop();
});

test('where the answers to patches are lost, nothing is counted twice', async () => {
  const { world, counts, client } = begin();
  const own = client([]);
  const cluster: Cluster = {
    ...own,
    async patch(...args) {
      await own.patch(...args);
      throw new ApiError({ code: 504, reason: 'Timeout', message: 'the request timed out' });
    },
  };
  for (let sends = 1; sends <= 20; sends += 1) {
    await sendEvents(cluster, about, [event], clock.now());
    expect(counts()[0]).toBeLessThanOrEqual(sends);
    await clock.advance(20_000);
  }
  world.stop();
});

test.each([
  ['the greatest', MOST, MOST],
  ['none', undefined, 2],
])('a count of another one that is %s is one patch a minute', async (_title, foreign, then) => {
  const { world, counts, client } = begin();
  const calls: string[] = [];
  await sendEvents(client([]), about, [event], clock.now());
  const [stored] = world.server.list('admin', resources.Event).items;
  const at = { namespace: 'shop', name: stored?.metadata.name ?? '' };
  const body = { count: foreign ?? null };
  await world.cluster('admin').patch(resources.Event, at, { type: 'merge', body });
  await clock.advance(60_000);
  const cluster = client(calls);
  for (let n = 0; n < 3; n += 1) await sendEvents(cluster, about, [event], clock.now());
  expect(calls).toEqual(['create 409', 'get', 'patch']);
  expect(counts()).toEqual([then]);
  world.stop();
});
