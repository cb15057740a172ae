import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { crds } from '../../../schemas/generated/crds.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { imagePullJobKind } from '../../../semantics/imagepulljob/kind.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { isPullPod, pullOf } from '../../../semantics/pull/pod.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import { pullJob, shownPull } from '../../fixtures/pull-jobs.ts';
import type { KindPlay, Start } from '../plays.ts';
import { runs } from './runs.ts';

/**
 * Jobs that pull to four nodes: whatever becomes of the runtime, no node is pulled to twice, no more nodes at a time than the job says,
 * and no pod is left.
 */
const MINUTE = 60_000;
const NODES = 4;
const SHOP = 'shop';

async function played(start: Start, spec: JsonObject) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['default', SHOP], nodes: NODES, crds: [...crds] });
  const runtime = start({ cluster: world.cluster('kruise'), clock, policy: 'Auto', onError: () => {} });
  runtime.start();
  await clock.advance(MINUTE);
  const user = world.cluster('user');
  const pulls = new Map<string, Pod>();
  const unfinished = new Set<string>();
  let most = 0;
  world.onCommit(({ resource, type, object }) => {
    if (resource !== 'pods' || !isPullPod(object)) return;
    const { name } = object.metadata;
    pulls.set(name, object as Pod);
    if (type === 'DELETED' || (object as Pod).status?.phase === 'Failed') unfinished.delete(name);
    else unfinished.add(name);
    most = Math.max(most, unfinished.size);
  });
  await user.create(resources.ImagePullJob, pullJob('ahead', spec));
  await clock.advance(30 * MINUTE);
  const job = await user.get(resources.ImagePullJob, { namespace: SHOP, name: 'ahead' });
  const left = (await user.list(resources.Pod, { namespace: SHOP })).items.length;
  await Promise.all([runtime.stop(), clock.settle()]);
  world.stop();
  await clock.settle();
  return {
    shown: shownPull(job),
    nodes: [...pulls.values()].map((pod) => pullOf(pod).node).sort(),
    most,
    left,
  };
}

const sends = (writes: readonly string[]): boolean => writes.some((text) => text.includes('pods'));
const kind = imagePullJobKind;
const all = Array.from({ length: NODES }, (_, index) => `node-${index + 1}`);
const ended = {
  shown: '4 desired, 0 active, 4 succeeded, 0 failed: job has completed',
  nodes: all,
  left: 0,
};

/** A runtime that ends after each write may pull to fewer nodes at a time, and never to more. */
const within =
  (limit: number) =>
  (ending: unknown): unknown => ({ ...objectOf(ending), most: Number(objectOf(ending)['most']) <= limit });

export const plays: readonly KindPlay[] = [
  {
    kind,
    title: 'an image to one node at a time',
    play: (start) => played(start, {}),
    expected: { ...ended, most: 1 },
    sends,
  },
  {
    kind,
    title: 'an image to two nodes at a time',
    play: (start) => played(start, { parallelism: 2, imagePullPolicy: 'Always' }),
    expected: { ...ended, most: 2 },
    lasting: within(2),
    sends,
    trait: 'limits',
  },
  ...runs,
];
