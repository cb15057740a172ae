import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { createRuntime } from '../../runtime/runtime.ts';
import { createTakenNames, pauseOfTaken } from '../../runtime/reconcile/taken-names.ts';
import { crds } from '../../schemas/generated/crds.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { listPullJob, shownList } from '../fixtures/list-pull-jobs.ts';
import { pullJob } from '../fixtures/pull-jobs.ts';

const MINUTE = 60_000;

test('a name counts as taken for a minute after it was found so last', async () => {
  const clock = createVirtualClock(0);
  const names = createTakenNames(clock);
  expect([names.add('a'), names.add('b')]).toEqual([undefined, undefined]);
  await clock.advance(MINUTE - 1);
  expect(names.add('a')).toBe(MINUTE - 1);
  await clock.advance(1);
  expect([...names.current()]).toEqual(['a']);
  await clock.advance(MINUTE);
  expect([names.add('a'), [...names.current()]]).toEqual([undefined, ['a']]);
});

test('a name that stays taken is tried ever more seldom, and soon after it was found so', () => {
  const tries = [0];
  for (let at = 0; at < 10 * MINUTE; tries.push(at)) at += pauseOfTaken(at);
  expect(tries.slice(0, 6)).toEqual([0, 1_000, 2_000, 3_000, 4_000, 5_000]);
  expect(tries.slice(-2)).toEqual([600_000, 630_000].map((each) => expect.closeTo(each, -5)));
  expect(tries.length).toBeLessThan(40);
});

test('an image whose job has a name that is taken gets its job once that is free', async () => {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['default', 'shop'], nodes: 1, crds: [...crds] });
  const user = world.cluster('user');
  const at = { namespace: 'shop', name: 'ahead' };
  const list = listPullJob('ahead', { images: ['web:1'], parallelism: 0 });
  const start = () => {
    const runtime = createRuntime({ cluster: world.cluster('kruise'), clock, policy: 'Required' });
    runtime.start();
    return runtime;
  };
  // What its job is named depends on the list alone.
  const first = start();
  await clock.advance(MINUTE);
  await user.create(resources.ImageListPullJob, list);
  await clock.advance(MINUTE);
  const jobs = async () => (await user.list(resources.ImagePullJob, { namespace: 'shop' })).items;
  const [job] = await jobs();
  const name = job?.metadata.name ?? '';
  await Promise.all([first.stop(), clock.settle()]);
  await user.delete(resources.ImagePullJob, { namespace: 'shop', name });
  await clock.advance(MINUTE);
  await user.create(resources.ImagePullJob, pullJob(name, { parallelism: 0 }));

  const runtime = start();
  await clock.advance(5 * MINUTE);
  expect((await jobs()).map(({ metadata }) => metadata.ownerReferences)).toEqual([undefined]);
  await user.delete(resources.ImagePullJob, { namespace: 'shop', name });
  await clock.advance(MINUTE + 5_000);
  expect((await jobs()).map(({ metadata }) => metadata.ownerReferences?.[0]?.name)).toEqual(['ahead']);
  expect(shownList(await user.get(resources.ImageListPullJob, at))).toBe(
    '1 desired, 0 active, 0 completed, 0 succeeded',
  );
  await Promise.all([runtime.stop(), clock.settle()]);
  world.stop();
});
