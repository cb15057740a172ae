import { describe, expect, test } from 'vitest';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { type HotWorld, hotWorld } from '../runtime/hot-world.ts';
import { endAtWrites, endWithPoorWatches, endWithTwo, type Start, writesOf } from './plays.ts';

/**
 * Hot upgrades under disturbances: whatever becomes of the runtime, one half of each pair runs a real image and is ready after
 * every commit, no pod is left half-way, and the plan ends the same.
 */
const STEPS: Step[] = [
  { id: 'canary', update: { to: 1 } },
  { id: 'rest', update: { to: '100%', window: { maxUnavailable: 2 } } },
];

/** How a play ended: both images of each pair in the order of their names, and what was exceeded on the way. */
async function endOf(cluster: HotWorld, before: Record<string, string>) {
  await cluster.clock.advance(60_000);
  const halves = Object.values(await cluster.halves());
  const records = await cluster.records();
  const { updatedPods, readyPods } = await cluster.status();
  const ending = {
    images: halves.map((text) => {
      const names = text.split(/,? /).filter((each) => !/^mesh-[12]$/.test(each));
      return names.sort().join(' ');
    }),
    areRecordsOld: JSON.stringify(records) === JSON.stringify(before),
    updatedPods,
    readyPods,
    outages: [...cluster.outages],
  };
  await cluster.stop();
  return ending;
}

async function started(start: Start): Promise<HotWorld> {
  const cluster = await hotWorld({ start });
  await cluster.upgrade({ mesh: 'mesh:1', log: 'log:1' });
  for (const name of ['a', 'b', 'c']) await cluster.bare(name);
  await cluster.clock.advance(30_000);
  return cluster;
}

const images = (text: string): string[] => Array<string>(3).fill(text);

const PLAYS: Readonly<Record<string, { play: (start: Start) => Promise<unknown>; expected: unknown }>> = {
  'two upgrades': {
    async play(start) {
      const cluster = await started(start);
      const before = await cluster.records();
      await cluster.upgrade({ mesh: 'mesh:2', log: 'log:1' }, STEPS);
      await cluster.until('Succeeded', 1_800_000);
      await cluster.upgrade({ mesh: 'mesh:3', log: 'log:2' }, STEPS);
      await cluster.until('Succeeded', 1_800_000);
      return endOf(cluster, before);
    },
    expected: {
      images: images('empty:1 log:2 mesh:3'),
      areRecordsOld: false,
      updatedPods: 3,
      readyPods: 3,
      outages: [],
    },
  },
  'a hook that fails': {
    async play(start) {
      const cluster = await started(start);
      const before = await cluster.records();
      await cluster.upgrade({ mesh: 'mesh:failing', log: 'log:2' }, STEPS);
      await cluster.until('Halted', 1_800_000);
      return endOf(cluster, before);
    },
    expected: {
      images: images('empty:1 log:1 mesh:1'),
      areRecordsOld: true,
      updatedPods: 0,
      readyPods: 3,
      outages: [],
    },
  },
  'git takes it back in the middle': {
    async play(start) {
      const cluster = await started(start);
      await cluster.upgrade({ mesh: 'mesh:slow', log: 'log:2' }, STEPS);
      await cluster.clock.advance(70_000);
      await cluster.upgrade({ mesh: 'mesh:1', log: 'log:1' });
      await cluster.until('Reverted', 1_800_000);
      return endOf(cluster, {});
    },
    expected: {
      images: images('empty:1 log:1 mesh:1'),
      areRecordsOld: false,
      updatedPods: 3,
      readyPods: 3,
      outages: [],
    },
  },
};

describe.each(Object.entries(PLAYS))('%s', (name, play) => {
  test('ends the same wherever the runtime ends, and another continues', { timeout: 300_000 }, async () => {
    const writes = await writesOf(play);
    expect(writes.length).toBeGreaterThan(10);
    await endAtWrites(play, writes, { name: `hot pairs, ${name}`, most: [2, 12] });
  });

  test('ends the same where watches are late or lose events', { timeout: 300_000 }, () =>
    endWithPoorWatches(play),
  );

  test('ends the same with two runtimes at once', { timeout: 300_000 }, () => endWithTwo(play));
});
