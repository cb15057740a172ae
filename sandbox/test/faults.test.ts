import { expect, test } from 'vitest';
import { ApiError } from '../../schemas/wire/cluster.ts';
import { callText, coalesced, crashing, delayed, failing, isWrite, type Fate } from '../faults/index.ts';
import { configMap, configMaps, stage } from './world.ts';

const refused = () => new ApiError({ code: 409, reason: 'Conflict', message: 'try again' });
const at = { namespace: 'default', name: 'a' };

test('a failing client gets its error, and the server never sees the call', async () => {
  const { world, alice } = stage();
  const calls: string[] = [];
  const client = failing(alice, (call) => {
    calls.push(callText(call));
    return isWrite(call) ? refused() : undefined;
  });
  await expect(client.create(configMaps, configMap('a'))).rejects.toThrow('try again');
  expect((await client.list(configMaps)).items).toEqual([]);
  expect(calls).toEqual(['create configmaps/a', 'list configmaps']);
  expect(world.log.filter(({ user }) => user === 'alice').map(({ verb }) => verb)).toEqual(['list']);
});

test('a failing watch ends with its error, once and later than the call', async () => {
  const { alice } = stage();
  const ends: unknown[] = [];
  const sink = { onEvent: () => {}, onEnd: (error: unknown) => void ends.push(error) };
  const client = failing(alice, refused);
  client.watch(configMaps, { resourceVersion: '0' }, sink);
  client.watch(configMaps, { resourceVersion: '0' }, sink).stop();
  expect(ends).toEqual([]);
  await Promise.resolve();
  expect(ends).toEqual([refused()]);
});

test.each<[Fate, stored: string, before: boolean, after: boolean]>([
  ['unsent', 'a call that is not sent', false, false],
  ['unanswered', 'a call without its answer', true, true],
  [{ arrivesAfterMs: 5_000 }, 'a call in flight', false, true],
])(
  'a crash at %j: %s arrives at once %s, later %s, and nothing after it does',
  async (fate, ...[, now, later]) => {
    const { clock, alice } = stage();
    let crashes = 0;
    const client = crashing(
      alice,
      clock,
      (call) => (call.verb === 'create' ? fate : 'lives'),
      () => void (crashes += 1),
    );
    await client.list(configMaps);
    void client.create(configMaps, configMap('a'));
    void client.create(configMaps, configMap('b'));
    const names = async () => (await alice.list(configMaps)).items.map(({ metadata }) => metadata.name);
    await clock.settle();
    expect(await names()).toEqual(now ? ['a'] : []);
    await clock.advance(10_000);
    expect(await names()).toEqual(later ? ['a'] : []);
    expect(crashes).toBe(1);
  },
);

test('a delayed watch keeps its order; a coalesced one has the last state of each object', async () => {
  const { clock, alice } = stage();
  const events = { delayed: [] as string[], coalesced: [] as string[] };
  const clients = { delayed: delayed(alice, clock, () => 1_000), coalesced: coalesced(alice, clock, 500) };
  for (const name of ['delayed', 'coalesced'] as const)
    clients[name].watch(
      configMaps,
      { resourceVersion: '0' },
      {
        onEvent(event) {
          if (event.type === 'BOOKMARK') return;
          const { metadata, data } = event.object;
          events[name].push(`${event.type} ${metadata.name} ${JSON.stringify(data)}`);
        },
        onEnd: () => {},
      },
    );
  await clock.settle();
  await alice.create(configMaps, configMap('a', {}, { k: '1' }));
  await alice.patch(configMaps, at, { type: 'merge', body: { data: { k: '2' } } });
  await alice.create(configMaps, configMap('b', {}, { k: '1' }));
  await alice.delete(configMaps, { ...at, name: 'b' });
  await clock.advance(999);
  expect(events).toEqual({ delayed: [], coalesced: ['ADDED a {"k":"2"}'] });
  await clock.advance(1);
  expect(events.delayed).toEqual([
    'ADDED a {"k":"1"}',
    'MODIFIED a {"k":"2"}',
    'ADDED b {"k":"1"}',
    'DELETED b {"k":"1"}',
  ]);
});
