import { afterEach, describe, expect, test } from 'vitest';
import { targetKey } from '../../runtime/observe/target-key.ts';
import type { LookReport } from '../../runtime/report/look.ts';
import { createMeters } from '../../runtime/report/meters.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createVirtualClock } from '../../sandbox/clock/virtual.ts';
import { cloneSet, createStage, planOf, type Stage } from '../runtime/stage.ts';

const nothing = { plan: undefined, held: undefined };

let stage: Stage | undefined;
afterEach(() => stage?.stop());

describe('security: metrics of names that nobody bears any more', () => {
  test('nothing is kept of a target that is gone: one of the same name is a new one', async () => {
    const clock = createVirtualClock(0);
    const meters = createMeters({ clock, version: '1' });
    const { onLook } = meters.hooks();
    const key = targetKey({ group: 'apps.kruise.io', kind: 'CloneSet' }, 'evil', 'web');
    const step = { digest: 'h1:0', phase: 'Running', step: 0, verb: 'update' } as const;
    const durations = () => /kruise_step_duration_seconds_count.* (\d+)/.exec(meters.render(undefined))?.[1];
    onLook({ key, ...nothing });
    onLook({ key, gone: true, ...nothing });
    onLook({ key, plan: step, held: undefined });
    await clock.advance(5_000);
    onLook({ key, ...nothing });
    expect(durations()).toBeUndefined();
    onLook({ key, plan: step, held: undefined });
    onLook({ key, gone: true, ...nothing });
    expect(durations()).toBe('1');
  });

  test('a plan whose target is not there, and a target that was deleted, are such names', async () => {
    stage = await createStage(cloneSet('web', 'web:1'));
    await stage.runtime.stop();
    const looks: LookReport[] = [];
    const runtime = createRuntime({
      cluster: stage.world.cluster('kruise'),
      clock: stage.clock,
      policy: 'Required',
      onLook: (look) => void looks.push(look),
    });
    runtime.start();
    await stage.user.create(resources.RolloutPlan, planOf('none', 'none:1', 'none:2'));
    await stage.clock.advance(5_000);
    await stage.user.delete(resources.CloneSet, { namespace: 'shop', name: 'web' });
    await stage.clock.advance(60_000);
    for (const name of ['none', 'web'])
      expect(looks.filter((look) => look.key.name === name).at(-1)).toMatchObject({ gone: true });
    void runtime.stop();
  });
});
