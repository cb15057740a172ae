import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { NodeCluster, planOf } from './cluster.ts';

const NODES = 'n0 n1 n2 n3 n4 n5 n6';
const three: Step = { id: 'three', update: { to: 3 } };
const ok: Step = { id: 'ok', approve: {} };
const all: Step = { id: 'all', update: { to: '100%' } };

/** What becomes of a node. `down`: until the rollout has ended. `dead`: for good. `joined`, `full`: another one joins, `full` without room. */
const WHAT = ['down', 'dead', 'deleted', 'replaced', 'joined', 'full', 'tainted'] as const;
/** Before the plan, in its first step, near the end of the rollout or of the way back, and after it. */
const WHEN = ['before', 'in the first step', 'near the end', 'after'] as const;
const PARTITIONS = [0, 4] as const;

interface World {
  what: (typeof WHAT)[number];
  when: (typeof WHEN)[number];
  partition: (typeof PARTITIONS)[number];
  /** `taken`: one of those that the first step takes; `other`: the last one that is taken, if at all. */
  whom: 'taken' | 'other';
}

const worlds: readonly World[] = PARTITIONS.flatMap((partition) =>
  WHEN.flatMap((when) =>
    WHAT.flatMap((what) => (['taken', 'other'] as const).map((whom) => ({ partition, when, what, whom }))),
  ),
);

function titled(found: readonly World[]): [title: string, world: World][] {
  return found.map((world) => [
    `partition ${world.partition}, ${world.when}: ${world.what}, ${world.whom}`,
    world,
  ]);
}

/** All nodes at image 2, but for those that an earlier plan has left at image 1, by its partition: n0 to n3. */
function start({ partition }: World): NodeCluster {
  const rolling = rollingOf(partition);
  const cluster = new NodeCluster(partition === 0 ? '2' : '1', NODES, rolling).run(2);
  if (partition === 0) return cluster;
  cluster.plans = [planOf(['1'], '2', [all], { partition })];
  cluster.commit('2', rolling).run(6);
  expect(cluster.images).toBe('n0=1 n1=1 n2=1 n3=1 n4=2 n5=2 n6=2');
  return cluster;
}

function rollingOf(partition: number): Record<string, number> {
  return { maxUnavailable: 2, ...(partition > 0 && { partition }) };
}

/** A plan from there to image 3 begins. */
function begin(cluster: NodeCluster, { partition }: World, steps: readonly Step[]): void {
  const from = partition === 0 ? ['2'] : ['2', '1'];
  cluster.plans = [planOf(from, '3', steps, partition === 0 ? {} : { partition })];
  cluster.commit('3', rollingOf(partition)).run(1);
}

/** The first step takes what an earlier plan has left first, and then by name, the last one first. */
function nodeOf({ whom, partition }: World): string {
  if (whom === 'other') return 'n0';
  return partition === 0 ? 'n4' : 'n1';
}

function happen(cluster: NodeCluster, world: World): void {
  const node = nodeOf(world);
  switch (world.what) {
    case 'down':
    case 'dead':
      cluster.setReady(node, false);
      return;
    case 'deleted':
      cluster.remove(node);
      return;
    case 'replaced':
      cluster.remove(node).join('m0');
      return;
    case 'full':
      cluster.full.add('m0');
      cluster.join('m0');
      return;
    case 'joined':
      cluster.join('m0');
      return;
    case 'tainted':
      cluster.taint(node, 'NoSchedule');
  }
}

/** Lets the rollout end, whatever is away, and then what is down come back. */
function end(cluster: NodeCluster, world: World, state: RegExp): void {
  const { what } = world;
  runUntil(cluster, () => state.test(cluster.state));
  cluster.run(2);
  if (what === 'down') cluster.setReady(nodeOf(world), true).run(4);
  expect(cluster.state).toMatch(state);
}

