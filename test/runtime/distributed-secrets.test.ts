import { afterEach, describe, expect, test } from 'vitest';
import { offComponents } from '../../runtime/components.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { listOf, objectOf, textOf } from '../../semantics/values/read.ts';
import { distribution, endSite, included, MINUTE, site } from './distribution-site.ts';

const { Secret } = resources;
afterEach(endSite);

const token = { kind: 'Secret', data: null, stringData: { token: 'päss' } };
const ENCODED = { token: Buffer.from('päss', 'utf8').toString('base64') };
const OFF =
  'it creates secrets, which is off in this installation: an administrator adds the component secrets of deploy/ (docs/install.md)';

const NO_COPIES = OFF.replace('secrets,', 'configmaps,').replace(
  'component secrets',
  'component distributions',
);

describe('a Secret', () => {
  test('is copied with the component, written as data, and not again (RD-30)', async () => {
    const it = await site({ namespaces: { a: {}, b: {} }, components: ['secrets'] });
    await it.create(distribution(included('a', 'b'), token));
    const copies = await it.copies(Secret);
    expect(copies.map(({ data, type }) => [data, type])).toEqual([
      [ENCODED, 'Opaque'],
      [ENCODED, 'Opaque'],
    ]);
    expect((await it.status()).counts).toBe('2/2/0');
    const before = it.writes.length;
    await it.clock.advance(60 * MINUTE);
    expect([it.writes.length, it.errors, it.denied]).toEqual([before, [], []]);
  });

  test('is reported without the component, and ConfigMaps are copied', async () => {
    const it = await site({
      namespaces: { a: {} },
      isOff: (component) => component === 'secrets',
    });
    await it.create(distribution(included('a'), token));
    await it.user.create(resources.ResourceDistribution, {
      ...distribution(included('a')),
      metadata: { name: 'other' },
    });
    await it.clock.advance(MINUTE);
    const { conditions } = await it.status();
    const [held] = conditions.filter(({ type }) => type === 'plan.kruise.io/Held');
    expect([held?.reason, held?.message]).toEqual(['ComponentOff', OFF]);
    expect(await it.copies(Secret)).toEqual([]);
    expect(await it.data()).toEqual({ a: { color: 'red' } });
    expect([it.errors, it.denied]).toEqual([[], []]);
  });

  test('needs that component alone: without the other one ConfigMaps are reported', async () => {
    const it = await site({
      namespaces: { a: {} },
      components: ['secrets'],
      isOff: (component) => component === 'distributions',
    });
    await it.create(distribution(included('a')));
    await it.user.create(resources.ResourceDistribution, {
      ...distribution(included('a'), token),
      metadata: { name: 'other' },
    });
    await it.clock.advance(MINUTE);
    const { conditions } = await it.status();
    const [held] = conditions.filter(({ type }) => type === 'plan.kruise.io/Held');
    expect([held?.reason, held?.message]).toEqual(['ComponentOff', NO_COPIES]);
    expect([(await it.copies()).length, (await it.copies(Secret)).length]).toEqual([0, 1]);
    expect([it.errors, it.denied]).toEqual([[], []]);
  });

  test('names the component whose rights are missing', async () => {
    const lackingOf = (rights: readonly { verb: string; resource: { plural: string } }[]) =>
      Promise.resolve(rights.filter(({ resource }) => resource.plural === 'secrets') as never);
    const off = await offComponents({ namespace: undefined, lease: undefined }, lackingOf);
    expect(off.map(({ component, text }) => `${component}: ${text}`)).toEqual([
      'secrets: off (component secrets): no ResourceDistribution creates secrets: the runtime may not list, watch, create, patch and delete secrets in the cluster',
    ]);
  });
});

test('without the rights that stand for its gate nothing is copied, whatever is created (RD-1)', async () => {
  const isOff = (component: string): boolean => ['distributions', 'secrets'].includes(component);
  const it = await site({ namespaces: { a: {} }, isOff });
  await it.create(distribution(included('a')));
  await it.user.create(resources.ResourceDistribution, {
    ...distribution(included('a'), token),
    metadata: { name: 'other' },
  });
  await it.clock.advance(10 * MINUTE);
  const { items } = await it.user.list(resources.ResourceDistribution);
  expect(items.map(heldOf)).toEqual([`ComponentOff: ${OFF}`, `ComponentOff: ${NO_COPIES}`]);
  expect([await it.copies(), await it.copies(Secret), it.errors, it.denied]).toEqual([[], [], [], []]);
});

function heldOf({ status }: KubeObject): string {
  const held = listOf(objectOf(status)['conditions']).find(({ type }) => type === 'plan.kruise.io/Held');
  return `${textOf(held?.['reason'])}: ${textOf(held?.['message'])}`;
}

/** A server that refuses the creation of ConfigMaps in a namespace. */
function refusing(namespace: string, isOn: () => boolean): (cluster: Cluster) => Cluster {
  return (cluster) => ({
    ...cluster,
    create: (resource, object, options) =>
      isOn() && resource.plural === 'configmaps' && object.metadata.namespace === namespace
        ? Promise.reject(new ApiError({ code: 403, reason: 'Forbidden', message: 'exceeded quota: small' }))
        : cluster.create(resource, object, options),
  });
}

test('a quota in one namespace is reported, and the others get their copy in the same reconcile (RD-23)', async () => {
  let isOn = true;
  const names = ['a', 'b', 'c', 'd', 'e'];
  const it = await site({
    namespaces: Object.fromEntries(names.map((name) => [name, {}])),
    wrap: refusing('a', () => isOn),
  });
  await it.create(distribution(included(...names)));
  expect(Object.keys(await it.data())).toEqual(['b', 'c', 'd', 'e']);
  const times = (await it.copies()).map(({ metadata }) => metadata.creationTimestamp);
  expect(new Set(times).size).toBe(1);
  expect([(await it.status()).counts, await it.failures()]).toEqual(['5/4/1', ['CreateResourceFailed: a']]);
  const { conditions } = await it.status();
  expect(conditions[1]?.reason).toBe('exceeded quota: small');
  await it.restart();
  expect(await it.failures()).toEqual(['CreateResourceFailed: a']);
  isOn = false;
  await it.clock.advance(2 * MINUTE);
  expect([(await it.status()).counts, await it.failures()]).toEqual(['5/5/0', []]);
});
