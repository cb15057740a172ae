import { afterEach, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { distribution, endSite, site } from './distribution-site.ts';

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
  await it.clock.advance(10 * 60_000);
  expect((await it.status()).counts).toBe('72/2/70');
  const { items } = await it.user.list(resources.Event, {});
  expect(items.length).toBeLessThan(140);
});
