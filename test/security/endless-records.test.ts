import { afterEach, expect, test } from 'vitest';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { cloneSet, createTestCluster, type TestCluster } from '../runtime/stage.ts';

let stage: TestCluster;
afterEach(() => stage.stop());

/** Each revision is stored with another template, as a webhook of somebody else may change it. */
const altered = (cluster: Cluster): Cluster => ({
  ...cluster,
  create: (resource, body, options) =>
    cluster.create(
      resource,
      resource.kind === 'ControllerRevision'
        ? { ...body, data: { spec: { template: { metadata: { labels: { app: 'other' } } } } } }
        : body,
      options,
    ),
});

test('revisions that are never found again hold their target, and are not created without an end', async () => {
  stage = await createTestCluster(cloneSet('web', 'web:1', { replicas: 1 }), { wrap: altered });
  await stage.clock.advance(20_000);
  const { items } = await stage.user.list(resources.ControllerRevision, { namespace: 'shop' });
  // 50 in a row, and one that the pause of the queue lets through.
  expect(items.length).toBeLessThanOrEqual(52);
  const target = await stage.user.get(resources.CloneSet, { namespace: 'shop', name: 'web' });
  expect(JSON.stringify(target?.['status'])).toContain('50 records in a row changed nothing');
});

test('a target goes on after its revisions were refused for hours', async () => {
  let isRefused = false;
  let refused = 0;
  const refusing = (cluster: Cluster): Cluster => ({
    ...cluster,
    create: async (resource, ...rest) => {
      if (!isRefused || resource.kind !== 'ControllerRevision') return cluster.create(resource, ...rest);
      refused += 1;
      throw new ApiError({ code: 500, reason: 'InternalError', message: 'failed calling webhook' });
    },
  });
  stage = await createTestCluster(cloneSet('web', 'web:1', { replicas: 1 }), { wrap: refusing });
  isRefused = true;
  await stage.change('web:2');
  await stage.clock.advance(2 * 3_600_000);
  expect(refused).toBeGreaterThan(60);
  isRefused = false;
  await stage.until('Succeeded');
});

test.each([
  ['when git changes it', 2 * 60_000],
  ['an hour later', 62 * 60_000],
])('a target that was held for its records is tried again %s', async (when, wait) => {
  let isAltered = true;
  const wrap = (cluster: Cluster): Cluster => {
    const other = altered(cluster);
    return { ...cluster, create: async (...asked) => (isAltered ? other : cluster).create(...asked) };
  };
  stage = await createTestCluster(cloneSet('web', 'web:1', { replicas: 1 }), { wrap });
  await stage.clock.advance(20_000);
  isAltered = false;
  if (when.includes('git')) await stage.change('web:2', false);
  await stage.clock.advance(wait);
  expect(JSON.stringify((await stage.target())['status'])).not.toContain('records in a row');
});

test('a state that was recorded too often in a row is recorded once a minute', async () => {
  let isIgnored = false;
  let ignored = 0;
  const wrap = (cluster: Cluster): Cluster => ({
    ...cluster,
    patch: async (resource, key, patch, options) => {
      if (!isIgnored || resource.kind !== 'ControllerRevision')
        return cluster.patch(resource, key, patch, options);
      ignored += 1;
      return cluster.get(resource, key);
    },
  });
  stage = await createTestCluster(cloneSet('web', 'web:1', { replicas: 1 }), { wrap });
  await stage.clock.advance(20_000);
  isIgnored = true;
  await stage.change('web:2');
  await stage.clock.advance(30_000);
  const inARow = ignored;
  expect(inARow).toBeGreaterThanOrEqual(50);
  await stage.clock.advance(10 * 60_000);
  // A record may take two requests.
  expect(ignored - inARow).toBeGreaterThan(5);
  expect(ignored - inARow).toBeLessThan(25);
  expect(JSON.stringify((await stage.target())['status'])).toContain('a minute after the last');
  isIgnored = false;
  await stage.clock.advance(62_000);
  await stage.until('Succeeded');
});
