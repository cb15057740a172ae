import { expect, test } from 'vitest';
import type { Pod } from '../../schemas/pods/pod.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { behaviorByTag } from '../kubelet/images.ts';
import { pod, readPod, stage } from './world.ts';

test.each([
  ['web:2-missing', { pullError: true }],
  ['registry.example:5000/shop/web:2.1-crashing', { crashAfterMs: 2_000 }],
  ['web:unready', { neverReady: true }],
  ['web:2', undefined],
  ['web-missing', undefined],
  ['web:2-amissing', undefined],
  ['web:2-missing@sha256:00', undefined],
  ['web:constructor', undefined],
])('the tag of %s says how it behaves', (image, expected) => {
  expect(behaviorByTag(image)).toEqual(expected);
});

test('a world uses image tags for behavior if configured', async () => {
  const { alice, clock } = stage({ images: behaviorByTag });
  for (const ending of ['missing', 'crashing', 'unready', 'fine'])
    await alice.create(resources.Pod, pod(ending, `web:1-${ending}`));
  await clock.advance(60_000);
  const shown = async (name: string): Promise<unknown> => {
    const [status] = (await readPod(alice, name)).status?.containerStatuses ?? [];
    return { ready: status?.ready, waiting: status?.state.waiting?.reason };
  };
  expect(await shown('missing')).toEqual({ ready: false, waiting: 'ImagePullBackOff' });
  expect(await shown('crashing')).toEqual({ ready: false, waiting: 'CrashLoopBackOff' });
  expect(await shown('unready')).toEqual({ ready: false, waiting: undefined });
  expect(await shown('fine')).toEqual({ ready: true, waiting: undefined });
});

test.each([
  ['is in no image', '/does-not-exist/here', 'no such file or directory'],
  ['has a name that is too long for any file system', `/bin/${'x'.repeat(256)}`, 'file name too long'],
  ['is too long a path', '/bin/'.repeat(820), 'file name too long'],
])('a command that %s ends with StartError, once the image is pulled', async (_what, command, cause) => {
  const { alice, clock } = stage({ images: behaviorByTag, podEvents: true });
  const started = async (name: string, image: string) => {
    const object = pod(name, image) as Pod;
    const [container] = object.spec.containers;
    if (container !== undefined) container['command'] = [command];
    object.spec.restartPolicy = 'Never';
    await alice.create(resources.Pod, object);
    await clock.advance(60_000);
    return (await readPod(alice, name)).status;
  };
  const there = await started('there', 'web:1');
  expect(there?.phase).toBe('Failed');
  expect(there?.containerStatuses?.[0]).toMatchObject({
    restartCount: 0,
    state: { terminated: { reason: 'StartError', exitCode: 128 } },
  });
  const { items } = await alice.list(resources.Event, { namespace: 'default' });
  const failed = items.map((event) => String(event['message'])).filter((text) => text.includes('exec: '));
  expect(failed).toEqual([expect.stringMatching(new RegExp(`: ${cause}$`))]);
  const missing = await started('missing', 'web:1-missing');
  expect(missing?.phase).toBe('Pending');
  expect(missing?.containerStatuses?.[0]?.state.waiting?.reason).toBe('ImagePullBackOff');
});
