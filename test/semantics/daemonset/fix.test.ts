import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { nodeOfPod } from '../../../semantics/node/placement.ts';
import { isDrained } from '../../../semantics/pod/in-place.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { NodeCluster, planOf } from './cluster.ts';

const all: Step = { id: 'all', update: { to: '100%' } };
const ok: Step = { id: 'ok', approve: {} };
const step = (to: number): Step => ({ id: `to-${to}`, update: { to } });
const inPlace = { rollingUpdateType: 'InPlaceIfPossible' };

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

/** Which of some nodes would end, change or start a pod the moment they are back, or have done so. */
function begunOn({ pods }: NodeCluster, names: readonly string[]): Set<string> {
  const has = (pod: Pod): boolean =>
    pod.metadata.deletionTimestamp !== undefined ||
    isDrained(pod) ||
    pod.spec.containers[0]?.image === 'agent:3';
  const there = new Set(pods.filter((pod) => !has(pod)).map(nodeOfPod));
  const begun = new Set(pods.filter(has).map(nodeOfPod));
  return new Set(names.filter((name) => begun.has(name) || !there.has(name)));
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

  describe.each<[string, JsonObject]>([
    ['by deletion', { maxUnavailable: '100%' }],
    ['with surge', { maxSurge: '100%', maxUnavailable: 0 }],
    ['in place', { maxUnavailable: '100%', ...inPlace }],
  ])('in a step of all nodes, and all at a time, %s', (_how, rolling) => {
    const down = ['n5', 'n6'];

    test('begins on them once all others have it', () => {
      const cluster = mended(halted(down, rolling), [all]);
      for (let minute = 0; minute < 20 && begunOn(cluster, down).size === 0; minute += 1) {
        // What is left of the others is the old pod of an extra one.
        const hadIt = ['n1', 'n2', 'n3', 'n4'].every((name) => cluster.images.includes(`${name}=3`));
        run(cluster, 1, down);
        if (begunOn(cluster, down).size > 0) expect(hadIt).toBe(true);
      }
      expect(begunOn(cluster, down)).toEqual(new Set(down));
    });

    test('begins on none of them where it fails elsewhere', () => {
      const cluster = halted(down, rolling);
      cluster.broken.add('3');
      mended(cluster, [all]).run(14);
      expect(cluster.images).toContain('n1=3');
      expect(begunOn(cluster, down)).toEqual(new Set());
    });
  });

  describe.each<[string, JsonObject, number]>([
    ['by deletion', { maxUnavailable: 1 }, 1],
    ['by deletion, two at a time', { maxUnavailable: 2 }, 2],
    ['with surge', { maxSurge: 1, maxUnavailable: 0 }, 1],
    ['in place', { maxUnavailable: 1, ...inPlace }, 1],
    ['in place, two at a time', { maxUnavailable: 2, ...inPlace }, 2],
  ])('in a step of all nodes, of which three are cut off, %s', (_how, rolling, most) => {
    const dead = ['n4', 'n5', 'n6'];
    const cutOff = (): NodeCluster => {
      const cluster = halted(dead, {
        ...rolling,
        ...('maxSurge' in rolling ? { maxSurge: 3 } : { maxUnavailable: 3 }),
      });
      return mended(cluster, [all]).commit('3*', rolling);
    };

    test('begins on no more of them within ten minutes than the window, and goes on where none answers', () => {
      const cluster = cutOff();
      const begun: number[] = [];
      for (let minute = 0; minute < 45; minute += 1) {
        begun.push(begunOn(cluster, dead).size);
        run(cluster, 1, dead);
      }
      // All of them in the end: one that never answers keeps no other one on what may have taken it down.
      expect(begun.at(-1)).toBe(3);
      expect(Math.max(...begun.map((before, minute) => (begun[minute + 9] ?? 0) - before))).toBe(most);
    });

    test('begins on no further one while one that is back lacks an available pod', () => {
      const cluster = cutOff();
      while (begunOn(cluster, dead).size === 0) run(cluster, 1, dead);
      const begun = begunOn(cluster, dead);
      for (const name of begun) {
        cluster.failing.add(name);
        cluster.setReady(name, true);
      }
      cluster.run(8);
      expect(begunOn(cluster, dead)).toEqual(begun);
      cluster.failing.clear();
      run(cluster, 3, dead);
      expect(begunOn(cluster, dead).size).toBeGreaterThan(begun.size);
    });
  });

  test('takes none of them for a gate, as no step waits for them', () => {
    const dead = ['n4', 'n5', 'n6'];
    const cluster = run(mended(halted(dead), [step(4), ok, all]), 8, dead);
    expect([cluster.state, cluster.images]).toEqual(['AwaitingApproval ok', 'n1=3 n2=3 n3=3 n4=2 n5=2 n6=2']);
    expect(begunOn(cluster, dead)).toEqual(new Set());
  });

  test('takes no more of them than its step allows, though their pods are never gone', () => {
    const dead = ['n4', 'n5', 'n6'];
    const cluster = halted(dead);
    for (const name of dead) cluster.label(name, 'c');
    const nodes = { matchLabels: { c: 'yes' } };
    run(mended(cluster, [{ id: 'canary', update: { to: 1, nodes } }, ok, all]), 15, dead);
    expect([cluster.state, begunOn(cluster, dead)]).toEqual(['Running canary', new Set(['n6'])]);
  });

  test('does not come to a node that is down with what worked', () => {
    const cluster = halted(['n6']).setReady('n1', false);
    run(mended(cluster, [all]), 10);
    expect(cluster.images).toBe('n1=1 n2=3 n3=3 n4=3 n5=3 n6=3');
    expect(cluster.state).toBe('Succeeded Completed');
  });
});