/** How many pods there are of each image; those of a dead node do not count. */
function counted(cluster: NodeCluster): Record<string, number> {
  const isUp = (name: string): boolean =>
    cluster.nodes.some(
      ({ metadata, status }) =>
        metadata.name === name && status?.conditions?.some((each) => each.status === 'True') === true,
    );
  const counts: Record<string, number> = {};
  for (const [node = '', image = ''] of cluster.images.split(' ').map((each) => each.split('=')))
    if (isUp(node)) counts[image] = (counts[image] ?? 0) + 1;
  return counts;
}

function runUntil(cluster: NodeCluster, is: () => boolean): void {
  for (let minutes = 0; !is(); minutes++) {
    if (minutes > 25) throw new Error(`it never comes: ${cluster.state}, ${cluster.images}`);
    cluster.run(1);
  }
}

/** A node that joins in an earlier step, and has no room, is none of those that have joined in the last one: that waits for room. */
const waitsForRoom = ({ what, when, partition }: World): boolean =>
  what === 'full' && when === 'in the first step' && partition === 0;

describe('a rollout ends, and then each node has the change but for those that the partition keeps', () => {
  test.each(titled(worlds.filter((world) => !waitsForRoom(world))))('%s', (_title, world) => {
    const { what, when, partition, whom } = world;
    const cluster = start(world);
    if (when === 'before') happen(cluster.run(1), world);
    begin(cluster.run(1), world, [three, all]);
    if (when === 'in the first step') happen(cluster, world);
    if (when === 'near the end') {
      runUntil(cluster, () => (counted(cluster)['3'] ?? 0) >= (partition === 0 ? 5 : 2));
      happen(cluster, world);
    }
    if (when === 'after') {
      runUntil(cluster, () => cluster.state.startsWith('Succeeded'));
      happen(cluster, world);
    }
    end(cluster, world, /^Succeeded/);
    const { '3': updated = 0, '2': stable = 0, '1': older = 0 } = counted(cluster);
    const old = stable + older;
    const size = { down: 7, dead: 6, deleted: 6, replaced: 7, joined: 8, full: 8, tainted: 7 }[what];
    // One that admits no new pod has lost its pod, unless it was updated before.
    const hasLost = what === 'tainted' && partition === 0 && when !== 'after' && updated === size - 1;
    if (hasLost) expect(when === 'near the end' && whom === 'taken').toBe(false);
    else expect(updated + old).toBe(size);
    // The partition keeps a dead node, too. One that is deleted later is made up for by none.
    const isLess = what === 'dead' || (what === 'deleted' && when === 'after');
    if (isLess) expect([partition, Math.max(partition - 1, 0)]).toContain(old);
    else expect(old).toBe(partition);
  });
});

describe('a way back ends, and then no node has the change, and those that a bound has left are as they were', () => {
  const back = worlds.filter(({ when }) => when !== 'after');

  test.each(titled(back))('%s', (_title, world) => {
    const { what, when, partition } = world;
    const cluster = start(world);
    if (when === 'before') happen(cluster.run(1), world);
    begin(cluster.run(1), world, [three, ok, all]);
    runUntil(cluster, () => cluster.state === 'AwaitingApproval ok');
    expect(counted(cluster)['3']).toBeGreaterThan(1);
    if (when === 'in the first step') happen(cluster, world);
    cluster.run(1).command('Revert').run(1);
    if (when === 'near the end') happen(cluster, world);
    end(cluster, world, /^Reverted/);
    const { '3': changed = 0, '2': stable = 0, '1': older = 0 } = counted(cluster);
    expect(changed).toBe(0);
    if (partition === 0) {
      expect(older).toBe(0);
      // One that admits no new pod has lost the change.
      expect(stable).toBeGreaterThanOrEqual(
        what === 'tainted' || what === 'dead' || what === 'deleted' ? 6 : 7,
      );
      return;
    }
    // The step took three of the four that were left. One that joins instead of another may be made as that was.
    const isLess = what === 'dead' || what === 'deleted' || what === 'replaced';
    if (isLess) expect([0, 1]).toContain(older);
    else expect(older).toBe(1);
    expect(stable + older).toBeGreaterThanOrEqual(
      what === 'tainted' || what === 'dead' || what === 'deleted' ? 6 : 7,
    );
  });
});
