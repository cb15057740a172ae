import { expect, test } from 'vitest';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import { cloneSet, createTestCluster } from './stage.ts';

const GRACE_SECONDS = 5;

/** One patch that sets the image of a pod is refused as a conflict, though nothing has changed. */
function refusing() {
  const refused: string[] = [];
  const wrap = (cluster: Cluster): Cluster => ({
    ...cluster,
    patch(resource, at, ...rest) {
      const setsImage = resource.plural === 'pods' && JSON.stringify(rest[0].body).includes('web:2');
      if (!setsImage || refused.length > 0) return cluster.patch(resource, at, ...rest);
      refused.push(at.name);
      throw new ApiError({ code: 409, reason: 'Conflict', message: 'the object has been modified' });
    },
  });
  return { wrap, refused };
}

test('a write that ends with a conflict without a change is retried a second later', async () => {
  const { wrap, refused } = refusing();
  // The image is set when the grace is over: no watch event and no write of a status comes with it.
  const inPlaceUpdateStrategy = { gracePeriodSeconds: GRACE_SECONDS };
  const stage = await createTestCluster(
    cloneSet('web', 'web:1', { replicas: 1 }, { inPlaceUpdateStrategy }),
    {
      wrap,
    },
  );
  const began = stage.clock.now();
  await stage.change('web:2', {});
  await stage.clock.runUntil(() => refused.length > 0, { what: 'the conflict', limitMs: 60_000 });
  expect(stage.clock.now() - began).toBeGreaterThanOrEqual(GRACE_SECONDS * 1000);
  await stage.clock.advance(2_000);
  expect(await stage.images()).toEqual({ 'web:2': 1 });
  await stage.until('Succeeded', 30_000);
  expect(stage.errors).toEqual([]);
  await stage.stop();
});

test('a status that ends with a conflict without a change is written a second later', async () => {
  const refused = new Set<string>();
  const wrap = (cluster: Cluster): Cluster => ({
    ...cluster,
    patch(resource, at, patch, options) {
      const text = JSON.stringify(patch.body);
      if (options?.subresource !== 'status' || resource.plural === 'pods' || refused.has(text))
        return cluster.patch(resource, at, patch, options);
      refused.add(text);
      throw new ApiError({ code: 409, reason: 'Conflict', message: 'the object has been modified' });
    },
  });
  const stage = await createTestCluster(cloneSet('web', 'web:1', { replicas: 1 }), { wrap });
  await stage.change('web:2', {});
  await stage.clock.runUntil(() => [...refused].some((text) => text.includes('Succeeded')), {
    what: 'the conflict',
    limitMs: 60_000,
  });
  await stage.until('Succeeded', 2_000);
  expect(stage.errors).toEqual([]);
  await stage.stop();
});
