import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import * as fc from '../../property.ts';
import { labelsOf, NodeCluster, planOf } from './cluster.ts';

const NODES = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'];
const all: Step = { id: 'all', update: { to: '100%' } };
const ofC = (to: number | string): Step => ({
  id: 'labeled',
  update: { to, nodes: { matchLabels: labelsOf('c') } },
});

/** The nodes with the new image. */
const updated = (cluster: NodeCluster): string[] =>
  cluster.images.split(' ').flatMap((each) => (each.endsWith('=2') ? [each.replace('=2', '')] : []));

test('however labels move, a step takes no node without them, no more than its size, and ends', () => {
  const worlds = fc.record({
    labels: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
    to: fc.constantFrom<number | string>(1, 2, '50%', '100%'),
    // One node has the change before, whether it has the labels or not.
    before: fc.boolean(),
    moves: fc.array(fc.tuple(fc.constantFrom(...NODES), fc.boolean()), { maxLength: 6 }),
  });
  fc.assert(
    fc.property(worlds, ({ labels, to, before, moves }) => {
      const has = new Map(NODES.map((name, n) => [name, labels[n] === true]));
      const words = NODES.map((name) => (has.get(name) === true ? `${name}:c` : name)).join(' ');
      const cluster = new NodeCluster('1', words, { maxUnavailable: 1 }).run(2);
      const one: Step = { id: 'one', update: { to: 1 } };
      cluster.plans = [planOf(['1'], '2', [...(before ? [one] : []), ofC(to), all])];
      cluster.commit('2');
      if (before) cluster.run(2);
      let known = updated(cluster);
      for (const [name, isLabeled] of moves) {
        cluster.run(1);
        const taken = updated(cluster).filter((each) => !known.includes(each));
        if (cluster.state.startsWith('Running labeled')) {
          for (const each of taken) expect(has.get(each)).toBe(true);
          const most = typeof to === 'number' ? to : NODES.length;
          const within = updated(cluster).filter((each) => has.get(each) === true);
          if (taken.length > 0) expect(within.length).toBeLessThanOrEqual(most);
        }
        known = updated(cluster);
        has.set(name, isLabeled);
        cluster.label(name, isLabeled ? 'c' : '');
      }
      cluster.label('n6', 'c').run(40);
      expect([cluster.state, updated(cluster)]).toEqual(['Succeeded Completed', NODES]);
    }),
    { numRuns: 12 },
  );
});

test('a node that has taken the change and loses the label keeps no other from it', () => {
  const cluster = new NodeCluster('1', 'n1 n2 n3:c n4:c n5:c', { maxUnavailable: 1 }).run(2);
  cluster.plans = [planOf(['1'], '2', [ofC('100%'), { id: 'ok', approve: {} }, all])];
  cluster.commit('2').run(1);
  expect(updated(cluster)).toEqual(['n5']);
  cluster.label('n5', '').run(20);
  expect([cluster.state, updated(cluster)]).toEqual(['AwaitingApproval ok', ['n3', 'n4', 'n5']]);
});

test('a node that gets the label belongs to a step of all that have it, and to no gate', () => {
  const cluster = new NodeCluster('1', 'n1 n2 n3 n4:c n5:c', { maxUnavailable: 1 }).run(2);
  cluster.plans = [planOf(['1'], '2', [ofC('100%'), { id: 'soak', soak: { for: '10m' } }, all])];
  cluster.commit('2').run(1);
  cluster.label('n3', 'c').run(6);
  expect([cluster.state, updated(cluster)]).toEqual(['Soaking soak', ['n3', 'n4', 'n5']]);
  cluster.label('n2', 'c').run(3);
  expect([cluster.state, updated(cluster)]).toEqual(['Soaking soak', ['n3', 'n4', 'n5']]);
  cluster.run(20);
  expect([cluster.state, updated(cluster)]).toEqual(['Succeeded Completed', ['n1', 'n2', 'n3', 'n4', 'n5']]);
});

