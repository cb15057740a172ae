import { afterEach, describe, expect, test } from 'vitest';
import { targetKey } from '../../runtime/observe/target-key.ts';
import type { SnapshotReport } from '../../runtime/report/snapshot.ts';
import { createMeters } from '../../runtime/report/meters.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createVirtualClock } from 'kruise-sandbox/clock';
import { cloneSet, createTestCluster, planOf, type TestCluster } from '../runtime/stage.ts';

const nothing = { plan: undefined, held: undefined };

let stage: TestCluster | undefined;
afterEach(() => stage?.stop());

describe('security: metrics of deleted targets', () => {
  test('a deleted target is dropped: one of the same name is a new one', async () => {
    const clock = createVirtualClock(0);
    const meters = createMeters({ clock, version: '1' });
    const { onSnapshot } = meters.hooks();
    const key = targetKey({ group: 'apps.kruise.io', kind: 'CloneSet' }, 'evil', 'web');
    const step = { digest: 'h1:0', phase: 'Running', step: 0, verb: 'update' } as const;
    const durations = () => /kruise_step_duration_seconds_count.* (\d+)/.exec(meters.render(undefined))?.[1];
    onSnapshot({ key, ...nothing });
    onSnapshot({ key, gone: true, ...nothing });
    onSnapshot({ key, plan: step, held: undefined });
    await clock.advance(5_000);
    onSnapshot({ key, ...nothing });
    expect(durations()).toBeUndefined();
    onSnapshot({ key, plan: step, held: undefined });
    onSnapshot({ key, gone: true, ...nothing });
    expect(durations()).toBe('1');
  });

  test('a plan without a target, and a deleted target, are dropped', async () => {
    stage = await createTestCluster(cloneSet('web', 'web:1'));
    await stage.runtime.stop();
    const reports: SnapshotReport[] = [];
    const runtime = createRuntime({
      cluster: stage.world.cluster('kruise'),
      clock: stage.clock,
      policy: 'Required',
      onSnapshot: (report) => void reports.push(report),
    });
    runtime.start();
    await stage.user.create(resources.RolloutPlan, planOf('none', 'none:1', 'none:2'));
    await stage.clock.advance(5_000);
    await stage.user.delete(resources.CloneSet, { namespace: 'shop', name: 'web' });
    await stage.clock.advance(60_000);
    for (const name of ['none', 'web'])
      expect(reports.filter((report) => report.key.name === name).at(-1)).toMatchObject({ gone: true });
    void runtime.stop();
  });
});
