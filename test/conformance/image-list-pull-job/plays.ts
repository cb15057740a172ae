import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { crds } from '../../../schemas/generated/crds.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { imageListPullJobKind } from '../../../semantics/imagelistpulljob/kind.ts';
import { imageOf } from '../../../semantics/imagepulljob/normalize.ts';
import { listPullJob, shownList } from '../../fixtures/list-pull-jobs.ts';
import type { KindPlay, Start } from '../plays.ts';

/**
 * A list of two images, of which one is replaced in the middle: whatever becomes of the runtime, each image has one job, the one that is
 * not in the list any more has none, and no pod is left.
 */
const MINUTE = 60_000;
const SHOP = 'shop';

async function played(start: Start) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['default', SHOP], nodes: 2, crds: [...crds] });
  const runtime = start({ cluster: world.cluster('kruise'), clock, policy: 'Auto', onError: () => {} });
  runtime.start();
  await clock.advance(MINUTE);
  const user = world.cluster('user');
  const created: string[] = [];
  world.onCommit(({ type, object }) => {
    if (object.kind === 'ImagePullJob' && type === 'ADDED') created.push(imageOf(object));
  });
  const at = { namespace: SHOP, name: 'ahead' };
  // Nothing is pulled until the list is as it is to be.
  await user.create(resources.ImageListPullJob, listPullJob('ahead', { parallelism: 0 }));
  await clock.advance(5 * MINUTE);
  const body = { spec: { images: ['web:1', 'db:2'] } };
  await user.patch(resources.ImageListPullJob, at, { type: 'merge', body });
  await clock.advance(5 * MINUTE);
  const { items } = await user.list(resources.ImagePullJob, { namespace: SHOP });
  const between = items.map(imageOf).sort();
  await user.patch(resources.ImageListPullJob, at, { type: 'merge', body: { spec: { parallelism: 2 } } });
  await clock.advance(30 * MINUTE);
  const list = await user.get(resources.ImageListPullJob, at);
  const left = (await user.list(resources.Pod, { namespace: SHOP })).items.length;
  await Promise.all([runtime.stop(), clock.settle()]);
  world.stop();
  await clock.settle();
  return { shown: shownList(list), created: created.sort(), between, left };
}

export const plays: readonly KindPlay[] = [
  {
    kind: imageListPullJobKind,
    title: 'a job for each image of a list that changes',
    play: played,
    expected: {
      shown: '2 desired, 0 active, 2 completed, 2 succeeded: over',
      created: ['db:1', 'db:2', 'db:2', 'web:1', 'web:1'],
      between: ['db:2', 'web:1'],
      left: 0,
    },
    sends: (writes) => writes.some((text) => text.includes('imagepulljobs')),
  },
];
