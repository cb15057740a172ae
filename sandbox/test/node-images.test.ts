import { describe, expect, test } from 'vitest';
import type { Pod } from '../../schemas/pods/pod.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Node } from '../kinds/node.ts';
import { main, noon, pod, readPod, stage, type Stage } from './world.ts';

function withPolicy(name: string, image: string, imagePullPolicy: string, spec: object = {}): Pod {
  return pod(name, image, {
    restartPolicy: 'Always',
    containers: [{ name: 'main', image, imagePullPolicy }],
    ...spec,
  }) as Pod;
}

async function listed({ alice }: Stage, node = 'node-1') {
  const object = (await alice.get(resources.Node, { name: node })) as Node;
  return object.status?.images ?? [];
}

async function eventsOf({ alice }: Stage, name: string): Promise<string[]> {
  const { items } = await alice.list(resources.Event, { namespace: 'default' });
  return items
    .filter((each) => (each['involvedObject'] as { name?: string }).name === name)
    .map((each) => `${String(each['reason'])}: ${String(each['message'])}`);
}

describe('pull policies', () => {
  test('Never waits until the image is on the node, by whatever pod', async () => {
    const set = stage({ nodes: 1, podEvents: true });
    await set.alice.create(resources.Pod, withPolicy('never', 'web:1', 'Never'));
    await set.clock.advance(5_000);
    const message = 'Container image "web:1" is not present with pull policy of Never';
    expect(main(await readPod(set.alice, 'never')).state).toEqual({
      waiting: { reason: 'ErrImageNeverPull', message },
    });
    expect((await readPod(set.alice, 'never')).status?.podIP).toBeDefined();
    expect(await eventsOf(set, 'never')).toEqual(
      expect.arrayContaining([`ErrImageNeverPull: ${message}`, 'Failed: Error: ErrImageNeverPull']),
    );
    await set.alice.create(resources.Pod, withPolicy('other', 'docker.io/library/web:1', 'IfNotPresent'));
    await set.clock.advance(20_000);
    expect(main(await readPod(set.alice, 'never')).ready).toBe(true);
    expect(await eventsOf(set, 'never')).toContain(
      'Pulled: Container image "web:1" already present on machine',
    );
  });

  test.each([
    ['IfNotPresent', true],
    ['Always', false],
  ])('%s asks the registry again at each start: a lost image is noticed unless %s', async (policy, runs) => {
    const set = stage({ nodes: 1 });
    await set.alice.create(resources.Pod, withPolicy('first', 'web:1', policy));
    await set.clock.advance(10_000);
    expect(main(await readPod(set.alice, 'first')).ready).toBe(true);
    set.world.images.set('web:1', { pullError: true });
    await set.alice.create(resources.Pod, withPolicy('second', 'web:1', policy));
    await set.clock.advance(10_000);
    const { ready, state } = main(await readPod(set.alice, 'second'));
    expect([ready, state.waiting?.reason]).toEqual([runs, runs ? undefined : 'ImagePullBackOff']);
  });

  test('Always gets what the tag means now, and IfNotPresent keeps what the node has', async () => {
    const set = stage({ nodes: 1 });
    const idOf = async (name: string) => main(await readPod(set.alice, name)).imageID;
    set.world.images.set('web:1', { digest: 'sha256:aa' });
    await set.alice.create(resources.Pod, withPolicy('a', 'web:1', 'Always'));
    await set.clock.advance(10_000);
    set.world.images.set('web:1', { digest: 'sha256:bb' });
    await set.alice.create(resources.Pod, withPolicy('b', 'web:1', 'IfNotPresent'));
    await set.clock.advance(10_000);
    await set.alice.create(resources.Pod, withPolicy('c', 'web:1', 'Always'));
    await set.clock.advance(10_000);
    expect([await idOf('a'), await idOf('b'), await idOf('c')]).toEqual([
      'web@sha256:aa',
      'web@sha256:aa',
      'web@sha256:bb',
    ]);
  });

  test('Always takes no time for an image that is there and has not changed', async () => {
    const set = stage({ nodes: 1, podEvents: true });
    await set.alice.create(resources.Pod, withPolicy('a', 'web:1', 'Always'));
    await set.clock.advance(10_000);
    await set.alice.create(resources.Pod, withPolicy('b', 'web:1', 'Always'));
    await set.clock.advance(10_000);
    const pulled = async (name: string) =>
      (await eventsOf(set, name)).find((each) => each.startsWith('Pulled'));
    expect(await pulled('a')).toContain('in 2s (2s including waiting)');
    expect(await pulled('b')).toContain('in 0s (0s including waiting)');
  });
});

