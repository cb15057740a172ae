import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import * as fc from '../../property.ts';
import { labelsOf, NodeCluster, planOf } from './cluster.ts';

const TEN = Array.from({ length: 10 }, (_, n) => `n${n}`);
const ok: Step = { id: 'ok', approve: {} };
const all: Step = { id: 'all', update: { to: '100%' } };
const part = (to: number | string): Step => ({ id: 'part', update: { to }, timeout: '5m' });
const selector = { matchLabels: labelsOf('c') };
const fast = { maxUnavailable: 10 };

/** Ten nodes, of which some have a label. */
const labelled = (letter: string, names: readonly string[]): string =>
  TEN.map((name) => (names.includes(name) ? `${name}:${letter}` : name)).join(' ');
const updated = (cluster: NodeCluster): number =>
  cluster.images.split(' ').filter((each) => each.endsWith('=2')).length;

describe('a step that not as many nodes can take as it leads to ends with those that can', () => {
  test('a new node selector, which four of ten nodes have', () => {
    const cluster = new NodeCluster('1', labelled('a', ['n1', 'n3', 'n5', 'n7']), fast).run(2);
    cluster.plans = [planOf(['1'], '2:a', [part('50%'), ok, all])];
    cluster.commit('2:a').run(20);
    expect([cluster.state, updated(cluster)]).toEqual(['AwaitingApproval ok', 4]);
    expect(cluster.messages.at(-1)).toBe(
      'part is done, without n0, n2, n4 and 3 more (its pods do not fit there); step 2 of 3, ok',
    );
    // Nothing is deleted before the step of all.
    expect(cluster.deleted).toHaveLength(4);
  });

  test('six of ten nodes have got a taint', () => {
    const cluster = new NodeCluster('1', TEN.join(' '), fast).run(2);
    for (const name of TEN.slice(0, 6)) cluster.taint(name, 'NoSchedule');
    cluster.plans = [planOf(['1'], '2', [part('50%'), ok, all])];
    cluster.commit('2').run(20);
    expect([cluster.state, updated(cluster)]).toEqual(['AwaitingApproval ok', 4]);
  });

  test('one of the nodes that its selector selects is down', () => {
    const rolling = { ...fast, selector };
    const cluster = new NodeCluster('1', labelled('c', ['n1', 'n2', 'n3']), rolling).run(2);
    cluster.setReady('n2', false);
    cluster.plans = [planOf(['1'], '2', [{ ...all, timeout: '5m' }], { selector })];
    cluster.commit('2').run(20);
    expect([cluster.state, updated(cluster)]).toEqual(['Succeeded Completed', 2]);
    expect(cluster.messages.at(-1)).toBe('every step is done, without n2 (not Ready)');
  });

  test('a step that no node can take waits, and says for which', () => {
    const rolling = { ...fast, selector };
    const cluster = new NodeCluster('1', labelled('c', ['n2']), rolling).run(2);
    cluster.setReady('n2', false);
    cluster.plans = [planOf(['1'], '2', [{ ...all, timeout: '5m' }], { selector })];
    cluster.commit('2').run(20);
    expect([cluster.state, cluster.progress?.clockMs]).toEqual(['Running all', 0]);
    cluster.setReady('n2', true).run(2);
    expect([cluster.state, updated(cluster)]).toEqual(['Succeeded Completed', 1]);
  });

  test.each([3, '30%'])(
    'a partition of %s retains three of ten, though others cannot take it',
    (partition) => {
      const rolling = { ...fast, partition };
      const cluster = new NodeCluster('1', labelled('a', ['n1', 'n3', 'n5', 'n7']), rolling).run(2);
      cluster.plans = [planOf(['1'], '2:a', [all], { partition })];
      cluster.commit('2:a', rolling).run(20);
      expect([cluster.state, updated(cluster), cluster.held]).toEqual(['Succeeded Completed', 4, 'Bound']);
      expect(cluster.deleted).toHaveLength(4);
    },
  );

  test('whatever nodes are like, it ends with as many as can take it, and no more than it leads to', () => {
    const node = fc.constantFrom('takes', 'takes', 'narrow', 'tainted');
    fc.assert(
      fc.property(
        fc.array(node, { minLength: 10, maxLength: 10 }),
        fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
        fc.integer({ min: 1, max: 9 }),
        (nodes, down, size) => {
          const fits = TEN.filter((_, n) => nodes[n] !== 'narrow');
          const cluster = new NodeCluster('1', labelled('a', fits), fast).run(2);
          for (const [n, name] of TEN.entries())
            if (nodes[n] === 'tainted') cluster.taint(name, 'NoSchedule');
          if (down !== undefined) cluster.setReady(TEN[down] ?? '', false);
          cluster.plans = [planOf(['1'], '2:a', [part(size), ok, all])];
          cluster.commit('2:a').run(10);
          const can = TEN.filter((_, n) => nodes[n] === 'takes' && n !== down).length;
          expect(updated(cluster)).toBe(Math.min(size, can));
          expect(cluster.state).toBe(can === 0 ? 'Running part' : 'AwaitingApproval ok');
        },
      ),
      { numRuns: 10 },
    );
  });
});

