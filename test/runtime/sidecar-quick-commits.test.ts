import { afterEach, expect, test } from 'vitest';
import { isReady } from '../../semantics/pod/readiness.ts';
import { type SidecarWorld, sidecarWorld } from './sidecar-world.ts';

const STEPS = [{ id: 'all', update: { to: '100%', window: { maxUnavailable: 1 } } }];
const IMAGES = ['log:2', 'log:3', 'log:4', 'log:5'];

let cluster: SidecarWorld;
afterEach(async () => {
  await cluster.stop();
});

/** No namespace has half of the pods, so that none counts only for where it is. */
async function threeNamespaces(): Promise<void> {
  cluster = await sidecarWorld();
  await cluster.set('log:1');
  for (const namespace of ['shop', 'other', 'default'])
    for (const name of ['a', 'b']) await cluster.bare(name, namespace);
  await cluster.recorded();
}

const unavailable = async (): Promise<number> => (await cluster.pods()).filter((pod) => !isReady(pod)).length;

/** The most pods that are out of service at once, while this time passes. */
async function mostUnavailable(seconds: number): Promise<number> {
  let most = 0;
  for (let at = 0; at < seconds; at++) {
    await cluster.clock.advance(1_000);
    most = Math.max(most, await unavailable());
  }
  return most;
}

test('a pod that an update has taken out of service counts with the next commits, too', async () => {
  await threeNamespaces();
  for (const image of IMAGES) cluster.world.images.set(image, { pullMs: 40_000 });
  let most = 0;
  for (const image of IMAGES) {
    await cluster.set(image, STEPS);
    most = Math.max(most, await mostUnavailable(10));
  }
  most = Math.max(most, await mostUnavailable(300));
  expect(most).toBe(1);
  expect(await cluster.images()).toEqual({ 'log:5': 6 });
});

test('broken commits, one after the other, break one pod', async () => {
  await threeNamespaces();
  for (const image of IMAGES) cluster.world.images.set(image, { neverReady: true });
  const most: number[] = [];
  for (const image of IMAGES) {
    await cluster.set(image, STEPS);
    most.push(await mostUnavailable(20));
  }
  expect(most).toEqual([1, 1, 1, 1]);
});
