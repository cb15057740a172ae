import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { shownPull } from '../../fixtures/pull-jobs.ts';
import { PullCluster, pullPlan } from './run-cluster.ts';

const FOUR = 'a@x b@y c@x d@y';
const canary: Step[] = [
  { id: 'run-1', run: { to: 1 } },
  { id: 'soak-1', soak: { for: '10m' } },
  { id: 'run-all', run: { to: '100%' } },
];

function planned(nodes: string, steps: Step[] = canary, spec = {}): PullCluster {
  const cluster = new PullCluster(nodes, spec);
  cluster.plans = [pullPlan(1, steps)];
  return cluster;
}

describe('a pull under a plan', () => {
  test('without a plan it begins nowhere, and says so', () => {
    const cluster = new PullCluster(FOUR);
    cluster.wait(5);
    expect(cluster.created).toEqual([]);
    expect(cluster.held).toContain('NoPlan: the run of ImagePullJob ops/fix has no plan');
    expect(cluster.job['status']).toMatchObject({
      conditions: [{ type: 'plan.kruise.io/Held', reason: 'NoPlan' }],
    });
  });

  test('a wave, a soak, and the rest; its pods go once their node is on record', () => {
    const cluster = planned(FOUR);
    cluster.settle();
    expect([cluster.state, cluster.created, cluster.pulling]).toEqual(['Soaking soak-1', ['a'], []]);
    cluster.wait(9);
    expect(cluster.created).toEqual(['a']);
    cluster.wait(2);
    expect([cluster.state, cluster.created]).toEqual(['Succeeded', ['a', 'b', 'c', 'd']]);
    expect(shownPull(cluster.job)).toBe('4 desired, 0 active, 4 succeeded, 0 failed: job has completed');
    expect(cluster.pulling).toEqual([]);
  });

  test('one zone at a time, and no more nodes than both parallelisms allow', () => {
    const steps: Step[] = [{ id: 'run', run: { to: '100%', spread: 'zone', parallelism: 2 } }];
    const cluster = planned('a@x b@y c@x d@y e@x', steps, { parallelism: 3 });
    cluster.settle();
    expect([cluster.state, cluster.created]).toEqual(['Succeeded', ['a', 'c', 'e', 'b', 'd']]);
    expect(cluster.mostActive).toBe(2);
  });

  test('a node that reports the image gets no pod, and counts', () => {
    const cluster = planned(FOUR);
    cluster.nodes[0]!.status!.images = [{ names: ['docker.io/library/web:1'] }];
    cluster.wait(11);
    expect([cluster.state, cluster.created]).toEqual(['Succeeded', ['b', 'c', 'd']]);
  });

  test('a node that does not get it halts the plan after its attempts, and Resume tries again', () => {
    const cluster = planned(FOUR, canary, { pullPolicy: { backoffLimit: 1 } });
    cluster.ends.set('a', 'refused');
    cluster.wait(30);
    expect([cluster.state, cluster.created]).toEqual(['Halted run-1', ['a', 'a']]);
    expect(cluster.active?.progress.message).toMatch(/^run-1: pod fix-pull-\w+ failed on a \(/);
    expect(cluster.job['status']).toMatchObject({ succeeded: 0, failed: 1, failedNodes: ['a'] });
    cluster.ends.clear();
    cluster.command('Resume');
    cluster.wait(12);
    expect([cluster.state, cluster.created]).toEqual(['Succeeded', ['a', 'a', 'a', 'b', 'c', 'd']]);
  });

  test('a halted pull begins no further attempt', () => {
    const cluster = planned(FOUR, [{ id: 'run', run: { to: 2 } }], { pullPolicy: { backoffLimit: 5 } });
    cluster.ends.set('b', 'refused');
    cluster.settle();
    expect(cluster.created).toEqual(['a', 'b']);
    cluster.command('Abort');
    cluster.wait(30);
    expect(cluster.state).toBe('Aborted run');
    expect(cluster.created).toEqual(['a', 'b']);
    expect(cluster.pulling).toEqual([]);
    expect(cluster.job['status']).toMatchObject({ succeeded: 1, failed: 1, failedNodes: ['b'] });
  });

  test('a node that is taken out of the selector fails nothing', () => {
    const cluster = planned(FOUR, canary, { pullPolicy: { backoffLimit: 0 } });
    cluster.ends.set('a', 'refused');
    cluster.wait(5);
    expect(cluster.state).toBe('Halted run-1');
    cluster.commit(1, { selector: { names: ['b', 'c', 'd'] } });
    cluster.command('Resume');
    cluster.wait(12);
    expect(cluster.state).toBe('Succeeded');
    expect(shownPull(cluster.job)).toBe('3 desired, 0 active, 3 succeeded, 0 failed: job has completed');
  });

  test('a node that is worse afterwards halts it', () => {
    const cluster = planned(FOUR);
    cluster.afterwards = (node) => cluster.hurt(node);
    cluster.wait(30);
    expect([cluster.state, cluster.created]).toEqual(['Halted soak-1', ['a']]);
    expect(cluster.active?.progress.message).toContain('a is worse than before its run');
  });

  test.each<[string, (cluster: PullCluster) => void]>([
    [
      'is removed',
      (cluster) => (cluster.nodes = cluster.nodes.filter(({ metadata }) => metadata.name !== 'a')),
    ],
    ['is not chosen any more', (cluster) => cluster.commit(1, { selector: { names: ['b', 'c', 'd'] } })],
  ])(
    'a wave whose only node %s before it has the image proves nothing: the next node is its node',
    (_what, leave) => {
      const cluster = planned(FOUR);
      cluster.ends.set('a', 'pulling');
      cluster.wait(5);
      expect([cluster.state, cluster.created]).toEqual(['Running run-1', ['a']]);
      leave(cluster);
      cluster.wait(5);
      expect([cluster.state, cluster.created]).toEqual(['Soaking soak-1', ['a', 'b']]);
      cluster.wait(10);
      expect([cluster.state, cluster.created]).toEqual(['Succeeded', ['a', 'b', 'c', 'd']]);
      expect(shownPull(cluster.job)).toBe('3 desired, 0 active, 3 succeeded, 0 failed: job has completed');
    },
  );

  test('what was pulled is remembered when the job is deleted, whatever deletes it', () => {
    const cluster = planned(FOUR);
    cluster.wait(12);
    cluster.recreate();
    cluster.wait(5);
    expect(cluster.created).toHaveLength(4);
  });

  test('a node that is created again under its name has no image, and is pulled to again in the waves that follow', () => {
    const cluster = planned(FOUR);
    cluster.settle();
    expect([cluster.state, cluster.created]).toEqual(['Soaking soak-1', ['a']]);
    cluster.again('a');
    cluster.wait(3);
    expect([cluster.state, cluster.created]).toEqual(['Soaking soak-1', ['a']]);
    expect(shownPull(cluster.job)).toMatch(/^4 desired, 0 active, 0 succeeded, 0 failed/);
    cluster.wait(9);
    expect([cluster.state, cluster.created]).toEqual(['Succeeded', ['a', 'a', 'b', 'c', 'd']]);
    expect(shownPull(cluster.job)).toBe('4 desired, 0 active, 4 succeeded, 0 failed: job has completed');
    // After the end it pulls to no further node.
    cluster.again('b');
    cluster.wait(5);
    expect(cluster.created).toHaveLength(5);
  });

  test('another image is another run, which waits for its plan', () => {
    const cluster = planned(FOUR);
    cluster.wait(12);
    cluster.commit(2);
    cluster.wait(5);
    expect(cluster.created).toHaveLength(4);
    cluster.plans = [
      pullPlan(2, [{ id: 'run', run: { to: '100%' } }], { supersedes: [cluster.plans[0]!.digest] }),
    ];
    cluster.wait(5);
    expect([cluster.state, cluster.created.length]).toEqual(['Succeeded', 8]);
  });

  test('one that never ends pulls to nodes that join after its plan, and daily', () => {
    const cluster = planned('a b', [{ id: 'run', run: { to: '100%' } }], {
      completionPolicy: { type: 'Never' },
    });
    cluster.wait(2);
    expect([cluster.state, cluster.created]).toEqual(['Succeeded', ['a', 'b']]);
    cluster.join('c');
    cluster.wait(2);
    expect(cluster.created).toEqual(['a', 'b', 'c']);
    cluster.now += 24 * 3_600_000;
    cluster.wait(2);
    expect(cluster.created).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  });

  test('a second attempt pulls to the nodes that lack the image alone', () => {
    const cluster = planned(FOUR, [{ id: 'run', run: { to: '100%' } }], { pullPolicy: { backoffLimit: 0 } });
    cluster.ends.set('c', 'refused');
    cluster.wait(5);
    expect(cluster.state).toBe('Halted run');
    cluster.ends.clear();
    const again = { attempt: 2, supersedes: [cluster.plans[0]!.digest] };
    cluster.plans = [pullPlan(1, [{ id: 'run', run: { to: '100%' } }], again)];
    cluster.wait(5);
    expect([cluster.state, cluster.created]).toEqual(['Succeeded', ['a', 'b', 'c', 'd', 'c']]);
  });

  test('without a plan where the glass is broken, it pulls as any other job', () => {
    const cluster = new PullCluster('a b');
    cluster.policy = 'Auto';
    cluster.wait(2);
    expect(cluster.created).toEqual(['a', 'b']);
  });
});
