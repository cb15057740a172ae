import { afterEach, expect, test } from 'vitest';
import { condition } from '../../semantics/pod/readiness.ts';
import { deployments } from '../../semantics/sidecarset/deployments.ts';
import { sidecarSets } from '../../semantics/sidecarset/resource.ts';
import { type SidecarWorld, sidecarWorld } from './sidecar-world.ts';

let scene: SidecarWorld | undefined;
afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

const UNLIMITED = { updateStrategy: { maxUnavailable: '100%' } };

async function down(): Promise<number> {
  const pods = (await scene?.pods()) ?? [];
  return pods.filter((pod) => condition(pod, 'Ready')?.status !== 'True').length;
}

/** How many of eight pods of a Deployment are not ready at most, while a sidecar is updated. */
async function mostAtOnce(maxUnavailable: number | string): Promise<number> {
  scene = await sidecarWorld({ policy: 'Auto' });
  const { user, clock } = scene;
  await scene.set('log:1', undefined, UNLIMITED);
  await scene.deployment('web', 8);
  const at = { namespace: 'shop', name: 'web' };
  const body = { spec: { strategy: { rollingUpdate: { maxUnavailable } } } };
  await user.patch(deployments, at, { type: 'merge', body });
  await clock.advance(60_000);
  const spec = { containers: [{ name: 'log', image: 'log:2' }] };
  await user.patch(sidecarSets, { name: 'log' }, { type: 'merge', body: { spec } });
  let most = 0;
  const end = clock.now() + 600_000;
  while ((await scene.images())['log:2'] !== 8 || (await down()) > 0) {
    if (clock.now() > end) throw new Error(JSON.stringify(await scene.images()));
    await clock.advance(50);
    most = Math.max(most, await down());
  }
  return most;
}

test.each([
  [1, 1],
  [4, 4],
  ['75%', 6],
  [0, 1],
])('a Deployment with maxUnavailable %s has %i of 8 pods updated at a time', async (written, most) => {
  expect(await mostAtOnce(written)).toBe(most);
});