describe('status.images of a node', () => {
  test('lists an image by digest and by tag, within ten seconds of its pull', async () => {
    const set = stage({ nodes: 2 });
    set.world.images.set('web:1', { digest: 'sha256:aa' });
    await set.alice.create(resources.Pod, pod('a', 'web:1', { nodeName: 'node-1' }));
    await set.clock.advance(9_000);
    expect(await listed(set)).toEqual([]);
    await set.clock.advance(1_000);
    expect(await listed(set)).toEqual([
      {
        names: ['docker.io/library/web@sha256:aa', 'docker.io/library/web:1'],
        sizeBytes: expect.any(Number) as number,
      },
    ]);
    expect(await listed(set, 'node-2')).toEqual([]);
  });

  test('an image under two names is listed once', async () => {
    const set = stage({ nodes: 1 });
    for (const image of ['web:1', 'registry.example:5000/web:stable'])
      set.world.images.set(image, { digest: 'sha256:aa' });
    await set.alice.create(resources.Pod, pod('a', 'web:1'));
    await set.alice.create(resources.Pod, pod('b', 'registry.example:5000/web:stable'));
    await set.clock.advance(20_000);
    expect((await listed(set)).map(({ names }) => names)).toEqual([
      [
        'docker.io/library/web@sha256:aa',
        'registry.example:5000/web@sha256:aa',
        'docker.io/library/web:1',
        'registry.example:5000/web:stable',
      ],
    ]);
  });

  test('has fifty images at most, the largest first, of five names at most', async () => {
    const set = stage({ nodes: 1 });
    for (let index = 0; index < 7; index += 1) set.world.images.set(`same:${index}`, { digest: 'sha256:aa' });
    const images = [
      ...Array.from({ length: 60 }, (_, index) => `web:${index}`),
      ...Array.from({ length: 7 }, (_, index) => `same:${index}`),
    ];
    for (const [index, image] of images.entries())
      await set.alice.create(resources.Pod, pod(`p${index}`, image));
    await set.clock.advance(30_000);
    const all = await listed(set);
    const sizes = all.map(({ sizeBytes = 0 }) => sizeBytes);
    expect(all).toHaveLength(50);
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    expect(Math.max(...all.map(({ names = [] }) => names.length))).toBe(5);
  });

  test('a pod that waits for room is not tried again for it', async () => {
    const set = stage({ nodes: 1, podEvents: true });
    await set.alice.create(resources.Pod, pod('a', 'web:1'));
    const large = { resources: { requests: { cpu: '9' } } };
    const containers = [{ name: 'main', image: 'web:1', ...large }];
    await set.alice.create(resources.Pod, pod('large', 'web:1', { containers }));
    await set.clock.advance(30_000);
    expect(await listed(set)).toHaveLength(1);
    const { items } = await set.alice.list(resources.Event, { namespace: 'default' });
    const failures = items.filter((each) => each['reason'] === 'FailedScheduling');
    expect(failures.map((each) => each['series'])).toEqual([undefined]);
  });

  test('is what a restarted kubelet has', async () => {
    const before = stage({ nodes: 1 });
    await before.alice.create(resources.Pod, pod('a', 'web:1'));
    await before.clock.advance(20_000);
    await before.alice.delete(resources.Pod, { namespace: 'default', name: 'a' });
    await before.clock.advance(60_000);
    const restored = before.world.state();
    before.world.stop();
    const set = stage({ restored, podEvents: true });
    await set.clock.advance(before.clock.now() - noon);
    await set.alice.create(resources.Pod, withPolicy('b', 'web:1', 'Never'));
    await set.clock.advance(10_000);
    expect(main(await readPod(set.alice, 'b')).ready).toBe(true);
  });
});
