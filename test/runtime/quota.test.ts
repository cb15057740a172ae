import { expect, test } from 'vitest';
import { web } from '../stories/manifests.ts';
import { createStoryCluster, type StoryCluster } from '../stories/stage.ts';
import { held, MANIFEST, settled, shown } from '../stories/story.ts';
import { quotas } from '../fixtures/quotas.ts';

const at = { namespace: 'shop', name: 'team' };

async function ready(stage: StoryCluster): Promise<number> {
  const pods = await stage.pods();
  return pods.filter(
    ({ status }) =>
      status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true,
  ).length;
}

test('a rollout that exceeds a ResourceQuota is held with that reason, and continues when the quota allows it', async () => {
  const parts = { replicas: 3, maxUnavailable: 0, maxSurge: 1 };
  const stage = await createStoryCluster({ files: { [MANIFEST]: web(parts) } });
  await settled(stage);
  await stage.user.create(quotas, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: at,
    spec: { hard: { pods: '3' } },
  });
  await stage.run(1000);
  await stage.commit('log more', { [MANIFEST]: web({ ...parts, env: 'debug' }) });
  await stage.sync();
  await stage.run(600_000);
  expect(await shown(stage)).toMatchObject({ phase: 'Running', waitingOn: 'NoCapacity' });
  expect(await held(stage)).toMatch(
    /^NoCapacity: .*pods "web-\w{5}" is forbidden: exceeded quota: team, requested: pods=1, used: pods=3, limited: pods=3/,
  );
  expect(await ready(stage)).toBe(3);
  await stage.user.patch(quotas, at, { type: 'merge', body: { spec: { hard: { pods: '4' } } } });
  await stage.until('Succeeded');
  await stage.run(60_000);
  expect(await ready(stage)).toBe(3);
  const { status } = await stage.user.get(quotas, at);
  expect(status).toEqual({ hard: { pods: '4' }, used: { pods: '3' } });
  await stage.stop();
});
