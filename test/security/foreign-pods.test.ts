import { describe, expect, test } from 'vitest';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { PodOnNode } from '../../semantics/node/pod-on-node.ts';
import { planOf, RunCluster } from '../semantics/run/cluster.ts';

const STEPS: Step[] = [
  { id: 'run-1', run: { to: 1 } },
  { id: 'soak-1', soak: { for: '10m' } },
  { id: 'run-all', run: { to: '100%' } },
];

/** `evil/x`: a pod on node `a`, available and never restarted before the run. */
const pod = (word: string): PodOnNode => {
  const [namespace = '', name = ''] = word.split('/');
  const uid = `uid-${word}`;
  const state = { available: true, restarts: 0, changedAt: 0, changingUntil: 0, createdAt: 0 };
  return { node: 'a', namespace, name, uid, ...state };
};

/** A run of job `ops/fix`, after which these pods on its first node crash (`evil/x`) or restart once (`evil/x+`). */
function ran(pods: string, harmed: string): RunCluster {
  const cluster = new RunCluster('a b c d');
  cluster.plans = [planOf(1, STEPS)];
  cluster.podsOnNodes = pods.split(' ').map(pod);
  const words = harmed.split(' ');
  const after = (each: PodOnNode): PodOnNode => {
    const name = `${each.namespace}/${each.name}`;
    if (words.includes(`${name}+`)) return { ...each, restarts: 1 };
    return words.includes(name) ? { ...each, available: false } : each;
  };
  cluster.afterwards = () => void (cluster.podsOnNodes = cluster.podsOnNodes.map(after));
  cluster.wait(30);
  return cluster;
}

describe('pods of other namespaces on the node of a run', () => {
  test.each([
    ['one pod', 'ops/web evil/x', 'evil/x'],
    [
      'every pod of a tenant, beside those of another',
      'evil/x evil/y evil/z good/web',
      'evil/x evil/y+ evil/z',
    ],
    ['every pod of the only other tenant', 'ops/web evil/x evil/y', 'evil/x evil/y'],
    ['a tenant with two namespaces of five', 'evil-1/x evil-2/x a/p b/p c/p', 'evil-1/x evil-2/x'],
  ])('halt nothing: %s', (_what, pods, harmed) => {
    expect(ran(pods, harmed).state).toBe('Succeeded');
  });

  test.each([
    ['half of them, two at least', 'a/p b/p c/p d/p', 'a/p b/p+', '2 pods in 2 of 4 other namespaces'],
    ['all of two', 'a/p a/q b/p', 'a/p a/q b/p', '3 pods in 2 of 2 other namespaces'],
  ])('halt it, unnamed, where they are in %s', (_what, pods, harmed, said) => {
    const cluster = ran(pods, harmed);
    const message = `${said} are not available any more, or have restarted`;
    expect([cluster.state, cluster.created]).toEqual(['Halted soak-1', ['a']]);
    expect(cluster.active?.progress.message).toBe(
      `a is worse than before its run, which fails step soak-1: ${message}`,
    );
    expect(JSON.stringify([cluster.job, cluster.memory, cluster.last])).not.toMatch(/[ab]\/[pq]\b/);
  });

  test('halt it, unnamed, where only administrators have pods', () => {
    const { state, active } = ran('kube-system/proxy-7 a/p b/p c/p', 'kube-system/proxy-7');
    expect([state, active?.progress.message]).toEqual([
      'Halted soak-1',
      expect.stringContaining(': a pod in kube-system was available and is not now'),
    ]);
  });

  test('halt nothing in restarts that the plan tolerates', () => {
    const check: Step = { id: 'check-1', check: { use: 'nodes', args: { restarts: '1' } } };
    const cluster = new RunCluster('a b');
    cluster.plans = [planOf(1, [...STEPS.slice(0, 2), check, ...STEPS.slice(2)])];
    cluster.podsOnNodes = ['a/p', 'b/p'].map(pod);
    cluster.afterwards = () =>
      void (cluster.podsOnNodes = cluster.podsOnNodes.map((each) => ({ ...each, restarts: 1 })));
    cluster.wait(12);
    expect(cluster.state).toBe('Checking check-1');
  });

  test('those of the own namespace are named, as one is enough', () => {
    const { active } = ran('ops/web evil/x', 'ops/web evil/x');
    expect(active?.progress.message).toMatch(/: pod ops\/web was available and is not now$/);
  });
});