describe('a pod on a node that is not Ready', () => {
  /** Its node was down while image 2 was rolled out, and git has image 3 with a plan from image 2. */
  function behind(): NodeCluster {
    const cluster = new NodeCluster('1', 'n1 n2 n3 n4 n5', fast).run(2);
    cluster.setReady('n5', false);
    cluster.plans = [planOf(['1'], '2', [all])];
    cluster.commit('2').run(5);
    expect([cluster.state, cluster.images]).toEqual(['Succeeded Completed', 'n1=2 n2=2 n3=2 n4=2 n5=1']);
    cluster.plans = [planOf(['2'], '3', [part(1), ok, all])];
    return cluster.commit('3').run(5);
  }

  test('keeps no plan waiting, whatever its revision is', () => {
    expect(behind().state).toBe('AwaitingApproval ok');
  });

  test('is judged once its node is back: the plan does not start from its revision', () => {
    const cluster = behind().setReady('n5', true).run(1);
    expect(cluster.state).toBe('Halted ok UnplannedRevision');
  });
});

describe('a node that joins while a step is under way', () => {
  const slow = { maxUnavailable: 1 };

  test('takes nothing of a small step, and stops no update if its pod fits nowhere', () => {
    const cluster = new NodeCluster('1', 'n1 n2 n3 n4', slow).run(2);
    cluster.plans = [planOf(['1'], '2', [part('50%'), ok, all])];
    cluster.commit('2').run(0.2);
    expect(cluster.images).toContain('n4');
    cluster.full.add('n9');
    cluster.join('n9').run(10);
    expect([cluster.state, cluster.images]).toEqual(['AwaitingApproval ok', 'n1=1 n2=1 n3=2 n4=2 n9=1']);
  });

  test('gets the new revision in the step of all, and stops no update there, either', () => {
    const cluster = new NodeCluster('1', 'n1 n2 n3 n4', slow).run(2);
    cluster.plans = [planOf(['1'], '2', [all, { id: 'soak', soak: { for: '2m' } }])];
    cluster.commit('2').run(0.2);
    cluster.full.add('n9');
    cluster.join('n9').run(10);
    expect([cluster.state, cluster.images]).toEqual(['Succeeded Completed', 'n1=2 n2=2 n3=2 n4=2 n9=2']);
  });

  const half: Step = { id: 'half', update: { to: '50%' } };

  /** All nodes are replaced by others. */
  function replaced(steps: Step[], minutes: number): NodeCluster {
    const cluster = new NodeCluster('1', 'n1 n2 n3 n4', slow).run(2);
    cluster.plans = [planOf(['1'], '2', steps)];
    cluster.commit('2').run(minutes);
    cluster.join('m1').join('m2').join('m3').join('m4').join('m5').join('m6').run(1);
    for (const name of ['n1', 'n2', 'n3', 'n4']) cluster.remove(name);
    return cluster.run(12);
  }

  test('is of the step where no other node is left', () => {
    const cluster = replaced([half, ok, all], 0.2);
    expect([cluster.state, updated(cluster)]).toEqual(['AwaitingApproval ok', 3]);
  });

  test('is watched by the gate after it then', () => {
    const soak: Step = { id: 'soak', soak: { for: '20m' } };
    const cluster = replaced([half, soak, ok, all], 4);
    expect([cluster.state, updated(cluster)]).toEqual(['Soaking soak', 3]);
    cluster.run(20);
    expect([cluster.state, updated(cluster)]).toEqual(['AwaitingApproval ok', 3]);
  });

  test('is of the step where the other nodes that are left can take nothing', () => {
    const cluster = new NodeCluster('1', 'n1 n2 n3', slow).run(2);
    cluster.setReady('n1', false);
    cluster.plans = [planOf(['1'], '2', [{ id: 'two', update: { to: 2 } }, ok, all])];
    cluster.commit('2').run(0.2);
    cluster.join('m1').join('m2').run(1);
    cluster.remove('n2').remove('n3').run(10);
    expect([cluster.state, updated(cluster)]).toEqual(['AwaitingApproval ok', 1]);
  });

  test('is taken by a later step', () => {
    const cluster = new NodeCluster('1', 'n1 n2 n3 n4', slow).run(2);
    cluster.plans = [planOf(['1'], '2', [part(1), { id: 'more', update: { to: 2 } }, ok, all])];
    cluster.commit('2').run(0.2);
    cluster.join('n9').run(10);
    expect([cluster.state, cluster.images]).toEqual(['AwaitingApproval ok', 'n1=1 n2=1 n3=1 n4=2 n9=2']);
  });
});

test('surge that git sets in the middle of a step in place lets nothing change, and says so', () => {
  const inPlace = { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 1 };
  const cluster = new NodeCluster('1', 'n1 n2 n3 n4', inPlace).run(2);
  cluster.plans = [planOf(['1'], '2', [all])];
  cluster.commit('2').run(2);
  const before = updated(cluster);
  expect([before > 0, cluster.held]).toEqual([true, '']);
  cluster.commit('2', { maxUnavailable: 0, maxSurge: 1 }).run(3);
  expect([updated(cluster), cluster.held]).toEqual([before, 'WindowMismatch']);
  cluster.commit('2', inPlace).run(6);
  expect([cluster.state, updated(cluster)]).toEqual(['Succeeded Completed', 4]);
});
