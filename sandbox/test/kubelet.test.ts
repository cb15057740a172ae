import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { conditionOf } from '../../schemas/pods/pod.ts';
import { main, pod, readPod, setImage, stage, type Stage } from './world.ts';

const at = (name: string) => ({ namespace: 'default', name });

function statusWrites({ world }: Stage, name: string, user = 'system:node:'): number {
  return world.log.filter(
    (entry) => entry.user.startsWith(user) && entry.name === name && entry.subresource === 'status',
  ).length;
}

function setCondition({ alice }: Stage, name: string, type: string, status: string) {
  const body: JsonObject = { status: { conditions: [{ type, status }] } };
  return alice.patch(resources.Pod, at(name), { type: 'strategic', body }, { subresource: 'status' });
}

describe('start', () => {
  test('needs schedule, pull, start and ready times, and three status writes', async () => {
    const set = stage({ nodes: 1 });
    const { alice, clock } = set;
    await alice.create(resources.Pod, pod('a'));
    const story: string[] = [];
    for (const ms of [100, 2199, 1, 999, 1]) {
      await clock.advance(ms);
      const { status } = await readPod(alice, 'a');
      const state = Object.keys(status?.containerStatuses?.[0]?.state ?? {})[0] ?? 'unseen';
      const ready = status?.conditions?.find((each) => each.type === 'Ready')?.status;
      story.push(`${status?.phase} ${state} ${ready}`);
    }
    expect(story).toEqual([
      'Pending waiting False',
      'Pending waiting False',
      'Running running False',
      'Running running False',
      'Running running True',
    ]);
    expect(statusWrites(set, 'a')).toBe(3);
    const up = await readPod(alice, 'a');
    expect(up.status).toMatchObject({
      hostIP: '192.168.0.1',
      podIP: '10.128.0.1',
      startTime: '2026-01-01T12:00:00Z',
    });
    expect(main(up)).toMatchObject({
      image: 'web:1',
      ready: true,
      started: true,
      restartCount: 0,
      lastState: {},
    });
    expect(main(up).imageID).toMatch(/^web@sha256:[0-9a-f]{64}$/);
    expect(main(up).containerID).toMatch(/^containerd:\/\/[0-9a-f]{64}$/);
    await clock.advance(600_000);
    expect(statusWrites(set, 'a')).toBe(3);
  });

  test('an image on the node is not pulled again, one under way is shared', async () => {
    const { alice, clock } = stage({ nodes: 1 });
    const isReady = async (name: string) => conditionOf(await readPod(alice, name), 'Ready')?.status;
    await alice.create(resources.Pod, pod('a'));
    await clock.advance(1000);
    await alice.create(resources.Pod, pod('b'));
    await clock.advance(2300);
    expect([await isReady('a'), await isReady('b')]).toEqual(['True', 'True']);
    await alice.create(resources.Pod, pod('c'));
    await clock.advance(1300);
    expect(await isReady('c')).toBe('True');
  });

  test('containers start in order, init containers before them', async () => {
    const { alice, clock, world } = stage({ nodes: 1 });
    world.images.set('setup', { exitAfterMs: 500 });
    const spec = {
      initContainers: [{ name: 'init', image: 'setup' }],
      containers: [
        { name: 'one', image: 'x:1' },
        { name: 'two', image: 'x:1' },
      ],
    };
    await alice.create(resources.Pod, pod('a', '', spec));
    await clock.advance(2400);
    const early = await readPod(alice, 'a');
    expect(conditionOf(early, 'Initialized')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotInitialized',
      message: 'containers with incomplete status: [init]',
    });
    await clock.advance(20_000);
    const up = await readPod(alice, 'a');
    expect(conditionOf(up, 'Initialized')?.status).toBe('True');
    expect(up.status?.initContainerStatuses?.[0]?.state.terminated?.exitCode).toBe(0);
    const starts = up.status?.containerStatuses?.map((each) => each.state.running?.startedAt);
    expect(starts?.length).toBe(2);
    expect((starts?.[0] ?? '') <= (starts?.[1] ?? '')).toBe(true);
    expect(up.status?.phase).toBe('Running');
  });

  test('a pod that never becomes ready keeps running', async () => {
    const { alice, clock, world } = stage();
    world.images.set('web:1', { neverReady: true });
    await alice.create(resources.Pod, pod('a'));
    await clock.advance(100_000);
    const up = await readPod(alice, 'a');
    expect(up.status?.phase).toBe('Running');
    expect(conditionOf(up, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotReady',
      message: 'containers with unready status: [main]',
    });
  });
});

