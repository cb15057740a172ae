import { afterEach, describe, expect, test } from 'vitest';
import { limitsFor } from '../../runtime/observe/retention.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { listOf } from '../../semantics/values/read.ts';
import { cloneSet } from './stage.ts';
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

describe('one whose labels are too large, too, where a set selects pods without a label', () => {
  const labels = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`label-${i}`, 'x'.repeat(60)]));
  const spec = { selector: { matchExpressions: [{ key: 'plain', operator: 'DoesNotExist' }] } };
  const started = async (): Promise<SidecarWorld> => {
    const retention = { ...limitsFor(384 * KIB * KIB), object: 16 * KIB };
    scene = await sidecarWorld({
      policy: 'Auto',
      start: (options) => createRuntime({ ...options, retention }),
    });
    return scene;
  };
  const reasonOf = async (cluster: SidecarWorld): Promise<unknown> => {
    await cluster.clock.advance(60_000);
    expect(cluster.errors).toEqual([]);
    return listOf((await cluster.status())['conditions'])[0]?.['reason'];
  };

  test('is counted', async () => {
    const cluster = await started();
    await cluster.set('log:1', undefined, spec);
    await cluster.bare('large', 'shop');
    await cluster.label('large', labels);
    expect(await reasonOf(cluster)).toBe('TooLarge');
  });

  test('is counted where it was too large for its owner before', async () => {
    const cluster = await started();
    await cluster.user.create(resources.CloneSet, cloneSet('web', 'main:1', { replicas: 1 }));
    await cluster.clock.advance(60_000);
    const [pod] = await cluster.pods();
    await cluster.label(pod?.metadata.name ?? '', labels);
    await cluster.clock.advance(60_000);
    await cluster.set('log:1', undefined, spec);
    expect(await reasonOf(cluster)).toBe('TooLarge');
  });
});
