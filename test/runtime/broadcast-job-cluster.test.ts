import { afterEach, describe, expect, test } from 'vitest';
import { createRuntime, type RuntimeOptions } from '../../runtime/runtime.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { intercepting } from 'kruise-sandbox';
import { createRunWorld, MINUTE, OPS, type RunWorld } from './run-world.ts';

let world: RunWorld | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

const quotas = {
  group: '',
  version: 'v1',
  plural: 'resourcequotas',
  kind: 'ResourceQuota',
  namespaced: true,
};
const quota = (pods: number) => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { namespace: OPS, name: 'few' },
  spec: { hard: { pods: String(pods) } },
});

describe('a BroadcastJob in Auto, and its cluster', () => {
  test('a refused creation is said, the others wait, and it is tried again (BJ-36)', async () => {
    world = await createRunWorld({ policy: 'Auto' });
    await world.user.create(quotas, quota(2));
    await world.clock.advance(10_000);
    world.world.images.set('fix:1', { keepsRunning: true });
    await world.apply({});
    await world.clock.advance(10_000);
    expect(world.created).toHaveLength(2);
    const { items } = await world.user.list(resources.Event, { namespace: OPS });
    expect(items.map((event) => event['reason'])).toContain('FailedCreate');
    const refused = world.world.log.filter(
      ({ verb, resource, code }) => verb === 'create' && resource === 'pods' && code === 403,
    );
    // Four nodes wait; the first refused batch ends a try.
    expect(refused.filter(({ at }) => at === refused[0]?.at).length).toBeLessThan(4);
    expect(new Set(refused.map(({ at }) => at)).size, 'it tries again').toBeGreaterThan(1);
    await world.user.replace(quotas, {
      ...quota(9),
      metadata: (await world.user.get(quotas, { namespace: OPS, name: 'few' })).metadata,
    });
    await world.clock.advance(10 * MINUTE);
    expect(new Set(world.created).size).toBe(6);
  });

  test('nodes that it tolerates are all desired, and all succeed (BJ-38)', async () => {
    world = await createRunWorld({ policy: 'Auto' });
    const { items: nodes } = await world.user.list(resources.Node, {});
    const taints = [{ key: 'fake', value: 'true', effect: 'NoSchedule' }];
    for (const { metadata } of nodes)
      await world.user.patch(
        resources.Node,
        { name: metadata.name },
        { type: 'merge', body: { spec: { taints } } },
      );
    const tolerations = [{ key: 'fake', operator: 'Exists', effect: 'NoSchedule' }];
    await world.apply({ spec: { parallelism: 5 }, pod: { tolerations } });
    await world.clock.advance(10_000);
    expect((await world.job()).status).toMatchObject({ desired: 6, active: 5 });
    await world.clock.advance(2 * MINUTE);
    expect((await world.job()).status).toMatchObject({ desired: 6, succeeded: 6, phase: 'completed' });
  });

  test('a conflict at completion: the status is written all the same (BJ-39)', async () => {
    let conflicts = 0;
    const start = (options: RuntimeOptions) =>
      createRuntime({
        ...options,
        cluster: intercepting(options.cluster, {
          async request(call, send) {
            if (call.verb === 'patch' && conflicts === 0 && JSON.stringify(call).includes('"completed"')) {
              conflicts += 1;
              throw new ApiError({ code: 409, reason: 'Conflict', message: 'changed meanwhile' });
            }
            return send();
          },
          watch: (_call, open, sink) => open(sink),
        }),
      });
    world = await createRunWorld({ policy: 'Auto', start });
    await world.apply({});
    await world.clock.advance(5 * MINUTE);
    expect(conflicts).toBe(1);
    expect((await world.job()).status).toMatchObject({
      phase: 'completed',
      succeeded: 6,
      conditions: [{ type: 'Complete', status: 'True' }],
    });
  });

  test('heartbeats of nodes cause no reconcile (BJ-40)', async () => {
    let reconciles = 0;
    const start = (options: RuntimeOptions) =>
      createRuntime({ ...options, onSnapshot: () => (reconciles += 1) });
    world = await createRunWorld({ policy: 'Auto', start });
    world.world.images.set('fix:1', { keepsRunning: true });
    await world.apply({});
    await world.clock.advance(5 * MINUTE);
    expect((await world.job()).status).toMatchObject({ active: 6 });
    const before = reconciles;
    for (let beat = 1; beat <= 5; beat += 1) {
      for (const { metadata, ...node } of (await world.user.list(resources.Node, {})).items) {
        const { conditions = [] } = node['status'] as { conditions?: { type: string }[] };
        const lastHeartbeatTime = new Date(world.clock.now()).toISOString();
        const body = { status: { conditions: conditions.map((each) => ({ ...each, lastHeartbeatTime })) } };
        await world.user.patch(
          resources.Node,
          { name: metadata.name },
          { type: 'merge', body },
          { subresource: 'status' },
        );
      }
      await world.clock.advance(10_000);
    }
    expect(reconciles).toBe(before);
    const taints = [{ key: 'down', effect: 'NoExecute' }];
    await world.user.patch(resources.Node, { name: 'node-1' }, { type: 'merge', body: { spec: { taints } } });
    await world.clock.advance(10_000);
    expect(reconciles, 'a change that matters causes one').toBeGreaterThan(before);
  });
});
