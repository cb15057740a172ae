import { afterEach, expect, test } from 'vitest';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { distribution, endSite, included, MINUTE, site } from './distribution-site.ts';

const { ConfigMap, ResourceDistribution } = resources;
const LABEL = 'plan.kruise.io/distributed';

afterEach(endSite);

/** A copy as OpenKruise made it. */
const old = (namespace: string, ownerReferences: OwnerReference[]): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', data: { color: 'old' } },
  metadata: { namespace, name: 'settings', ownerReferences },
});

/** A site with copies without a label where none is to be. Patches of labels fail as `fail` says. */
async function left(at: readonly string[], fail: (namespace: string) => Error | undefined) {
  const lists: (string | undefined)[] = [];
  const wrap = (cluster: Cluster): Cluster => ({
    ...cluster,
    async list(resource, options = {}) {
      if (options.labelSelector === `!${LABEL}`) lists.push(options.answer);
      return cluster.list(resource, options);
    },
    async patch(resource, key, patch, options) {
      const error = resource.plural === 'configmaps' ? fail(key.namespace ?? '') : undefined;
      if (error !== undefined) throw error;
      return cluster.patch(resource, key, patch, options);
    },
  });
  const it = await site({ namespaces: Object.fromEntries(['a', ...at].map((name) => [name, {}])), wrap });
  await it.create(distribution(included('a', ...at.slice(0, 1))));
  const [{ metadata: { ownerReferences = [] } } = { metadata: {} }] = await it.copies();
  for (const name of at.slice(1)) await it.user.create(ConfigMap, old(name, ownerReferences));
  lists.length = 0;
  await it.change({ targets: included('a') });
  return { ...it, lists };
}
const refusal = (code: number, reason: string): ApiError =>
  new ApiError({ code, reason, message: `no patch: ${reason}` });
const namespaces = async ({ data }: Pick<Awaited<ReturnType<typeof left>>, 'data'>): Promise<string> =>
  Object.keys(await data())
    .sort()
    .join(' ');

test('in a closed namespace stays, nothing is tried there, and the others go', async () => {
  const it = await left(['b', 'argocd', 'z'], () => undefined);
  expect(await namespaces(it)).toBe('a argocd');
  expect([(await it.status()).counts, await it.failures(), it.errors, it.denied]).toEqual([
    '1/1/0',
    [],
    [],
    [],
  ]);
  // Their content is not read, once for this generation.
  expect(it.lists).toEqual(['metadata']);
  await it.user.patch(
    ConfigMap,
    { namespace: 'argocd', name: 'settings' },
    {
      type: 'merge',
      body: { metadata: { labels: { [LABEL]: 'true' } } },
    },
  );
  await it.clock.advance(30 * MINUTE);
  expect([await it.failures(), it.errors, it.denied]).toEqual([[], [], []]);
});

test.each([
  ['refused', refusal(403, 'Forbidden'), 1],
  ['changed by somebody meanwhile', refusal(409, 'Conflict'), 0],
])(
  'whose label is %s is tried again a minute later, once a minute, and the others go',
  async (_how, error, reported) => {
    let isFailing = true;
    const it = await left(['b', 'm', 'z'], (namespace) =>
      namespace === 'm' && isFailing ? error : undefined,
    );
    await it.clock.settle();
    expect(await namespaces(it)).toBe('a m');
    const tried = it.lists.length;
    expect(it.errors.length).toBe(reported * tried);
    // What else is changed meanwhile brings no further list.
    for (let turn = 0; turn < 10; turn++) {
      const body = { metadata: { annotations: { turn: `${turn}` } } };
      await it.user.patch(ResourceDistribution, { name: 'shared' }, { type: 'merge', body });
      await it.clock.advance(1_000);
    }
    expect(it.lists.length).toBeLessThanOrEqual(tried + 1);
    isFailing = false;
    await it.clock.advance(2 * MINUTE);
    expect(await namespaces(it)).toBe('a');
    const done = it.lists.length;
    await it.clock.advance(30 * MINUTE);
    expect(it.lists.length).toBe(done);
  },
);

test('that are to stay are labelled, and changed to what is distributed, by one write each, and none is created', async () => {
  const writes: string[] = [];
  const wrap = (cluster: Cluster): Cluster => ({
    ...cluster,
    async create(resource, body, options) {
      if (resource === ConfigMap) writes.push(`create ${body.metadata.namespace}`);
      return cluster.create(resource, body, options);
    },
    async patch(resource, key, patch, options) {
      if (resource === ConfigMap) writes.push(`patch ${key.namespace}`);
      return cluster.patch(resource, key, patch, options);
    },
  });
  const names = ['a', 'b', 'c', 'd'];
  const it = await site({ namespaces: Object.fromEntries(names.map((name) => [name, {}])), wrap });
  await it.create(distribution(included('a')));
  const [{ metadata: { ownerReferences = [] } } = { metadata: {} }] = await it.copies();
  for (const name of names.slice(1)) await it.user.create(ConfigMap, old(name, ownerReferences));
  writes.length = 0;
  await it.change({ targets: included(...names) });
  expect(await namespaces(it)).toBe('a b c d');
  expect([(await it.status()).counts, it.errors, it.denied]).toEqual(['4/4/0', [], []]);
  expect([...writes].sort()).toEqual(['b', 'c', 'd'].flatMap((name) => [`patch ${name}`, `patch ${name}`]));
});
