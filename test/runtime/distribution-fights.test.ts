import { afterEach, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { distribution, endSite, included, MINUTE, site } from './distribution-site.ts';

const { ConfigMap } = resources;
const RED = { color: 'red' };
const GREEN = { color: 'green' };

afterEach(endSite);

const names = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `n${String(index).padStart(3, '0')}`);
const namespaces = (count: number) => Object.fromEntries(names(count).map((name) => [name, {}]));

test('however many copies cannot be updated, all others follow at once (RD-23, RD-24)', async () => {
  const it = await site({ namespaces: { ...namespaces(70), z: {} } });
  await it.create(distribution({ allNamespaces: true }));
  for (const namespace of names(70)) {
    const body = { immutable: true };
    await it.user.patch(ConfigMap, { namespace, name: 'settings' }, { type: 'merge', body });
  }
  await it.clock.advance(1000);
  const body = { spec: { resource: { data: GREEN } } };
  await it.user.patch(resources.ResourceDistribution, { name: 'shared' }, { type: 'merge', body });
  await it.clock.advance(1000);
  const data = await it.data();
  expect([data['n000'], data['n069'], data['z'], data['default']]).toEqual([RED, RED, GREEN, GREEN]);
  // Nor is each refusal of each retry an Event.
  await it.clock.advance(2 * MINUTE);
  expect((await it.status()).counts).toBe('72/2/70');
  const { items } = await it.user.list(resources.Event, {});
  expect(items.length).toBeLessThan(140);
});

const at = { namespace: 'a', name: 'settings' };
type Site = Awaited<ReturnType<typeof site>>;

/** What somebody does to the copy in namespace `a`, as often as it is there. */
const fights: Readonly<Record<string, (it: Site) => Promise<unknown>>> = {
  deletes: (it) => it.user.delete(ConfigMap, at),
  changes: (it) => it.user.patch(ConfigMap, at, { type: 'merge', body: { data: { color: 'blue' } } }),
  unlabels: (it) =>
    it.user.patch(ConfigMap, at, {
      type: 'merge',
      body: { metadata: { labels: { 'plan.kruise.io/distributed': null } } },
    }),
};

test.each(Object.entries(fights))(
  'whoever %s a copy in a loop is answered ever more slowly, and no other namespace is',
  async (_what, act) => {
    const it = await site({ namespaces: { a: {}, b: {} } });
    await it.create(distribution(included('a', 'b')));
    const before = it.writes.length;
    for (let second = 0; second < 120; second += 1) {
      await act(it).catch(() => {});
      await it.clock.advance(1000);
    }
    // Pauses of 1, 2, 4 … 64 s, each with at most two writes of the copy and two of the status.
    expect(it.writes.length - before).toBeLessThan(45);
    const other = { namespace: 'b', name: 'settings' };
    await it.user.delete(ConfigMap, other);
    await it.clock.advance(1000);
    expect((await it.data())['b']).toEqual(RED);
    // A change of the object itself is no answer to anybody.
    const body = { spec: { resource: { data: GREEN } } };
    await it.user.patch(resources.ResourceDistribution, { name: 'shared' }, { type: 'merge', body });
    await it.clock.advance(1000);
    expect(await it.data()).toEqual({ a: GREEN, b: GREEN });
    await it.clock.advance(10 * MINUTE);
    expect([(await it.status()).counts, await it.failures()]).toEqual(['2/2/0', []]);
  },
);

test('what waits for its pause is reported, and is written after it', async () => {
  const it = await site({ namespaces: { a: {}, b: {} } });
  await it.create(distribution(included('a', 'b')));
  for (let second = 0; second < 120; second += 1) {
    await it.user.delete(ConfigMap, at).catch(() => {});
    await it.clock.advance(1000);
  }
  expect([(await it.status()).counts, await it.failures()]).toEqual(['2/1/1', ['CreateResourceFailed: a']]);
  await it.clock.advance(5 * MINUTE);
  expect([(await it.status()).counts, await it.failures()]).toEqual(['2/2/0', []]);
});

test('a copy that somebody makes larger than the memory of one object fails its namespace alone', async () => {
  const it = await site({ namespaces: { a: {}, b: {} } });
  await it.create(distribution(included('a', 'b')));
  const keys = Array.from({ length: 25_000 }, (_, index) => [`key${index}`, '']);
  await it.edit('a', { data: Object.fromEntries(keys) });
  const body = { spec: { resource: { data: GREEN } } };
  await it.user.patch(resources.ResourceDistribution, { name: 'shared' }, { type: 'merge', body });
  await it.clock.advance(MINUTE);
  expect((await it.data())['b']).toEqual(GREEN);
  expect([(await it.status()).counts, await it.failures()]).toEqual(['2/1/1', ['UpdateResourceFailed: a']]);
  const before = it.writes.length;
  await it.clock.advance(30 * MINUTE);
  expect(it.writes.length).toBe(before);
  await it.remove(ConfigMap, at);
  expect([await it.data(), await it.failures()]).toEqual([{ a: GREEN, b: GREEN }, []]);
});
