import { delayed } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { createRuntime } from '../../runtime/runtime.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { isOf, watchShared } from '../conformance/shared-pods.ts';
import { sidecarWorld } from './sidecar-world.ts';
import { cloneSet, planOf, templateOf } from './stage.ts';

const ALL = [{ id: 'all', update: { to: '100%' } }];

test(
  'a decision about many pods, which others decide on meanwhile, keeps the budget',
  { timeout: 300_000 },
  async () => {
    const late: typeof createRuntime = (options) =>
      createRuntime({ ...options, cluster: delayed(options.cluster, options.clock, () => 400) });
    const cluster = await sidecarWorld({ start: late });
    const { user, clock } = cluster;
    const updateStrategy = { maxUnavailable: 30 };
    await cluster.set('log:1', undefined, { updateStrategy });
    await user.create(
      resources.CloneSet,
      cloneSet('web', 'web:1', { replicas: 300 }, { maxUnavailable: 10 }),
    );
    await clock.advance(10 * 60_000);
    const broken = watchShared(cluster, await cluster.pods(), [{ covers: isOf('CloneSet'), least: 290 }]);
    await user.create(resources.RolloutPlan, planOf('web', 'web:1', 'web:2', { steps: ALL }));
    const body = { spec: { template: templateOf('web', 'web:2') } };
    await user.patch(resources.CloneSet, { namespace: 'shop', name: 'web' }, { type: 'merge', body });
    await cluster.set('log:2', ALL, { updateStrategy });
    await clock.advance(40_000);
    const images = await cluster.images();
    expect(images['log:2'] ?? 0).toBeGreaterThan(0);
    expect(broken).toEqual([]);
    await cluster.stop();
  },
);