test('a node beside the step that gets the label, or is deleted, leaves its part to no other', () => {
  for (const goes of [true, false]) {
    const cluster = new NodeCluster('1', 'n1 n2 n3:c n4:c n5', { maxUnavailable: 1 }).run(2);
    const one: Step = { id: 'one', update: { to: 1 } };
    cluster.plans = [planOf(['1'], '2', [one, ofC(2), { id: 'ok', approve: {} }, all])];
    cluster.commit('2').run(3);
    expect(updated(cluster)).toContain('n5');
    if (goes) cluster.remove('n5');
    else cluster.label('n5', 'c');
    cluster.run(2).losePod('n1').run(10);
    expect(cluster.images).toContain('n1=1');
  }
});

test('nodes without the labels of the last step stay where they are when the plan has succeeded', () => {
  const cluster = new NodeCluster('1', 'n1 n2 n3:c n4:c', { maxUnavailable: 4 }).run(2);
  cluster.plans = [planOf(['1'], '2', [ofC('100%')])];
  cluster.commit('2').run(6);
  expect([cluster.state, cluster.images]).toEqual(['Succeeded Completed', 'n1=1 n2=1 n3=2 n4=2']);
  expect(cluster.losePod('n1').run(3).images).toBe('n1=1 n2=1 n3=2 n4=2');
});

describe('at the end of a plan whose last step has labels', () => {
  const others = Array.from({ length: 10 }, (_, n) => `n${n}`).join(' ');
  const changed = (cluster: NodeCluster): string[] =>
    cluster.images.split(' ').flatMap((each) => (each.endsWith('=2') ? [each.replace('=2', '')] : []));

  test('no other node takes the place of one that was not Ready', () => {
    const cluster = new NodeCluster('1', `${others} x:c y:c`, { maxUnavailable: 4 }).run(2);
    cluster.plans = [planOf(['1'], '2', [ofC('100%')])];
    cluster.commit('2').setReady('y', false).run(20);
    expect([cluster.state, changed(cluster)]).toEqual(['Succeeded Completed', ['x']]);
    expect(changed(cluster.setReady('y', true).run(20))).toEqual(['x']);
  });
});

test.each([0, 0.5, 1, 2, 3, 4])(
  'a node beside the labels that loses its pod as the plan ends gets the revision that it had: after %i minutes',
  (minutes) => {
    const cluster = new NodeCluster('1', 'n1 n2 n3:c n4:c n5', { maxUnavailable: 2 }).run(2);
    const one: Step = { id: 'one', update: { to: 1 } };
    cluster.plans = [planOf(['1'], '2', [one, ofC('100%')])];
    cluster.commit('2').run(1);
    expect(updated(cluster)).toEqual(['n5']);
    cluster.run(minutes).losePod('n5').run(12);
    expect([cluster.state, cluster.images]).toEqual(['Succeeded Completed', 'n1=1 n2=1 n3=2 n4=2 n5=2']);
  },
);

test('a node beside the labels that admits no pod any more is not counted: all others that were left stay', () => {
  const cluster = new NodeCluster('1', 'n0 n1 n2:c n3:c n4 n5', { maxUnavailable: 2 }).run(2);
  const some: Step = { id: 'some', update: { to: 2 } };
  cluster.plans = [planOf(['1'], '2', [some, ofC('100%')])];
  cluster.commit('2').run(2);
  const [taken = ''] = updated(cluster).filter((name) => !['n2', 'n3'].includes(name));
  expect(taken).not.toBe('');
  cluster.taint(taken, 'NoExecute').losePod(taken).run(20);
  expect(cluster.state).toBe('Succeeded Completed');
  expect(updated(cluster)).toHaveLength(3);
});

test('a node that joins with the labels gets the stable revision, until the step of all', () => {
  const cluster = new NodeCluster('1', 'n1 n2 n3:c', { maxUnavailable: 1 }).run(2);
  cluster.plans = [planOf(['1'], '2', [ofC('100%'), { id: 'soak', soak: { for: '10m' } }, all])];
  cluster.commit('2').run(1);
  cluster.join('n4:c').run(6);
  expect([cluster.state, cluster.images]).toEqual(['Soaking soak', 'n1=1 n2=1 n3=2 n4=1']);
  cluster.join('n5:c').run(2);
  expect(cluster.images).toBe('n1=1 n2=1 n3=2 n4=1 n5=1');
  cluster.run(30);
  expect([cluster.state, updated(cluster)]).toEqual(['Succeeded Completed', ['n1', 'n2', 'n3', 'n4', 'n5']]);
});
