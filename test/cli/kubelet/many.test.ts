import { expect, it } from 'vitest';
import { conditionOf, type Pod } from '../../../schemas/pods/pod.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { pod, stage } from '../../fixtures/widgets.ts';
import { counting, remoteNodes } from './setup.ts';

const COUNT = 300;

it.each([
  { readyMs: 1_000, most: { start: 3, update: 3 } },
  { readyMs: 0, most: { start: 2, update: 2 } },
])(
  'hundreds of pods start, and change their image in place, with few status writes: $readyMs ms, $most',
  async ({ readyMs, most }) => {
    const { alice, clock, world } = stage({
      nodes: 0,
      kubeletsByHand: false,
      bootstrapped: true,
      timings: { scheduleMs: 3_600_000 },
    });
    const { cluster, writes } = counting(world.cluster('outside'));
    const staff = remoteNodes(cluster, clock, { nodes: 10, events: false, timings: { readyMs } });
    let started = false;
    void staff.start().then(() => (started = true));
    await clock.runUntil(() => started);
    const pods = async (): Promise<Pod[]> =>
      (await alice.list(resources.Pod, { namespace: 'default' })).items as Pod[];
    const ready = (all: Pod[]): number =>
      all.filter((each) => conditionOf(each, 'Ready')?.status === 'True').length;
    const statusWrites = (): number => writes.filter((write) => write.startsWith('patch pods/status')).length;

    for (let index = 0; index < COUNT; index += 1) await alice.create(resources.Pod, pod(`web-${index}`));
    await clock.advance(10_000);
    expect(ready(await pods())).toBe(COUNT);
    expect(statusWrites()).toBe(most.start * COUNT);
    const perNode = new Map<string, number>();
    for (const { spec } of await pods())
      perNode.set(spec.nodeName ?? '', (perNode.get(spec.nodeName ?? '') ?? 0) + 1);
    expect([...perNode.values()]).toEqual(Array.from({ length: 10 }, () => COUNT / 10));

    writes.length = 0;
    const body = { spec: { containers: [{ name: 'main', image: 'web:2' }] } };
    for (let index = 0; index < COUNT; index += 1)
      await alice.patch(
        resources.Pod,
        { namespace: 'default', name: `web-${index}` },
        { type: 'strategic', body },
      );
    await clock.advance(10_000);
    const rolled = await pods();
    expect(ready(rolled)).toBe(COUNT);
    expect(rolled.every(({ status }) => status?.containerStatuses?.[0]?.image === 'web:2')).toBe(true);
    expect(statusWrites()).toBeLessThanOrEqual(most.update * COUNT);
    expect(staff.errors).toEqual([]);
  },
  60_000,
);
