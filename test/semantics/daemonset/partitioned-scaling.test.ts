import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { NodeCluster, planOf } from './cluster.ts';

const FIVE = 'n1 n2 n3 n4 n5';
const progressive = { scaleStrategy: { partitionedScaling: true } };
const all: Step = { id: 'all', update: { to: '100%' }, timeout: '5m', onFailure: 'Revert' };

/** A new DaemonSet of which the partition keeps four of five nodes without a pod. */
const heldBack = (): NodeCluster => new NodeCluster('1', FIVE, { partition: 4 }, progressive).run(2);

describe('partitionedScaling keeps nodes without a pod', () => {
  test.each<[what: string, rolling: { partition: number }]>([
    ['the same partition', { partition: 4 }],
    ['a lower partition', { partition: 2 }],
    ['no partition', { partition: 0 }],
    ['a higher partition', { partition: 5 }],
  ])('a commit without a plan brings the stable revision to none of them: %s', (_what, rolling) => {
    const cluster = heldBack();
    expect(cluster.images).toBe('n1=1');
    cluster.commit('2', rolling).run(5);
    expect([cluster.images, cluster.held]).toEqual(['n1=1', 'NoPlan']);
    cluster.losePod('n1').run(1);
    expect(cluster.images).toBe('n1=1');
  });

  test('a lower partition alone lets them have one, as no template changes', () => {
    const cluster = heldBack().commit('1', { partition: 2 }).run(2);
    expect(cluster.images).toBe('n1=1 n2=1 n3=1');
    cluster.commit('2').run(5);
    expect(cluster.images).toBe('n1=1 n2=1 n3=1');
  });

  test('a node that joins later gets the stable revision', () => {
    const cluster = heldBack().commit('2').run(1).join('n0').run(1);
    expect(cluster.images).toBe('n0=1 n1=1');
  });

  test('where the partition comes with the commit, lost pods come back', () => {
    const cluster = new NodeCluster('1', FIVE, {}, progressive).run(2);
    cluster.commit('2', { partition: 4 }).run(1).losePod('n3').run(1);
    expect(cluster.images).toBe('n1=1 n2=1 n3=1 n4=1 n5=1');
  });

  test('a plan gives the new revision to as many as its bound lets, and the others none', () => {
    const cluster = heldBack();
    cluster.plans = [planOf(['1'], '2', [all], { partition: 3 })];
    cluster.commit('2', { partition: 3 }).run(5);
    const expected = 'n1=1 n2=2 n3=2';
    expect([cluster.state, cluster.images]).toEqual(['Succeeded Completed', expected]);
    cluster.plans = [];
    expect(cluster.commit('3', { partition: 0 }).run(5).images).toBe(expected);
    // What is lost comes back where it was.
    expect(cluster.losePod('n1').run(5).images).toBe(expected);
    expect(cluster.losePod('n3').run(5).images).toBe(expected);
  });

  test('a way back leaves them without one, and ends', () => {
    const cluster = heldBack();
    cluster.broken.add('2');
    cluster.plans = [planOf(['1'], '2', [all], { partition: 3 })];
    cluster.commit('2', { partition: 3 }).run(20);
    expect([cluster.state, cluster.images]).toEqual(['Reverted all Timeout', 'n1=1']);
  });

  test('and so does one because git has gone back', () => {
    const cluster = heldBack();
    cluster.plans = [planOf(['1'], '2', [{ id: 'ok', approve: {} }, all], { partition: 3 })];
    cluster.commit('2', { partition: 3 }).run(2);
    cluster.commit('1', { partition: 4 }).run(5);
    expect(cluster.images).toBe('n1=1');
  });
});
