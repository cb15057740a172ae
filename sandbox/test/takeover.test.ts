import { describe, expect, test } from 'vitest';
import { createVirtualClock } from '../clock/virtual.ts';
import { conditionOf } from '../../schemas/pods/pod.ts';
import type { Node } from '../kinds/node.ts';
import { createWorld } from '../world.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { main, pod, readPod, refusal, setImage, stage, type Stage } from './world.ts';

const at = (name: string) => ({ namespace: 'default', name });

/** Stops the world; another one starts `pauseMs` later with its state. */
function restart({ world, clock: stopped }: Stage, pauseMs = 0): Stage {
  const restored = world.state();
  world.stop();
  const clock = createVirtualClock(stopped.now() + pauseMs);
  const next = createWorld({ clock, crds: [], seed: 2, restored });
  return { clock, world: next, alice: next.cluster('alice') };
}

describe('a kubelet with existing pods', () => {
  test('leaves running pods unchanged, and writes nothing', async () => {
    const before = stage({ nodes: 1 });
    before.world.images.set('crash', { crashAfterMs: 1000, times: 2 });
    await before.alice.create(resources.Pod, pod('a'));
    await before.alice.create(resources.Pod, pod('b', 'crash'));
    await before.clock.advance(60_000);
    const [a, b] = [await readPod(before.alice, 'a'), await readPod(before.alice, 'b')];
    expect(main(b).restartCount).toBe(2);
    const after = restart(before, 5000);
    const requests = after.world.log.length;
    await after.clock.advance(600_000);
    expect(await readPod(after.alice, 'a')).toEqual(a);
    expect(await readPod(after.alice, 'b')).toEqual(b);
    expect(after.world.log.slice(requests).filter(({ user }) => user !== 'alice')).toEqual([]);
  });

  test('updates them in place: the same pod, one more restart', async () => {
    const before = stage({ nodes: 1 });
    await before.alice.create(resources.Pod, pod('a'));
    await before.clock.advance(10_000);
    const a = await readPod(before.alice, 'a');
    const after = restart(before);
    await setImage(after, 'a', 'web:2');
    await after.clock.advance(10_000);
    const updated = await readPod(after.alice, 'a');
    expect(main(updated)).toMatchObject({
      image: 'web:2',
      restartCount: 1,
      ready: true,
      lastState: { terminated: { containerID: main(a).containerID } },
    });
    expect(updated.status?.podIP).toBe(a.status?.podIP);
    expect(main(updated).containerID).not.toBe(main(a).containerID);
  });

  test.each([
    ['before its node', 50],
    ['while it pulls', 1000],
    ['while it starts', 2200],
    ['before it is ready', 2800],
  ])('goes on with one that was on its way: %s', async (_when, ms) => {
    const before = stage({ nodes: 1 });
    await before.alice.create(resources.Pod, pod('a'));
    await before.clock.advance(ms);
    const after = restart(before, 1000);
    await after.clock.advance(10_000);
    const up = await readPod(after.alice, 'a');
    expect(main(up)).toMatchObject({ ready: true, restartCount: 0 });
    expect(conditionOf(up, 'Ready')?.status).toBe('True');
  });

  test.each([
    ['while the old container stops', 500],
    ['while the new image is pulled', 2000],
    ['before the new container is ready', 3300],
  ])('goes on with a change of the image: %s', async (_when, ms) => {
    const before = stage({ nodes: 1 });
    await before.alice.create(resources.Pod, pod('a'));
    await before.clock.advance(10_000);
    await setImage(before, 'a', 'web:2');
    await before.clock.advance(ms);
    const after = restart(before);
    await after.clock.advance(10_000);
    expect(main(await readPod(after.alice, 'a'))).toMatchObject({
      image: 'web:2',
      ready: true,
      restartCount: 1,
    });
  });

  test('waits for the rest of a backoff', async () => {
    const before = stage({ nodes: 1 });
    before.world.images.set('web:1', { crashAfterMs: 1000, pullMs: 0, startMs: 0 });
    await before.alice.create(resources.Pod, pod('a'));
    // Crashes after 1.1, 2.1 and 13.1 s: then the backoff is 20 s.
    await before.clock.advance(20_000);
    expect(main(await readPod(before.alice, 'a')).state.waiting?.message).toMatch(/^back-off 20s/);
    const after = restart(before);
    after.world.images.set('web:1', { pullMs: 0, startMs: 0 });
    await after.clock.advance(12_900);
    expect(main(await readPod(after.alice, 'a')).state.waiting?.reason).toBe('CrashLoopBackOff');
    await after.clock.advance(1500);
    expect(main(await readPod(after.alice, 'a'))).toMatchObject({
      restartCount: 3,
      state: { running: { startedAt: '2026-01-01T12:00:33Z' } },
    });
  });

  test('finishes deletions, and init containers are not run twice', async () => {
    const before = stage({ nodes: 1 });
    before.world.images.set('setup', { exitAfterMs: 500 });
    const spec = { initContainers: [{ name: 'init', image: 'setup' }] };
    await before.alice.create(resources.Pod, pod('a', 'web:1', spec));
    await before.alice.create(resources.Pod, pod('b'));
    await before.clock.advance(20_000);
    await before.alice.delete(resources.Pod, at('b'));
    await before.clock.advance(500);
    const a = await readPod(before.alice, 'a');
    const after = restart(before);
    await after.clock.advance(10_000);
    expect(await readPod(after.alice, 'a')).toEqual(a);
    expect((await refusal(after.alice.get(resources.Pod, at('b')))).code).toBe(404);
  });

  test('a pod whose sidecar is in backoff is still Running', async () => {
    const before = stage({ nodes: 1 });
    before.world.images.set('side', { crashAfterMs: 3000, times: 2 });
    const initContainers = [{ name: 'side', image: 'side', restartPolicy: 'Always' }];
    await before.alice.create(resources.Pod, pod('a', 'web:1', { initContainers }));
    await before.clock.advance(12_000);
    const waiting = await readPod(before.alice, 'a');
    expect(waiting.status?.initContainerStatuses?.[0]?.state.waiting?.reason).toBe('CrashLoopBackOff');
    const after = restart(before);
    await after.clock.advance(1000);
    expect(await readPod(after.alice, 'a')).toEqual(waiting);
    await after.clock.advance(20_000);
    expect(conditionOf(await readPod(after.alice, 'a'), 'Ready')?.status).toBe('True');
  });

  test('knows the images that are there, and gives no address twice', async () => {
    const before = stage({ nodes: 1 });
    for (const name of ['a', 'b']) await before.alice.create(resources.Pod, pod(name));
    await before.clock.advance(10_000);
    const after = restart(before);
    await after.alice.create(resources.Pod, pod('c'));
    await after.clock.advance(1400);
    const c = await readPod(after.alice, 'c');
    expect(main(c).ready).toBe(true);
    expect(c.status?.podIP).toBe('10.128.0.3');
    after.world.nodes.add('node-2');
    expect(
      ((await after.alice.get(resources.Node, { name: 'node-2' })) as Node).status?.addresses?.[0]?.address,
    ).toBe('192.168.0.2');
  });

  test('is up again on a node that had been lost', async () => {
    const before = stage({ nodes: 1 });
    await before.alice.create(resources.Pod, pod('a'));
    await before.clock.advance(10_000);
    before.world.nodes.stopKubelet('node-1');
    await before.clock.advance(60_000);
    const after = restart(before);
    await after.clock.advance(2000);
    const node = (await after.alice.get(resources.Node, { name: 'node-1' })) as Node;
    expect(node.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
    expect(node.spec?.taints).toBeUndefined();
    expect(conditionOf(await readPod(after.alice, 'a'), 'Ready')?.status).toBe('True');
  });
});
