import { describe, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import type { Node } from '../kinds/node.ts';
import { conditionOf, type Pod } from '../../schemas/pods/pod.ts';
import { main, pod, readPod, refusal, setImage, stage } from './world.ts';

const at = (name: string) => ({ namespace: 'default', name });

describe('failures', () => {
  test('a pull that fails is retried, and works once the image is there', async () => {
    const { alice, clock, world } = stage({ nodes: 1 });
    world.images.set('web:1', { pullError: true });
    await alice.create(resources.Pod, pod('a'));
    await clock.advance(60_000);
    const failing = await readPod(alice, 'a');
    expect(failing.status?.phase).toBe('Pending');
    world.images.set('web:1', {});
    await clock.advance(60_000);
    expect(conditionOf(await readPod(alice, 'a'), 'Ready')?.status).toBe('True');
  });

  test('a container that crashes waits longer each time: at once, 10 s, 20 s, … five minutes', async () => {
    const { alice, clock, world } = stage({ nodes: 1 });
    world.images.set('web:1', { crashAfterMs: 1000, pullMs: 0, startMs: 0 });
    await alice.create(resources.Pod, pod('a'));
    const starts: number[] = [];
    world.onCommit(({ object, at: time }) => {
      const status = (object as Pod).status?.containerStatuses?.[0];
      if (status?.state.running !== undefined && starts.length === status.restartCount) starts.push(time);
    });
    await clock.advance(2_000_000);
    const pauses = starts.slice(1).map((time, index) => (time - (starts[index] ?? 0)) / 1000 - 1);
    expect(pauses.slice(0, 9)).toEqual([0, 10, 20, 40, 80, 160, 300, 300, 300]);
    const crashed = await readPod(alice, 'a');
    expect(main(crashed)).toMatchObject({
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { exitCode: 1, reason: 'Error' } },
    });
    expect(main(crashed).state.waiting?.message).toMatch(
      /^back-off 5m0s restarting failed container=main pod=a_default\(/,
    );
    expect(crashed.status?.phase).toBe('Running');
  });

  test('a container that crashes twice stays up after that', async () => {
    const { alice, clock, world } = stage({ nodes: 1 });
    world.images.set('web:1', { crashAfterMs: 1000, times: 2 });
    await alice.create(resources.Pod, pod('a'));
    await clock.advance(60_000);
    expect(main(await readPod(alice, 'a'))).toMatchObject({ ready: true, restartCount: 2 });
  });

  const ends: [string, number, string, number][] = [
    ['Never', 0, 'Succeeded', 0],
    ['Never', 3, 'Failed', 0],
    ['OnFailure', 0, 'Succeeded', 0],
  ];
  test.each(ends)('restartPolicy %s, exit code %i: %s', async (restartPolicy, exitCode, phase, restarts) => {
    const { alice, clock, world } = stage({ nodes: 1 });
    world.images.set('job', { exitAfterMs: 1000, exitCode });
    await alice.create(resources.Pod, pod('a', 'job', { restartPolicy }));
    await clock.advance(60_000);
    const ended = await readPod(alice, 'a');
    expect(ended.status?.phase).toBe(phase);
    expect(main(ended).restartCount).toBe(restarts);
    expect(conditionOf(ended, 'Ready')?.reason).toBe(phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed');
  });
});

describe('deletion', () => {
  test('stops the containers, records Events, and removes the pod', async () => {
    const { alice, clock, world } = stage({ nodes: 1 });
    await alice.create(resources.Pod, pod('a'));
    await clock.advance(10_000);
    const events: string[] = [];
    world.onCommit(({ type, object }) => events.push(`${type} ${(object as Pod).status?.phase}`));
    await alice.delete(resources.Pod, at('a'));
    await clock.advance(999);
    expect(conditionOf(await readPod(alice, 'a'), 'Ready')?.status).toBe('True');
    await clock.advance(1);
    expect((await refusal(alice.get(resources.Pod, at('a')))).code).toBe(404);
    expect(events).toEqual(['MODIFIED Running', 'MODIFIED Succeeded', 'DELETED Succeeded']);
  });

  test('does not wait longer than the grace period', async () => {
    const { alice, clock, world } = stage({ nodes: 1 });
    world.images.set('web:1', { stopMs: 60_000 });
    await alice.create(resources.Pod, pod('a'));
    await clock.advance(10_000);
    await alice.delete(resources.Pod, at('a'), { gracePeriodSeconds: 7 });
    await clock.advance(6999);
    expect(await readPod(alice, 'a')).toBeDefined();
    await clock.advance(1);
    expect((await refusal(alice.get(resources.Pod, at('a')))).code).toBe(404);
  });

  test('in the middle of an image change, of a pull and of a back-off', async () => {
    const set = stage({ nodes: 1 });
    const { alice, clock, world } = set;
    world.images.set('crash', { crashAfterMs: 100 });
    world.images.set('slow', { pullMs: 1_000_000 });
    for (const [name, image] of [
      ['a', 'web:1'],
      ['b', 'slow'],
      ['c', 'crash'],
    ] as const)
      await alice.create(resources.Pod, pod(name, image));
    await clock.advance(10_000);
    await setImage(set, 'a', 'web:2');
    await clock.advance(500);
    for (const name of ['a', 'b', 'c']) await alice.delete(resources.Pod, at(name));
    await clock.advance(2000);
    expect((await alice.list(resources.Pod)).items).toEqual([]);
    await clock.advance(2_000_000);
    expect((await alice.list(resources.Pod)).items).toEqual([]);
  });

  test('waits for finalizers after the containers have stopped', async () => {
    const { alice, clock } = stage({ nodes: 1 });
    const body = pod('a');
    await alice.create(resources.Pod, { ...body, metadata: { ...body.metadata, finalizers: ['x/y'] } });
    await clock.advance(10_000);
    await alice.delete(resources.Pod, at('a'));
    await clock.advance(100_000);
    const kept = await readPod(alice, 'a');
    expect(kept.metadata.deletionGracePeriodSeconds).toBe(0);
    expect(kept.status?.phase).toBe('Succeeded');
    await alice.patch(resources.Pod, at('a'), { type: 'merge', body: { metadata: { finalizers: null } } });
    expect((await refusal(alice.get(resources.Pod, at('a')))).code).toBe(404);
  });
});

describe('a node that stops reporting', () => {
  test('keeps its pods terminating, is NotReady after a while, and catches up', async () => {
    const { alice, clock, world } = stage({ nodes: 1 });
    await alice.create(resources.Pod, pod('a'));
    await alice.create(resources.Pod, pod('b'));
    await clock.advance(10_000);
    world.nodes.stopKubelet('node-1');
    await alice.delete(resources.Pod, at('a'));
    await clock.advance(39_000);
    expect(conditionOf(await readPod(alice, 'b'), 'Ready')?.status).toBe('True');
    await clock.advance(1000);
    expect(conditionOf(await readPod(alice, 'b'), 'Ready')?.status).toBe('False');
    const node = await alice.get(resources.Node, { name: 'node-1' });
    expect((node as Node).status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('Unknown');
    await clock.advance(200_000);
    expect((await readPod(alice, 'a')).metadata.deletionTimestamp).toBeDefined();
    world.nodes.startKubelet('node-1');
    await clock.advance(2000);
    expect((await refusal(alice.get(resources.Pod, at('a')))).code).toBe(404);
    expect(conditionOf(await readPod(alice, 'b'), 'Ready')?.status).toBe('True');
  });
});