describe('readiness gates', () => {
  test('Ready follows them at once, and their conditions belong to their writers', async () => {
    const set = stage();
    const { alice, clock } = set;
    await alice.create(resources.Pod, pod('a', 'web:1', { readinessGates: [{ conditionType: 'Gate' }] }));
    await clock.advance(10_000);
    const missing = await readPod(alice, 'a');
    expect(conditionOf(missing, 'ContainersReady')?.status).toBe('True');
    expect(conditionOf(missing, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ReadinessGatesNotReady',
      message: 'corresponding condition of pod readiness gate "Gate" does not exist.',
    });
    await setCondition(set, 'a', 'Gate', 'False');
    await clock.settle();
    expect(conditionOf(await readPod(alice, 'a'), 'Ready')?.message).toBe(
      'the status of pod readiness gate "Gate" is not "True", but False',
    );
    await clock.advance(5000);
    await setCondition(set, 'a', 'Gate', 'True');
    await clock.settle();
    const ready = await readPod(alice, 'a');
    expect(conditionOf(ready, 'Ready')).toMatchObject({
      status: 'True',
      lastTransitionTime: '2026-01-01T12:00:15Z',
    });
    expect(conditionOf(ready, 'Ready')?.reason).toBeUndefined();
    expect(conditionOf(ready, 'Gate')).toEqual({
      type: 'Gate',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: null,
    });
  });
});

