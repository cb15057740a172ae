import { expect, test } from 'vitest';
import { writeStatus } from '../../runtime/report/status.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';

const { PodDisruptionBudget } = resources;

test('an entry that is no longer wanted is removed from an object within a status', async () => {
  const at = { namespace: 'shop', name: 'web' };
  const user = createWorld({ clock: createVirtualClock(0), namespaces: ['shop'] }).cluster('user');
  await user.create(PodDisruptionBudget, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: at,
    spec: { maxUnavailable: 1, selector: {} },
  });
  const written = async (disruptedPods: Record<string, string>) => {
    const object = await user.get(PodDisruptionBudget, at);
    const counts = { currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0, expectedPods: 1 };
    await writeStatus(user, PodDisruptionBudget, object, { ...counts, disruptedPods }, 'kruise');
    const { status } = (await user.get(PodDisruptionBudget, at)) as { status?: { disruptedPods?: object } };
    return status?.disruptedPods;
  };
  const [early, late] = ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'];
  expect(await written({ a: early, b: early })).toEqual({ a: early, b: early });
  expect(await written({ b: late, c: late })).toEqual({ b: late, c: late });
});
