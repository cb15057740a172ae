import { afterEach, expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { condition } from '../../semantics/pod/readiness.ts';
import { deployments } from '../../semantics/sidecarset/deployments.ts';
import { sidecarSets } from '../../semantics/sidecarset/resource.ts';
import { type SidecarWorld, sidecarWorld } from './sidecar-world.ts';

let scene: SidecarWorld | undefined;
afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

const replicaSets = { ...deployments, plural: 'replicasets', kind: 'ReplicaSet' };

const UNLIMITED = { updateStrategy: { maxUnavailable: '100%' } };

async function down(): Promise<number> {
  const pods = (await scene?.pods()) ?? [];
  return pods.filter((pod) => condition(pod, 'Ready')?.status !== 'True').length;
}

/** The lists of Deployments so far. */
const lists = (): number =>
  scene?.world.log.filter(
    ({ user, verb, resource }) => user === 'kruise' && verb === 'list' && resource === 'deployments',
  ).length ?? 0;

/** A ReplicaSet with a pod whose name and labels say that it is of a Deployment, which does not exist. */
async function madeUp(name: string): Promise<void> {
  const labels: JsonObject = { app: 'other', 'pod-template-hash': 'h' };
  await scene?.user.create(replicaSets, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: `${name}-h`, namespace: 'other' },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'main:1' }] } },
    },
  });
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

test('names that pods make up ask for no list, and hold up nothing', async () => {
  scene = await sidecarWorld({ policy: 'Auto' });
  const { user, clock } = scene;
  const selector = { matchExpressions: [{ key: 'app', operator: 'Exists' }] };
  await scene.set('log:1', undefined, { ...UNLIMITED, selector });
  await scene.deployment('web', 4);
  await clock.advance(60_000);
  const before = lists();
  expect(before).toBe(1);
  const spec = { containers: [{ name: 'log', image: 'log:2' }] };
  await user.patch(sidecarSets, { name: 'log' }, { type: 'merge', body: { spec } });
  for (let second = 0; second < 40; second++) {
    await madeUp(`x${second}`);
    // No list ends before the next name comes.
    await clock.advance(500);
  }
  const own = (await scene.pods()).filter(({ metadata }) => metadata.namespace === 'shop');
  const images = own.map((pod) => pod.spec.containers.find(({ name }) => name === 'log')?.image);
  expect(images).toEqual(['log:2', 'log:2', 'log:2', 'log:2']);
  expect(lists()).toBe(before);
});

test('a Deployment that is given more room lets more pods be updated at once', async () => {
  scene = await sidecarWorld({ policy: 'Auto' });
  const { user, clock } = scene;
  await scene.set('log:1', undefined, UNLIMITED);
  await scene.deployment('web', 4);
  await clock.advance(60_000);
  const at = { namespace: 'shop', name: 'web' };
  const body = { spec: { strategy: { rollingUpdate: { maxUnavailable: 4 } } } };
  await user.patch(deployments, at, { type: 'merge', body });
  await clock.advance(1_000);
  const spec = { containers: [{ name: 'log', image: 'log:2' }] };
  await user.patch(sidecarSets, { name: 'log' }, { type: 'merge', body: { spec } });
  await clock.advance(1_000);
  expect(await scene.images()).toEqual({ 'log:2': 4 });
});
