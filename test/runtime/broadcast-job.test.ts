import { afterEach, describe, expect, test } from 'vitest';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { broadcastJobResource } from '../../semantics/broadcastjob/resource.ts';
import { RUN_TARGET_LABEL } from '../../semantics/run/labels.ts';
import { addNode, createRunWorld, MINUTE, OPS, type RunWorld, ZONE } from './run-world.ts';

let world: RunWorld | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

const spread = ZONE;
const WAVES: readonly Step[] = [
  { id: 'one', run: { to: 1, spread } },
  { id: 'watch', soak: { for: '2m' } },
  { id: 'half', run: { to: '50%', spread } },
  { id: 'rest', run: { to: '100%', spread } },
];
const ALL: readonly Step[] = [{ id: 'all', run: { to: '100%' } }];
const at = { namespace: OPS, name: 'fix' };

const records = async ({ user }: RunWorld): Promise<KubeObject[]> => {
  const { items } = await user.list(resources.ControllerRevision, { namespace: OPS });
  return items.filter(({ metadata }) => metadata.labels?.[RUN_TARGET_LABEL] === 'fix');
};

/** A pod of another owner that serves on a node, in the namespace of the runs. */
async function serve({ user, clock }: RunWorld, node: string): Promise<void> {
  await user.create(resources.Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: OPS, name: `web-on-${node}` },
    spec: { nodeName: node, containers: [{ name: 'main', image: 'web:1' }] },
  });
  await clock.advance(30_000);
}

describe('a BroadcastJob with a plan', () => {
  test('starts nothing before its plan', async () => {
    world = await createRunWorld();
    await world.apply({});
    await world.clock.advance(10 * MINUTE);
    expect(world.created).toEqual([]);
    expect((await world.job()).held).toMatch(/^NoPlan: /);
  });

  test('runs in waves, in one zone at a time, and each node once', async () => {
    world = await createRunWorld();
    await world.apply({}, WAVES);
    await world.clock.advance(MINUTE);
    expect([world.created, await world.plan()]).toMatchObject([['node-1'], { phase: 'Soaking' }]);
    await world.clock.advance(10 * MINUTE);
    expect(world.created).toEqual(['node-1', 'node-4', 'node-2', 'node-5', 'node-3', 'node-6']);
    expect(world.mostZones).toBe(1);
    expect(await world.plan()).toMatchObject({ phase: 'Succeeded' });
    expect(await world.job()).toMatchObject({
      held: '',
      status: { phase: 'completed', desired: 6, succeeded: 6, active: 0, failed: 0 },
    });
    expect(world.errors).toEqual([]);
  });

  test('stops after one node that it has harmed, although its pod exited with 0', async () => {
    world = await createRunWorld();
    await serve(world, 'node-1');
    await world.apply({}, WAVES);
    await world.clock.advance(MINUTE);
    expect(await world.plan()).toMatchObject({ phase: 'Soaking' });
    world.world.images.set('web:1', { crashAfterMs: 100 });
    const body = { status: { conditions: [{ type: 'Ready', status: 'False' }] } };
    world.world.nodes.stopKubelet('node-1');
    await world.user.patch(
      resources.Pod,
      { namespace: OPS, name: 'web-on-node-1' },
      { type: 'strategic', body },
      { subresource: 'status' },
    );
    await world.clock.advance(30 * MINUTE);
    expect(world.created).toEqual(['node-1']);
    const { phase, message } = await world.plan();
    expect([phase, message]).toEqual([
      'Halted',
      expect.stringContaining('node-1 is worse than before its run'),
    ]);
    expect(message).toContain('pod ops/web-on-node-1 was available and is not now');
  });

  test('halts where a pod fails, and starts no further one', async () => {
    world = await createRunWorld();
    await world.apply({ image: 'fix:bad' }, WAVES);
    await world.clock.advance(30 * MINUTE);
    expect(world.created).toEqual(['node-1']);
    expect(await world.phases()).toEqual({ Failed: ['node-1'] });
    const { phase, message } = await world.plan();
    expect([phase, message]).toEqual(['Halted', expect.stringContaining('main exited with code 1')]);
    expect((await world.job()).status).toMatchObject({ phase: 'paused', failed: 1 });
  });

  test('goes on with Continue', async () => {
    world = await createRunWorld();
    await world.apply({ image: 'fix:bad', spec: { failurePolicy: { type: 'Continue' } } }, WAVES);
    await world.clock.advance(30 * MINUTE);
    expect(world.created).toHaveLength(6);
    expect((await world.job()).status).toMatchObject({ failed: 6, succeeded: 0 });
  });

  test('runs on a node that joins within the last step, and not on one that is cordoned', async () => {
    world = await createRunWorld();
    const { user } = world;
    await world.apply({}, WAVES);
    await world.clock.advance(MINUTE);
    const body = { spec: { unschedulable: true } };
    await user.patch(resources.Node, { name: 'node-6' }, { type: 'merge', body });
    await user.delete(resources.Node, { name: 'node-5' });
    addNode(world.world, 'node-7', 'zone-a');
    await world.clock.advance(20 * MINUTE);
    expect([...world.created].sort()).toEqual(['node-1', 'node-2', 'node-3', 'node-4', 'node-7']);
    expect(await world.plan()).toMatchObject({ phase: 'Succeeded' });
  });

  test('is consumed: neither a restart nor a job that is applied again begins it anew', async () => {
    world = await createRunWorld();
    const { user, clock } = world;
    await world.apply({}, ALL);
    await clock.advance(5 * MINUTE);
    expect([world.created.length, (await records(world)).length]).toEqual([6, 1]);
    await world.restart();
    await user.delete(broadcastJobResource, at);
    await clock.advance(5 * MINUTE);
    expect(await world.phases()).toEqual({});
    await world.apply({}, ALL);
    await clock.advance(10 * MINUTE);
    expect(world.created).toHaveLength(6);
    expect((await world.job()).status).toMatchObject({ phase: 'completed', succeeded: 6 });
    expect(world.errors).toEqual([]);
  });

  test('goes on where it was after a restart in the middle of a wave', async () => {
    world = await createRunWorld({ nodes: 9 });
    await world.apply({ spec: { parallelism: 2 } }, ALL);
    await world.clock.advance(30_000);
    const before = world.created.length;
    expect(before).toBeGreaterThan(1);
    await world.restart();
    await world.clock.advance(10 * MINUTE);
    expect([world.created.length, new Set(world.created).size]).toEqual([9, 9]);
    expect(await world.plan()).toMatchObject({ phase: 'Succeeded' });
  });

  test('stops in the middle of a wave while it is paused', async () => {
    world = await createRunWorld();
    await world.apply({ spec: { parallelism: 1 } }, ALL);
    await world.clock.advance(30_000);
    const before = world.created.length;
    await world.apply({ spec: { parallelism: 1, paused: true } });
    await world.clock.advance(10 * MINUTE);
    expect(world.created.length).toBeLessThanOrEqual(before + 1);
    const paused = world.created.length;
    expect((await world.job()).status).toMatchObject({ phase: 'paused' });
    await world.apply({ spec: { parallelism: 1, paused: false } });
    await world.clock.advance(10 * MINUTE);
    expect([paused < 6, world.created.length]).toEqual([true, 6]);
  });
});

