import { createVirtualClock, createWorld } from 'kruise-sandbox';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { cloneSetKind } from '../../semantics/cloneset/kind.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { rationKind } from '../fixture-kind/ration/kind.ts';
import { PART_LABEL, rationResource, statusOf } from '../fixture-kind/ration/spec.ts';
import { definitions, ration, SHOP, SIZE, web } from '../fixture-kind/ration/world.ts';
import type { KindPlay, Start } from './plays.ts';
import { serves } from './serving.ts';

const MINUTE = 60_000;
const NAMES = ['web', 'other'];
/** How many new pods are among the first. */
const FIRST = 2;

/**
 * Two targets whose pods one object covers: whatever becomes of the runtime, no more pods are out of traffic at once than it has slots
 * for, no more new pods are among the first than it says, and both rollouts end. Counted from the store alone.
 */
async function played(start: Start, slots: number): Promise<unknown> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['default', SHOP, 'kruise-system'], crds: definitions });
  const runtime = start({
    cluster: world.cluster('kruise'),
    clock,
    policy: 'Auto',
    kinds: [cloneSetKind, rationKind],
    onError: () => {},
  });
  runtime.start();
  await clock.advance(MINUTE);
  const user = world.cluster('user');
  await user.create(rationResource, ration({ maxUnavailable: slots, first: FIRST }));
  await clock.advance(MINUTE);
  for (const name of NAMES)
    await user.create(resources.CloneSet, web(name, 'web:1', { replicas: SIZE / NAMES.length }));
  await clock.advance(3 * MINUTE);

  const podsNow = async (): Promise<Pod[]> =>
    (await user.list(resources.Pod, { namespace: SHOP })).items as Pod[];
  const pods = new Map((await podsNow()).map((pod) => [pod.metadata.name, pod]));
  const first = [...pods.values()].filter(({ metadata }) => metadata.labels?.[PART_LABEL] === 'first');
  let most = 0;
  world.onCommit(({ resource, type, object }) => {
    if (resource !== 'pods') return;
    if (type === 'DELETED') pods.delete(object.metadata.name);
    else pods.set(object.metadata.name, object as Pod);
    most = Math.max(most, SIZE - [...pods.values()].filter(serves).length);
  });
  for (const name of NAMES) {
    const { spec } = web(name, 'web:2') as { spec?: JsonObject };
    const body = { spec: { template: spec?.['template'] ?? {} } };
    await user.patch(resources.CloneSet, { namespace: SHOP, name }, { type: 'merge', body });
  }
  await clock.advance(40 * MINUTE);

  const images = (await podsNow()).map(({ spec }) => spec.containers[0]?.image ?? '');
  const { allowed, taken, created } = statusOf(
    await user.get(rationResource, { namespace: SHOP, name: 'web' }),
  );
  await Promise.all([runtime.stop(), clock.settle()]);
  world.stop();
  await clock.settle();
  return { isWithin: most <= slots && first.length <= FIRST, images, status: { allowed, taken, created } };
}

const expected = (slots: number): unknown => ({
  isWithin: true,
  images: Array.from({ length: SIZE }, () => 'web:2'),
  status: { allowed: slots, taken: {}, created: {} },
});

/** The plays of a kind that influences others. */
export const influencePlays: readonly KindPlay[] = [1, 2].map((slots) => ({
  kind: rationKind,
  title: `two targets whose pods take turns for ${slots === 1 ? 'one slot' : `${slots} slots`}`,
  play: (start) => played(start, slots),
  expected: expected(slots),
  sends: (writes) => writes.some((text) => text.includes('rations')),
}));
