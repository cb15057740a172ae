import { expect, test } from 'vitest';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import { cloneSet, createTestCluster } from './stage.ts';

const SOAK_MS = 60_000;

/** The record that a soak has ended is refused once. */
function refusing(code: number, reason: string) {
  const refused: string[] = [];
  const wrap = (cluster: Cluster): Cluster => ({
    ...cluster,
    patch(resource, at, ...rest) {
      const ends = JSON.stringify(rest[0].body).includes(String.raw`\"phase\":\"AwaitingApproval\"`);
      if (resource.plural !== 'controllerrevisions' || !ends || refused.length > 0)
        return cluster.patch(resource, at, ...rest);
      refused.push(at.name);
      throw new ApiError({ code, reason, message: 'refused' });
    },
  });
  return { wrap, refused };
}

test.each([
  [409, 'Conflict'],
  [429, 'TooManyRequests'],
])('the time of a soak counts although the record of its end is refused with %s', async (code, reason) => {
  const { wrap, refused } = refusing(code, reason);
  const stage = await createTestCluster(cloneSet('web', 'web:1'), { wrap });
  await stage.change('web:2', {
    steps: [
      { id: 'one', update: { to: 1 } },
      { id: 'soak', soak: { for: '1m' } },
      { id: 'ok', approve: {} },
      { id: 'all', update: { to: '100%' } },
    ],
  });
  await stage.until('Soaking');
  const began = stage.clock.now();
  await stage.until('AwaitingApproval');
  expect(refused).toHaveLength(1);
  expect(stage.clock.now() - began).toBeLessThan(SOAK_MS + 3_000);
  await stage.stop();
});
