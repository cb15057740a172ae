import { expect, test } from 'vitest';
import type { Pod } from '../../schemas/pods/pod.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { main, pod, readPod, stage } from './world.ts';

/** What a kubelet does when the image of a running container gets another spelling (Kubernetes 1.31 and later). */
type Stage = ReturnType<typeof stage>;

async function running(policy: string, spec: object = {}): Promise<Stage> {
  const set = stage({ nodes: 1 });
  for (const image of ['web:1', 'side:1']) set.world.images.set(image, { keepsRunning: true });
  const containers = [
    { name: 'main', image: 'web:1', imagePullPolicy: policy },
    { name: 'side', image: 'side:1', imagePullPolicy: policy },
  ];
  await set.alice.create(
    resources.Pod,
    pod('web', 'web:1', { restartPolicy: 'Always', containers, ...spec }),
  );
  await set.clock.advance(20_000);
  return set;
}

/** Spells the image of `main` anew, and returns what has become of it. */
async function spelled({ alice, clock }: Stage, image: string): Promise<Pod> {
  const body = { spec: { containers: [{ name: 'main', image }] } };
  await alice.patch(resources.Pod, { namespace: 'default', name: 'web' }, { type: 'strategic', body });
  await clock.advance(30_000);
  return readPod(alice, 'web');
}

test.each(['Always', 'OnFailure', 'Never'])(
  'the digest that runs restarts that container alone, with restart policy %s, without a registry',
  async (restartPolicy) => {
    const set = await running('IfNotPresent', { restartPolicy });
    const before = main(await readPod(set.alice, 'web'));
    // A registry that answers nothing is not asked.
    set.world.images.set('web:1', { pullError: true, keepsRunning: true });
    const after = await spelled(set, `web:1@${before.imageID.slice(before.imageID.indexOf('@') + 1)}`);
    const { ready, restartCount, imageID, containerID } = main(after);
    expect([ready, restartCount, imageID]).toEqual([true, 1, before.imageID]);
    expect(containerID).not.toBe(before.containerID);
    expect(after.status?.containerStatuses?.[1]?.restartCount).toBe(0);
  },
);

test('with pull policy Always the registry is asked, and the container is down until it answers', async () => {
  const set = await running('Always');
  const { imageID } = main(await readPod(set.alice, 'web'));
  set.world.images.set('web:1', { pullError: true, keepsRunning: true });
  const after = main(await spelled(set, `web:1@${imageID.slice(imageID.indexOf('@') + 1)}`));
  expect([after.ready, after.state.waiting?.reason]).toEqual([false, 'ImagePullBackOff']);
});

test('a digest that the node does not have ends a container that may not pull, after it was stopped', async () => {
  const set = stage({ nodes: 1 });
  await set.alice.create(resources.Pod, pod('first', 'web:1'));
  await set.clock.advance(20_000);
  const containers = [{ name: 'main', image: 'web:1', imagePullPolicy: 'Never' }];
  await set.alice.create(resources.Pod, pod('web', 'web:1', { restartPolicy: 'Always', containers }));
  await set.clock.advance(20_000);
  const after = main(await spelled(set, `web@sha256:${'f'.repeat(64)}`));
  expect([after.ready, after.state.waiting?.reason]).toEqual([false, 'ErrImageNeverPull']);
});

test('an image that was loaded by hand has an id without a repository', async () => {
  const set = stage({ nodes: 1 });
  set.world.images.set('web:1', { isLoaded: true });
  await set.alice.create(resources.Pod, pod('web', 'web:1'));
  await set.clock.advance(20_000);
  expect(main(await readPod(set.alice, 'web')).imageID).toMatch(/^sha256:[0-9a-f]{64}$/);
});
