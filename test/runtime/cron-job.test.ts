import { afterEach, describe, expect, test } from 'vitest';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { advancedCronJobKind } from '../../semantics/advancedcronjob/kind.ts';
import { childResources } from '../../semantics/advancedcronjob/resource.ts';
import { createCronWorld, type CronWorld, OPS, planFor, tidy } from './cron-world.ts';

let world: CronWorld | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

const ALL: readonly Step[] = [{ id: 'all', update: { to: '100%' } }];
const CANARY: readonly Step[] = [
  { id: 'first', update: { to: 1 } },
  { id: 'all', update: { to: '100%' } },
];

describe('an AdvancedCronJob of Jobs', () => {
  test('creates one at each time, with its owner, and retains as many as its limits say (AC-11, AC-19)', async () => {
    world = await createCronWorld();
    await world.apply(tidy());
    await world.until('0:02:10');
    expect(world.created).toEqual(['00:01 tidy:1', '00:02 tidy:1']);
    expect(await world.children()).toEqual(['00:01 Complete', '00:02 active']);
    const [first] = (await world.user.list(childResources.Job, { namespace: OPS })).items;
    expect(first?.metadata).toMatchObject({
      name: expect.stringMatching(/^tidy-[0-9]{10}$/),
      annotations: { 'apps.kruise.io/scheduled-at': '2026-01-01T00:01:00Z' },
      ownerReferences: [{ kind: 'AdvancedCronJob', name: 'tidy', controller: true }],
    });
    expect((await world.status()).status).toMatchObject({
      type: 'Job',
      lastScheduleTime: '2026-01-01T00:02:00Z',
      active: [{ kind: 'Job' }],
    });
    await world.until('0:06:40');
    expect(await world.children()).toEqual(['00:04 Complete', '00:05 Complete', '00:06 Complete']);
    expect((await world.status()).status).not.toHaveProperty('active');
    expect(world.errors).toEqual([]);
  });

  test('retains one that failed', async () => {
    world = await createCronWorld();
    await world.apply(tidy({ image: 'tidy:bad' }));
    await world.until('0:03:40');
    expect(await world.children()).toEqual(['00:03 Failed']);
  });

  test('with Allow they overlap, with Forbid the last time waits, with Replace they are deleted (AC-16, AC-17, AC-18)', async () => {
    const seen: Record<string, string[]> = {};
    for (const concurrencyPolicy of ['Allow', 'Forbid', 'Replace']) {
      world = await createCronWorld();
      await world.apply(tidy({ image: 'tidy:slow', spec: { concurrencyPolicy } }));
      await world.until('0:02:30');
      seen[concurrencyPolicy] = await world.children();
      await world.until('0:03:50');
      seen[concurrencyPolicy].push('later', ...(await world.children()));
      await world.stop();
    }
    expect(seen).toEqual({
      Allow: ['00:01 active', '00:02 active', 'later', '00:01 Complete', '00:02 active', '00:03 active'],
      Forbid: ['00:01 active', 'later', '00:01 Complete', '00:03 active'],
      Replace: ['00:02 active', 'later', '00:03 active'],
    });
  });

  test('times that were missed while no runtime ran are made up for by the last one (AC-21)', async () => {
    world = await createCronWorld();
    await world.apply(tidy());
    await world.until('0:01:30');
    await world.stopRuntime();
    await world.until('0:05:30');
    world.startRuntime();
    await world.until('0:06:10');
    expect(world.created).toEqual(['00:01 tidy:1', '00:05 tidy:1', '00:06 tidy:1']);
  });

  test('a time that was missed by more than the deadline is not made up for (AC-22)', async () => {
    world = await createCronWorld();
    await world.apply(tidy({ spec: { schedule: '*/5 * * * *', startingDeadlineSeconds: 60 } }));
    await world.until('0:04:30');
    await world.stopRuntime();
    await world.until('0:06:30');
    world.startRuntime();
    await world.until('0:10:10');
    expect(world.created).toEqual(['00:10 tidy:1']);
  });

  test('the last time is known after a restart without any child (AC-24, AC-25)', async () => {
    world = await createCronWorld();
    const spec = { schedule: '*/5 * * * *', successfulJobsHistoryLimit: 0 };
    await world.apply(tidy({ spec }));
    await world.until('0:05:40');
    expect(await world.children()).toEqual([]);
    await world.stopRuntime();
    world.startRuntime();
    await world.until('0:09:50');
    expect(world.created).toEqual(['00:05 tidy:1']);
    expect((await world.status()).status['lastScheduleTime']).toBe('2026-01-01T00:05:00Z');
  });

  test('creates none while it is paused, and cleans up all the same (AC-14, AC-15)', async () => {
    world = await createCronWorld();
    await world.apply(tidy());
    await world.until('0:03:40');
    await world.apply(tidy({ spec: { paused: true, successfulJobsHistoryLimit: 1 } }));
    await world.until('0:06:10');
    expect(await world.children()).toEqual(['00:03 Complete']);
    await world.apply(tidy());
    await world.until('0:06:30');
    expect(world.created.slice(3)).toEqual(['00:06 tidy:1']);
  });

  test('its children go with it, and none is made while it is being deleted (AC-28)', async () => {
    world = await createCronWorld();
    await world.apply(tidy({ image: 'tidy:slow' }));
    await world.until('0:02:30');
    await world.user.delete(advancedCronJobKind.resource, { namespace: OPS, name: 'tidy' });
    await world.until('0:06:00');
    expect([await world.children(), world.created.length]).toEqual([[], 2]);
  });

  test('a name that another owner has gets no child', async () => {
    world = await createCronWorld();
    const at = Date.UTC(2026, 0, 1, 0, 1) / 1000;
    const { template } = tidy()['spec'] as { template: { jobTemplate: object } };
    await world.user.create(childResources.Job, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { namespace: OPS, name: `tidy-${at}` },
      ...template.jobTemplate,
    });
    await world.apply(tidy());
    await world.until('0:02:10');
    expect(world.created).toEqual(['00:01 tidy:1', '00:02 tidy:1']);
    const { items } = await world.user.list(resources.Event, { namespace: OPS });
    expect(items.filter((each) => each['reason'] === 'FailedCreate')).toHaveLength(1);
  });

  test.each([
    ['2:07:20', ['02:03 tidy:1']],
    ['2:08:00', ['02:03 tidy:1']],
    ['2:12:00', []],
  ])(
    'a time within its deadline gets its child though its name is free at %s only',
    async (free, children) => {
      world = await createCronWorld();
      const at = Date.UTC(2026, 0, 1, 2, 3) / 1000;
      const { template } = tidy()['spec'] as { template: { jobTemplate: object } };
      const name = { namespace: OPS, name: `tidy-${at}` };
      await world.user.create(childResources.Job, {
        ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: name },
        ...template.jobTemplate,
      });
      await world.apply(tidy({ spec: { schedule: '3 2 * * *', startingDeadlineSeconds: 500 } }));
      await world.until(free);
      await world.user.delete(childResources.Job, name);
      await world.until('2:30:00');
      expect(await world.children()).toHaveLength(children.length);
    },
  );
});

