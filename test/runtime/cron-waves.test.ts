import { afterEach, expect, test } from 'vitest';
import type { Step, Wave } from '../../schemas/generated/types/rolloutplan.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { childResources } from '../../semantics/advancedcronjob/resource.ts';
import { createCronWorld, type CronWorld, OPS, planFor, tidy, type Tidy } from './cron-world.ts';

let world: CronWorld | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

const ALL: readonly Step[] = [{ id: 'all', update: { to: '100%' } }];
const WAVES: Wave[] = [
  { id: 'one', run: { to: 1 } },
  { id: 'watch', soak: { for: '2m' } },
  { id: 'rest', run: { to: '100%' } },
];
/** Every ten minutes, on five nodes. */
const every: Tidy = {
  of: 'BroadcastJob',
  spec: { schedule: '*/10 * * * *', failedJobsHistoryLimit: 9, successfulJobsHistoryLimit: 9 },
};

/** `00:10 node-1 00:00`: the time of each pod's child, its node, and how long after that time it was created. */
async function pods({ user }: CronWorld): Promise<string[]> {
  const { items } = await user.list(resources.Pod, { namespace: OPS });
  return items
    .map(({ metadata, spec }) => {
      const [owner] = metadata.ownerReferences ?? [];
      const tick = Number((owner?.name ?? '').slice('tidy-'.length)) * 1000;
      const late = Date.parse(metadata.creationTimestamp ?? '') - tick;
      const clock = (ms: number, from: number, to: number) => new Date(ms).toISOString().slice(from, to);
      const node = (spec as { nodeName?: string }).nodeName ?? '';
      return `${clock(tick, 11, 16)} ${node} ${clock(late, 14, 16)} min`;
    })
    .sort();
}

test('each run goes over the nodes in the waves of the plan', async () => {
  world = await createCronWorld({ nodes: 3 });
  await world.apply(planFor(undefined, every, ALL, { waves: WAVES }), tidy(every));
  await world.until('0:12:00');
  expect(await pods(world)).toEqual(['00:10 node-1 00 min']);
  await world.until('0:29:00');
  expect(await pods(world)).toEqual([
    '00:10 node-1 00 min',
    '00:10 node-2 02 min',
    '00:10 node-3 02 min',
    '00:20 node-1 00 min',
    '00:20 node-2 02 min',
    '00:20 node-3 02 min',
  ]);
  expect(await world.children('BroadcastJob')).toEqual(['00:10 Complete', '00:20 Complete']);
  expect(await world.plan()).toMatchObject({ phase: 'Succeeded' });
  expect(world.errors).toEqual([]);
});

test('a bad script is stopped after one node, and its times run the template before', async () => {
  world = await createCronWorld({ nodes: 3 });
  await world.apply(planFor(undefined, every, ALL, { waves: WAVES }), tidy(every));
  await world.until('0:15:00');
  const bad = { ...every, image: 'tidy:bad' };
  await world.apply(planFor(every, bad, ALL, { waves: WAVES }), tidy(bad));
  await world.until('0:39:00');
  const found = await pods(world);
  expect(found.filter((pod) => pod.startsWith('00:20'))).toEqual(['00:20 node-1 00 min']);
  expect(found.filter((pod) => pod.startsWith('00:30'))).toHaveLength(3);
  expect(world.created).toEqual(['00:10 tidy:1', '00:20 tidy:bad', '00:30 tidy:1']);
  expect(await world.children('BroadcastJob')).toEqual(['00:10 Complete', '00:20 Failed', '00:30 Complete']);
  expect(await world.plan()).toMatchObject({ phase: 'Halted', step: 'all' });
});

test('a node that is worse after its run ends that run, though its pod has succeeded', async () => {
  world = await createCronWorld({ nodes: 3 });
  await world.apply(planFor(undefined, every, ALL, { waves: WAVES }), tidy(every));
  await world.until('0:10:40');
  const conditions = [{ type: 'NetworkUnavailable', status: 'True', reason: 'NoRoute' }];
  await world.user.patch(
    resources.Node,
    { name: 'node-1' },
    { type: 'strategic', body: { status: { conditions } } },
    { subresource: 'status' },
  );
  await world.until('0:19:00');
  expect(await pods(world)).toEqual(['00:10 node-1 00 min']);
  const [child] = (await world.user.list(childResources.BroadcastJob, { namespace: OPS })).items;
  expect(JSON.stringify(child?.['status'])).toMatch(/node-1.*NetworkUnavailable/);
  expect(await world.children('BroadcastJob')).toEqual(['00:10 Failed']);
  expect(await world.plan()).toMatchObject({ phase: 'Halted' });
});