describe('an image change in a running pod', () => {
  test('restarts that container alone', async () => {
    const set = stage({ nodes: 1 });
    const { alice, clock } = set;
    const containers = [
      { name: 'main', image: 'web:1' },
      { name: 'side', image: 'side:1' },
    ];
    await alice.create(resources.Pod, pod('a', '', { containers }));
    await clock.advance(20_000);
    const before = await readPod(alice, 'a');
    await setImage(set, 'a', 'web:2');
    await clock.advance(999);
    expect(conditionOf(await readPod(alice, 'a'), 'Ready')?.status).toBe('True');
    await clock.advance(1);
    const stopped = await readPod(alice, 'a');
    expect(main(stopped)).toMatchObject({
      image: 'web:1',
      ready: false,
      restartCount: 0,
      state: { terminated: { exitCode: 0 } },
    });
    expect(stopped.status?.phase).toBe('Running');
    await clock.advance(2200);
    expect(main(await readPod(alice, 'a')).state).toHaveProperty('running');
    await clock.advance(1000);
    const after = await readPod(alice, 'a');
    expect(main(after)).toMatchObject({
      image: 'web:2',
      ready: true,
      restartCount: 1,
      lastState: { terminated: { exitCode: 0, containerID: main(before).containerID } },
    });
    expect(main(after).imageID).not.toBe(main(before).imageID);
    expect(main(after).containerID).not.toBe(main(before).containerID);
    expect(after.status?.containerStatuses?.[1]).toEqual(before.status?.containerStatuses?.[1]);
    expect(after.status?.podIP).toBe(before.status?.podIP);
    expect(conditionOf(after, 'Ready')?.status).toBe('True');
    expect(statusWrites(set, 'a')).toBe(statusWrites(set, 'a', 'system:node:node-1'));
  });

  test('two tags of one digest have one imageID', async () => {
    const set = stage({ nodes: 1 });
    for (const image of ['web:1', 'web:2']) set.world.images.set(image, { digest: 'sha256:same' });
    await set.alice.create(resources.Pod, pod('a'));
    await set.clock.advance(10_000);
    await setImage(set, 'a', 'web:2');
    await set.clock.advance(10_000);
    expect(main(await readPod(set.alice, 'a'))).toMatchObject({
      image: 'web:2',
      imageID: 'web@sha256:same',
      restartCount: 1,
    });
  });

  test('a change of metadata restarts nothing, and is no reason to report', async () => {
    const { alice, clock, world } = stage();
    await alice.create(resources.Pod, pod('a'));
    await clock.advance(10_000);
    const before = await readPod(alice, 'a');
    await alice.patch(resources.Pod, at('a'), { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
    const requests = world.log.length;
    await clock.advance(10_000);
    expect(world.log.length).toBe(requests);
    expect((await readPod(alice, 'a')).status).toBe(before.status);
  });

  test('reverting a change while the container stops restarts it, even if exits are final', async () => {
    const set = stage({ nodes: 1, timings: { runMs: Number.POSITIVE_INFINITY } });
    await set.alice.create(resources.Pod, pod('a', 'web:1', { restartPolicy: 'Never' }));
    await set.clock.advance(10_000);
    await setImage(set, 'a', 'web:2');
    await set.clock.advance(500);
    await setImage(set, 'a', 'web:1');
    await set.clock.advance(1800);
    expect(main(await readPod(set.alice, 'a'))).toMatchObject({
      image: 'web:1',
      ready: true,
      restartCount: 1,
    });
  });

  test('a container that is being stopped does not become ready', async () => {
    const set = stage({ nodes: 1 });
    await set.alice.create(resources.Pod, pod('a'));
    await set.clock.advance(2800);
    expect(main(await readPod(set.alice, 'a'))).toMatchObject({ ready: false, started: true });
    await setImage(set, 'a', 'web:2');
    await set.clock.advance(900);
    expect(main(await readPod(set.alice, 'a'))).toMatchObject({
      image: 'web:1',
      ready: false,
      started: true,
    });
  });

  test('a change while the container stops, and back, ends at the last image', async () => {
    const set = stage({ nodes: 1 });
    await set.alice.create(resources.Pod, pod('a'));
    await set.clock.advance(10_000);
    await setImage(set, 'a', 'web:2');
    await set.clock.advance(500);
    await setImage(set, 'a', 'web:3');
    await set.clock.advance(1500);
    await setImage(set, 'a', 'web:4');
    await set.clock.advance(20_000);
    const { containerStatuses } = (await readPod(set.alice, 'a')).status ?? {};
    expect(containerStatuses).toMatchObject([{ image: 'web:4', ready: true, restartCount: 1 }]);
  });

  test('an image that cannot be pulled is named, backed off, and replaced by one that can', async () => {
    const set = stage({ nodes: 1 });
    const { alice, clock, world } = set;
    world.images.set('web:bad', { pullError: true });
    await alice.create(resources.Pod, pod('a'));
    await clock.advance(10_000);
    await setImage(set, 'a', 'web:bad');
    await clock.advance(3100);
    expect(main(await readPod(alice, 'a'))).toMatchObject({
      image: 'web:1',
      state: { waiting: { reason: 'ErrImagePull' } },
      lastState: { terminated: { exitCode: 0 } },
    });
    await clock.advance(1000);
    expect(main(await readPod(alice, 'a')).state.waiting).toEqual({
      reason: 'ImagePullBackOff',
      message: 'Back-off pulling image "web:bad"',
    });
    await setImage(set, 'a', 'web:good');
    await clock.advance(3200);
    expect(main(await readPod(alice, 'a'))).toMatchObject({
      image: 'web:good',
      ready: true,
      restartCount: 1,
    });
  });
});
