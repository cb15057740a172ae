import { afterEach, expect, test } from 'vitest';
import { limitsFor } from '../../runtime/observe/retention.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { listOf } from '../../semantics/values/read.ts';
import { type SidecarWorld, sidecarWorld } from './sidecar-world.ts';

const KIB = 1024;

let scene: SidecarWorld | undefined;
afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

test('a pod of another owner that is too large to be cached is counted as missed, and says why', async () => {
  const retention = { ...limitsFor(384 * KIB * KIB), object: 128 * KIB };
  const cluster = (scene = await sidecarWorld({
    policy: 'Auto',
    start: (options) => createRuntime({ ...options, retention }),
  }));
  await cluster.set('log:1');
  await cluster.bare('small');
  await cluster.bare('large', 'shop', { note: 'x'.repeat(100 * KIB) });
  const condition = async () => listOf((await cluster.status())['conditions'])[0];
  expect(await cluster.status()).toMatchObject({ matchedPods: 1 });
  expect(await condition()).toMatchObject({
    type: 'plan.kruise.io/PodsMissed',
    reason: 'TooLarge',
    message: expect.stringMatching(
      /^1 pod that the set selects is too large to be read, such as shop\/large: /,
    ) as string,
  });
  await cluster.set('log:2', undefined, { injectionStrategy: { paused: true } });
  await cluster.clock.advance(60_000);
  expect(await cluster.images()).toEqual({ 'log:1': 1, 'log:2': 1 });
  // No new pod is injected, and this one may have been before.
  expect(await condition()).toMatchObject({ reason: 'TooLarge' });
  expect(cluster.errors).toEqual([]);
  const at = { namespace: 'shop', name: 'large' };
  await cluster.user.patch(resources.Pod, at, {
    type: 'merge',
    body: { metadata: { annotations: { note: 'short' } } },
  });
  await cluster.clock.advance(60_000);
  expect(await condition()).toBeUndefined();
  expect(await cluster.images()).toEqual({ 'log:2': 2 });
});