test('of two runs with plans, one waits for the slot of the other', async () => {
  world = await createRunWorld({ maxRunning: 1 });
  await world.apply({ spec: { parallelism: 1 } }, ALL);
  await world.clock.advance(5_000);
  await world.apply({ name: 'other', image: 'fix:2' }, ALL);
  await world.clock.advance(30_000);
  const pods = async (): Promise<string[]> => {
    const { items } = await (world as RunWorld).user.list(resources.Pod, { namespace: OPS });
    return items.map(({ metadata }) => metadata.labels?.['broadcastjob-name'] ?? '');
  };
  expect(new Set(await pods())).toEqual(new Set(['fix']));
  await world.clock.advance(20 * MINUTE);
  expect((await pods()).filter((name) => name === 'other')).toHaveLength(6);
});

describe('a BroadcastJob in Auto', () => {
  test('is deleted when its time to live is over, and its pods with it', async () => {
    world = await createRunWorld({ policy: 'Auto' });
    await world.apply({ spec: { completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 60 } } });
    await world.clock.advance(MINUTE);
    expect((await world.job()).status).toMatchObject({ phase: 'completed', succeeded: 6 });
    await world.clock.advance(2 * MINUTE);
    expect((await world.user.list(broadcastJobResource, { namespace: OPS })).items).toEqual([]);
    expect(await world.phases()).toEqual({});
    expect(world.errors).toEqual([]);
  });

  test('retries a failed container up to its limit, and then fails', async () => {
    world = await createRunWorld({ nodes: 1, policy: 'Auto' });
    await world.apply({
      image: 'fix:bad',
      restartPolicy: 'OnFailure',
      spec: { failurePolicy: { type: 'FailFast', restartLimit: 2 } },
    });
    await world.clock.advance(30 * MINUTE);
    expect((await world.job()).status).toMatchObject({ phase: 'failed', failed: 1 });
    expect(world.created).toHaveLength(1);
  });

  test('with Never goes on, on nodes that join', async () => {
    world = await createRunWorld({ nodes: 2, policy: 'Auto' });
    await world.apply({ spec: { completionPolicy: { type: 'Never' } } });
    await world.clock.advance(5 * MINUTE);
    addNode(world.world, 'node-3', 'zone-c');
    await world.clock.advance(5 * MINUTE);
    expect(world.created).toEqual(['node-1', 'node-2', 'node-3']);
    expect((await world.job()).status).toMatchObject({ phase: 'running', succeeded: 3 });
  });
});
