import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { nodeOfPod } from '../../../semantics/node/placement.ts';
import { NodeCluster, planOf } from './cluster.ts';

const all: Step = { id: 'all', update: { to: '100%' } };
const ok: Step = { id: 'ok', approve: {} };
const step = (to: number): Step => ({ id: `to-${to}`, update: { to } });

/**
 * A DaemonSet whose pods start on nodes that are down, as those of an agent of the network do. `2` has taken some down, and its plan is
 * aborted.
 */
function halted(down: readonly string[], rolling: JsonObject = { maxUnavailable: 3 }): NodeCluster {
  const cluster = new NodeCluster('1*', 'n1 n2 n3 n4 n5 n6', rolling).run(2);
  cluster.plans = [planOf(['1*'], '2*', [step(3), { id: 'soak', soak: { for: '1h' } }, all])];
  cluster.commit('2*', rolling).run(5);
  expect([cluster.state, cluster.images]).toEqual(['Soaking soak', 'n1=1 n2=1 n3=1 n4=2 n5=2 n6=2']);
  for (const name of down) cluster.setReady(name, false);
  return cluster.command('Abort').run(1);
}

/** The fix. Its pods, and those of nobody else, bring a node up. */
function mended(cluster: NodeCluster, steps: readonly Step[]): NodeCluster {
  cluster.plans = [planOf(['2*', '1*'], '3*', steps)];
  cluster.commit('3*');
  return cluster;
}

/** So many minutes pass, on kubelets that end pods. */
function run(cluster: NodeCluster, minutes: number, areDead: readonly string[] = []): NodeCluster {
  for (let left = minutes; left > 0; left -= 1) {
    cluster.run(1);
    cluster.pods = cluster.pods.filter(
      (pod) => pod.metadata.deletionTimestamp === undefined || areDead.includes(nodeOfPod(pod)),
    );
    for (const name of ['n4', 'n5', 'n6'])
      if (!areDead.includes(name) && cluster.images.includes(`${name}=3`)) cluster.setReady(name, true);
  }
  return cluster;
}

describe('the fix of a change that has taken nodes down', () => {
  test.each<[string, JsonObject]>([
    ['by deletion', { maxUnavailable: 3 }],
    ['with surge', { maxSurge: 3, maxUnavailable: 0 }],
  ])('reaches them, %s', (_how, rolling) => {
    const cluster = run(mended(halted(['n5', 'n6'], rolling), [all]), 12);
    expect([cluster.state, cluster.images]).toEqual(['Succeeded Completed', 'n1=3 n2=3 n3=3 n4=3 n5=3 n6=3']);
  });

  test('comes to all others first', () => {
    const cluster = run(mended(halted(['n5', 'n6']), [step(4), ok, all]), 8);
    expect([cluster.state, cluster.images]).toEqual(['AwaitingApproval ok', 'n1=3 n2=3 n3=3 n4=3 n5=2 n6=2']);
  });

  describe.each<[string, JsonObject]>([
    ['by deletion', { maxUnavailable: 1 }],
    ['by deletion, two at a time', { maxUnavailable: 2 }],
    ['with surge', { maxSurge: 1, maxUnavailable: 0 }],
  ])('in a step of all nodes, %s', (_how, rolling) => {
    /** The end of the last pod that worked, and of the first one on a node that is down. */
    const order = ({ deleted }: NodeCluster): [number, number] => [
      deleted.findLastIndex((each) => /^n[1-4] /.test(each)),
      deleted.findIndex((each) => /^n[56] 2/.test(each)),
    ];

    test('comes to all others first', () => {
      const cluster = halted(['n5', 'n6']);
      cluster.deleted = [];
      mended(cluster, [all]).commit('3*', rolling);
      run(cluster, 14);
      const [others, down] = order(cluster);
      // With surge the last of the others may still have its old pod, as extra pods come first.
      expect(down).toBeGreaterThan(rolling['maxSurge'] === 1 ? 2 : others);
      expect([cluster.state, cluster.images]).toEqual([
        'Succeeded Completed',
        'n1=3 n2=3 n3=3 n4=3 n5=3 n6=3',
      ]);
    });

    test('ends no pod of theirs where it fails elsewhere', () => {
      const cluster = halted(['n5', 'n6']);
      cluster.deleted = [];
      cluster.broken.add('3*').add('3');
      mended(cluster, [all]).commit('3*', rolling);
      cluster.run(14);
      expect(order(cluster)[1]).toBe(-1);
      expect(cluster.images).toContain('n5=2 n6=2');
    });
  });

  describe.each<[string, JsonObject, number]>([
    ['by deletion', { maxUnavailable: 1 }, 1],
    ['by deletion, two at a time', { maxUnavailable: 2 }, 2],
    ['with surge', { maxSurge: 1, maxUnavailable: 0 }, 1],
  ])('in a step of all nodes, of which three are cut off, %s', (_how, rolling, most) => {
    const dead = ['n4', 'n5', 'n6'];
    /** How many of them would end or start a pod the moment they are back. */
    const begun = ({ pods }: NodeCluster): number =>
      new Set(
        pods
          .filter((pod) => dead.includes(nodeOfPod(pod)))
          .filter(
            ({ metadata, spec }) =>
              metadata.deletionTimestamp !== undefined || spec.containers[0]?.image === 'agent:3',
          )
          .map(nodeOfPod),
      ).size;

    test('begins on no more of them at a time than the window, and goes on where none answers', () => {
      const cluster = mended(halted(dead), [all]).commit('3*', rolling);
      let before = 0;
      const steps: number[] = [];
      for (let minute = 0; minute < 40; minute += 1) {
        run(cluster, 1, dead);
        const now = begun(cluster);
        if (now !== before) steps.push(now - before);
        before = now;
      }
      expect(Math.max(...steps)).toBeLessThanOrEqual(most);
      expect(before).toBe(3);
    });
  });

  test('takes no more of them than its step allows, though their pods are never gone', () => {
    const dead = ['n4', 'n5', 'n6'];
    const cluster = run(mended(halted(dead), [step(4), ok, all]), 8, dead);
    expect(cluster.deleted.filter((each) => each.endsWith(' 2'))).toEqual(['n6 2']);
    expect(cluster.images).toBe('n1=3 n2=3 n3=3 n4=2 n5=2 n6=2');
  });

  test('does not come to a node that is down with what worked', () => {
    const cluster = halted(['n6']).setReady('n1', false);
    run(mended(cluster, [all]), 10);
    expect(cluster.images).toBe('n1=1 n2=3 n3=3 n4=3 n5=3 n6=3');
    expect(cluster.state).toBe('Succeeded Completed');
  });
});
