import { describe, expect, test } from 'vitest';
import type { PodOnNode } from '../../../semantics/node/pod-on-node.ts';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { planOf, RunCluster } from './cluster.ts';

const FOUR = 'a@x b@y c@x d@y';
const canary: Step[] = [
  { id: 'run-1', run: { to: 1 } },
  { id: 'soak-1', soak: { for: '10m' } },
  { id: 'run-all', run: { to: '100%' } },
];

/** A cluster whose job has a plan of these steps. */
function planned(nodes: string, steps: Step[] = canary, spec = {}): RunCluster {
  const cluster = new RunCluster(nodes, spec);
  cluster.plans = [planOf(1, steps)];
  return cluster;
}

describe('a run under a plan', () => {
  test('without a plan it begins nowhere, and says so', () => {
    const cluster = new RunCluster(FOUR);
    cluster.wait(5);
    expect(cluster.created).toEqual([]);
    expect(cluster.held).toContain('NoPlan: the run of BroadcastJob ops/fix has no plan');
  });

  test('a wave, a soak, and the rest', () => {
    const cluster = planned(FOUR);
    cluster.settle();
    expect([cluster.state, cluster.created]).toEqual(['Soaking soak-1', ['a']]);
    cluster.wait(9);
    expect(cluster.created).toEqual(['a']);
    cluster.wait(2);
    expect([cluster.state, cluster.created]).toEqual(['Succeeded', ['a', 'b', 'c', 'd']]);
    expect(cluster.job['status']).toMatchObject({ phase: 'completed', desired: 4, succeeded: 4, failed: 0 });
  });

  test('nodes that join after it has begun are its size: no wave and no soak is passed over', () => {
    const cluster = planned('a');
    cluster.nodes = [];
    cluster.wait(2);
    expect([cluster.state, cluster.created]).toEqual(['Running run-1', []]);
    for (const name of ['a', 'b']) cluster.join(name);
    cluster.wait(2);
    expect([cluster.state, cluster.created]).toEqual(['Soaking soak-1', ['a']]);
    cluster.wait(10);
    expect([cluster.state, cluster.created]).toEqual(['Succeeded', ['a', 'b']]);
  });

  test('one zone at a time, and no more nodes than both parallelisms allow', () => {
    const steps: Step[] = [{ id: 'run', run: { to: '100%', spread: 'zone', parallelism: 2 } }];
    const cluster = planned('a@x b@y c@x d@y e@x', steps, { parallelism: 3 });
    cluster.settle();
    expect([cluster.state, cluster.created]).toEqual(['Succeeded', ['a', 'c', 'e', 'b', 'd']]);
    expect([cluster.mostActive, cluster.mostZones]).toEqual([2, 1]);
  });

  test('a failed pod halts it: no other node gets a pod', () => {
    const cluster = planned(FOUR);
    cluster.failsOn.add('a');
    cluster.wait(30);
    expect([cluster.state, cluster.created]).toEqual(['Halted run-1', ['a']]);
    expect(cluster.active?.progress.message).toBe(
      `run-1: pod ${cluster.pods[0]?.metadata.name} failed on a (its phase is Failed)`,
    );
    expect(cluster.job['status']).toMatchObject({ phase: 'paused', failed: 1 });
  });

  test('a node that is worse after a pod that exits 0 halts it, and is named', () => {
    const cluster = planned(FOUR);
    cluster.afterwards = (node) => cluster.hurt(node);
    cluster.wait(30);
    expect([cluster.state, cluster.created]).toEqual(['Halted soak-1', ['a']]);
    expect(cluster.active?.progress.message).toBe(
      'a is worse than before its run, which fails step soak-1: pod ops/on-a was available and is not now',
    );
  });

  test('what was broken before the run does not count', () => {
    const cluster = planned(FOUR);
    cluster.hurt('a');
    cluster.wait(12);
    expect(cluster.state).toBe('Succeeded');
  });

  test('Resume accepts what is worse on a node: it goes on, and only what gets worse from then on halts it', () => {
    const cluster = planned(FOUR);
    cluster.afterwards = (node) => cluster.hurt(node);
    cluster.wait(30);
    expect(cluster.state).toBe('Halted soak-1');
    cluster.afterwards = () => undefined;
    cluster.command('Resume');
    cluster.settle();
    expect(cluster.state).toBe('Soaking soak-1');
    cluster.podsOnNodes = cluster.podsOnNodes.map((pod) =>
      pod.node === 'a' ? { ...pod, restarts: 1 } : pod,
    );
    cluster.wait(1);
    expect([cluster.state, cluster.active?.progress.message]).toEqual([
      'Halted soak-1',
      expect.stringContaining('containers of pod ops/on-a have restarted'),
    ]);
    cluster.command('Resume');
    cluster.wait(12);
    expect([cluster.state, cluster.created]).toEqual(['Succeeded', ['a', 'b', 'c', 'd']]);
  });

  test('so does another attempt', () => {
    const cluster = planned(FOUR);
    cluster.afterwards = (node) => cluster.hurt(node);
    cluster.wait(30);
    cluster.afterwards = () => undefined;
    cluster.plans = [planOf(1, canary, { attempt: 2, supersedes: [cluster.plans[0]!.digest] })];
    cluster.wait(12);
    expect([cluster.state, cluster.created]).toEqual(['Succeeded', ['a', 'b', 'c', 'd']]);
  });

  test('as many restarts as a check of nodes says are no harm, in its soaks, too', () => {
    const check: Step = { id: 'check-1', check: { use: 'nodes', args: { restarts: '2' } } };
    const restarts = (times: number): RunCluster => {
      const cluster = planned(FOUR, [...canary, check]);
      const again = (each: PodOnNode): PodOnNode => ({ ...each, restarts: times });
      cluster.afterwards = () => void (cluster.podsOnNodes = cluster.podsOnNodes.map(again));
      cluster.wait(12);
      return cluster;
    };
    expect(restarts(2).state).toBe('Checking check-1');
    const halted = restarts(3);
    expect([halted.state, halted.active?.progress.message]).toEqual([
      'Halted soak-1',
      expect.stringContaining('pod ops/on-a have restarted 3 times, at most 2 allowed'),
    ]);
  });

  test('a corrected run names the hung pod of the earlier one, and goes on when that is deleted', () => {
    const cluster = planned('a@x', [{ id: 'run', run: { to: '100%' } }]);
    while (cluster.pods.length === 0) cluster.reconcile();
    const [hung = ''] = cluster.pods.map(({ metadata }) => metadata.name);
    cluster.hung.add(hung);
    cluster.commit(2);
    const [before] = cluster.plans;
    cluster.plans = [planOf(2, [{ id: 'run', run: { to: '100%' } }], { supersedes: [before!.digest] })];
    cluster.wait(1);
    const named = `pod ${hung} of the earlier run ${cluster.runs[0]?.metadata.name} on a has not ended`;
    expect(cluster.held).toBe(
      `EarlierRun: ${named}, and this run waits for that. Let it end, or end it: kubectl delete pod -n ops ${hung}`,
    );
    const { last } = cluster;
    if (last?.do !== 'act') throw new Error('nothing was decided');
    expect(last.rolloutResult.result.waitingOn).toBe(`nodes: 0 of 1 have finished (${named})`);
    expect(last.explanations).toContainEqual({
      about: 'a',
      reason: `gets no pod yet: pod ${hung} of an earlier run has not ended there`,
    });
    cluster.pods = [];
    cluster.settle();
    expect([cluster.state, cluster.created, cluster.held]).toEqual([
      'Succeeded',
      ['a', 'a'],
      'undefined: undefined',
    ]);
  });

  test('Resume runs the failed node again, and goes on', () => {
    const cluster = planned(FOUR);
    cluster.failsOn.add('a');
    cluster.wait(1);
    cluster.failsOn.clear();
    cluster.command('Resume');
    cluster.settle();
    expect([cluster.state, cluster.created]).toEqual(['Soaking soak-1', ['a', 'a']]);
    cluster.wait(11);
    expect([cluster.state, cluster.created]).toEqual(['Succeeded', ['a', 'a', 'b', 'c', 'd']]);
  });

  test('Resume, and the node fails again: it is halted again, and runs once more only when asked', () => {
    const cluster = planned(FOUR);
    cluster.failsOn.add('a');
    cluster.wait(1);
    cluster.command('Resume');
    cluster.wait(5);
    expect([cluster.state, cluster.created]).toEqual(['Halted run-1', ['a', 'a']]);
  });

  test('with Continue it goes on, and another attempt runs what has failed, and nothing else', () => {
    const cluster = planned(FOUR, canary, { failurePolicy: { type: 'Continue' } });
    cluster.failsOn = new Set(['a', 'c']);
    cluster.wait(12);
    expect([cluster.state, cluster.created]).toEqual(['Succeeded', ['a', 'b', 'c', 'd']]);
    cluster.failsOn.clear();
    cluster.plans = [planOf(1, canary, { attempt: 2, supersedes: [cluster.plans[0]!.digest] })];
    cluster.wait(1);
    expect([cluster.state, cluster.created.slice(4)]).toEqual(['Soaking soak-1', ['a']]);
    cluster.wait(11);
    expect([cluster.state, cluster.created.slice(4)]).toEqual(['Succeeded', ['a', 'c']]);
  });

  test('a job that is pruned and applied again after its end runs nowhere', () => {
    const cluster = planned(FOUR);
    cluster.wait(12);
    cluster.recreate();
    cluster.wait(12);
    expect([cluster.state, cluster.created]).toEqual(['Succeeded', ['a', 'b', 'c', 'd']]);
    expect(cluster.job['status']).toMatchObject({ phase: 'completed', succeeded: 4 });
  });

  test('nor does it where no plan is required', () => {
    const cluster = planned(FOUR);
    cluster.wait(12);
    cluster.recreate();
    cluster.policy = 'Auto';
    cluster.plans = [];
    cluster.wait(12);
    expect(cluster.created).toEqual(['a', 'b', 'c', 'd']);
  });

  test('one that is applied again half-way starts at step 1, and skips nodes on record', () => {
    const cluster = planned(FOUR);
    cluster.wait(5);
    cluster.recreate();
    cluster.settle();
    expect([cluster.state, cluster.created]).toEqual(['Soaking soak-1', ['a']]);
    cluster.wait(11);
    expect([cluster.state, cluster.created]).toEqual(['Succeeded', ['a', 'b', 'c', 'd']]);
  });

  test('a changed template is a run of its own, and waits for its plan', () => {
    const cluster = planned(FOUR);
    cluster.wait(12);
    cluster.commit(2);
    cluster.wait(5);
    expect(cluster.created).toHaveLength(4);
    cluster.plans = [planOf(2, canary, { supersedes: [cluster.plans[0]!.digest] })];
    cluster.wait(12);
    expect([cluster.state, cluster.created.slice(4)]).toEqual(['Succeeded', ['a', 'b', 'c', 'd']]);
    expect(cluster.runs).toHaveLength(2);
  });

  test('an edited soak is the same run', () => {
    const cluster = planned(FOUR);
    cluster.wait(12);
    const edited = canary.map((step) => (step.soak === undefined ? step : { ...step, soak: { for: '1m' } }));
    cluster.plans = [planOf(1, edited, { supersedes: [cluster.plans[0]!.digest] })];
    cluster.wait(12);
    expect([cluster.state, cluster.created]).toEqual(['Succeeded', ['a', 'b', 'c', 'd']]);
  });

  test('a manifest that goes back starts nothing; when it returns, step 1 skips nodes on record', () => {
    const cluster = planned(FOUR);
    cluster.wait(12);
    cluster.commit(2);
    const [first] = cluster.plans;
    cluster.plans = [planOf(2, canary, { supersedes: [first!.digest] })];
    cluster.wait(5);
    expect([cluster.state, cluster.created.slice(4)]).toEqual(['Soaking soak-1', ['a']]);
    cluster.commit(1);
    cluster.wait(12);
    expect([cluster.state, cluster.created.slice(4)]).toEqual(['Reverted soak-1', ['a']]);
    cluster.commit(2);
    cluster.settle();
    expect(cluster.state).toBe('Soaking soak-1');
    cluster.wait(12);
    expect([cluster.state, cluster.created.slice(4)]).toEqual(['Succeeded', ['a', 'b', 'c', 'd']]);
  });

  test('nodes that join before the last wave run in it, later ones do not', () => {
    const cluster = planned('a b');
    cluster.wait(2);
    cluster.join('c');
    cluster.wait(10);
    expect([cluster.state, cluster.created]).toEqual(['Succeeded', ['a', 'b', 'c']]);
    cluster.join('d');
    cluster.wait(5);
    expect(cluster.created).toEqual(['a', 'b', 'c']);
  });

  test('with Never they do', () => {
    const cluster = planned('a b', canary, { completionPolicy: { type: 'Never' } });
    cluster.wait(12);
    expect(cluster.state).toBe('Succeeded');
    cluster.join('d');
    cluster.wait(5);
    expect(cluster.created).toEqual(['a', 'b', 'd']);
  });

  test('a node that leaves between waves holds nothing up, a cordoned one gets no pod', () => {
    const cluster = planned(FOUR);
    cluster.wait(2);
    cluster.removeNode('a');
    cluster.cordon('c');
    cluster.wait(12);
    expect([cluster.state, cluster.created]).toEqual(['Succeeded', ['a', 'b', 'd']]);
  });

  test('a percentage is of the nodes when the wave starts', () => {
    const steps: Step[] = [
      { id: 'run-1', run: { to: '50%' } },
      { id: 'approve-1', approve: {} },
      { id: 'run-2', run: { to: '100%' } },
    ];
    const cluster = planned(FOUR, steps);
    cluster.wait(2);
    expect([cluster.state, cluster.created]).toEqual(['AwaitingApproval approve-1', ['a', 'b']]);
  });

  test('an aborted run is failed, and no further node begins', () => {
    const cluster = planned(FOUR);
    cluster.wait(2);
    cluster.command('Abort');
    cluster.wait(12);
    expect([cluster.state, cluster.created]).toEqual(['Aborted soak-1', ['a']]);
    expect(cluster.job['status']).toMatchObject({ phase: 'failed' });
  });

  test('Revert is refused: a run cannot be undone', () => {
    const cluster = planned(FOUR);
    cluster.wait(2);
    cluster.command('Revert');
    cluster.settle();
    expect(cluster.state).toBe('Soaking soak-1');
  });

  test('a paused job waits, and its step does not fail', () => {
    const cluster = planned(FOUR, [{ id: 'run-all', run: { to: '100%' }, timeout: '5m' }], { paused: true });
    cluster.wait(20);
    expect([cluster.state, cluster.created]).toEqual(['Running run-all', []]);
    cluster.commit(1);
    cluster.wait(1);
    expect(cluster.state).toBe('Succeeded');
  });

  test('without a plan where none is required, it runs as OpenKruise does', () => {
    const cluster = new RunCluster(FOUR, { parallelism: 1 });
    cluster.policy = 'Auto';
    cluster.settle();
    expect([cluster.created, cluster.mostActive]).toEqual([['a', 'b', 'c', 'd'], 1]);
    expect(cluster.job['status']).toMatchObject({ phase: 'completed' });
    expect(cluster.runs).toEqual([]);
  });
});
