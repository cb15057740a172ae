import { afterEach, expect, test } from 'vitest';
import type { Cluster } from '../../schemas/wire/cluster.ts';
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