describe('held ticks', () => {
  test('run the stable template until a plan comes, and then the new one', async () => {
    world = await createCronWorld();
    await world.apply(tidy());
    await world.until('0:01:30');
    await world.apply(tidy({ image: 'tidy:2' }));
    await world.until('0:03:30');
    expect([world.created.slice(1), (await world.status()).held]).toEqual([
      ['00:02 tidy:1', '00:03 tidy:1'],
      'NoPlan',
    ]);
    await world.apply(planFor({}, { image: 'tidy:2' }, CANARY));
    await world.until('0:04:10');
    expect(await world.plan()).toMatchObject({ phase: 'Running', step: 'first' });
    await world.until('0:06:30');
    expect(world.created.slice(3)).toEqual(['00:04 tidy:2', '00:05 tidy:2', '00:06 tidy:2']);
    expect([await world.plan(), (await world.status()).held]).toMatchObject([{ phase: 'Succeeded' }, '']);
    expect(world.errors).toEqual([]);
  });

  test('return to the stable template after a child that failed', async () => {
    world = await createCronWorld();
    await world.apply(tidy());
    await world.until('0:01:30');
    await world.apply(planFor({}, { image: 'tidy:bad' }, CANARY), tidy({ image: 'tidy:bad' }));
    await world.until('0:04:30');
    expect(world.created.slice(1)).toEqual(['00:02 tidy:bad', '00:03 tidy:1', '00:04 tidy:1']);
    expect(await world.plan()).toMatchObject({
      phase: 'Halted',
      message: expect.stringMatching(/tidy-[0-9]+ has failed/),
    });
  });
});

describe('an AdvancedCronJob of BroadcastJobs', () => {
  const broadcast = { of: 'BroadcastJob' } as const;

  test('waits for its plan, and its children need none of their own (AC-12)', async () => {
    world = await createCronWorld();
    await world.apply(tidy(broadcast));
    await world.until('0:02:30');
    expect([world.created, (await world.status()).held]).toEqual([[], 'NoPlan']);
    // It has not changed: it is new.
    expect(JSON.stringify((await world.status()).status)).toContain(
      'AdvancedCronJob ops/tidy is new and has no plan, and creates nothing at its times. Plan from the state before the commit that added it (COMMIT)',
    );
    await world.apply(planFor(undefined, broadcast, ALL));
    await world.until('0:04:50');
    expect(world.created.slice(-2)).toEqual(['00:03 tidy:1', '00:04 tidy:1']);
    expect(await world.plan()).toMatchObject({ phase: 'Succeeded' });
    expect(await world.children('BroadcastJob')).toEqual([
      '00:02 Complete',
      '00:03 Complete',
      '00:04 Complete',
    ]);
    expect((await world.status()).status).toMatchObject({ type: 'BroadcastJob' });
    const { items } = await world.user.list(resources.Pod, { namespace: OPS });
    expect(items).toHaveLength(9);
    expect(world.errors).toEqual([]);
  });
});
