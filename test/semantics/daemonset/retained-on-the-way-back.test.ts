import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { NodeCluster, planOf } from './cluster.ts';

const ok: Step = { id: 'ok', approve: {} };
const all: Step = { id: 'all', update: { to: '100%' } };

/**
 * Six nodes, of which a plan to image 2 has left n1, n2 and n3 at image 1, by its partition. One to image 3 takes these first, and has
 * taken so many.
 */
function withTaken(count: number, maxUnavailable = 1): NodeCluster {
  const partition = 3;
  const rolling = { maxUnavailable, partition };
  const cluster = new NodeCluster('1', 'n1 n2 n3 n4 n5 n6', rolling).run(2);
  cluster.plans = [planOf(['1'], '2', [all], { partition })];
  cluster.commit('2', rolling).run(6);
  expect([cluster.state, cluster.images]).toEqual(['Succeeded Completed', 'n1=1 n2=1 n3=1 n4=2 n5=2 n6=2']);
  const steps = [{ id: 'some', update: { to: count } }, ok, all];
  cluster.plans = [planOf(['2', '1'], '3', steps, { partition })];
  cluster.commit('3', rolling).run(6);
  expect(cluster.state).toBe('AwaitingApproval ok');
  return cluster;
}

const AFTER_TWO = 'n1=1 n2=2 n3=2 n4=2 n5=2 n6=2';

describe('what a partition has left stays on record on the way back', () => {
  test('as long as the plan has not taken it', () => {
    const cluster = withTaken(2);
    expect(cluster.images).toBe('n1=1 n2=3 n3=3 n4=2 n5=2 n6=2');
    cluster.command('Revert').run(8);
    expect([cluster.state, cluster.images]).toEqual([expect.stringMatching(/^Reverted/), AFTER_TWO]);
    // A lost pod comes back where it was.
    expect(cluster.losePod('n1').run(3).images).toBe(AFTER_TWO);
    expect(cluster.losePod('n5').run(3).images).toBe(AFTER_TWO);
  });

  test.each([1, 3])('when its node is not Ready at the end, with %i at a time', (maxUnavailable) => {
    const cluster = withTaken(2, maxUnavailable).setReady('n1', false).command('Revert').run(8);
    expect(cluster.state).toMatch(/^Reverted/);
    cluster.setReady('n1', true).run(3);
    expect(cluster.images).toBe(AFTER_TWO);
    expect(cluster.losePod('n1').run(3).images).toBe(AFTER_TWO);
  });

  test.each([1, 3])(
    'when it loses its pod before the others have gone, with %i at a time',
    (maxUnavailable) => {
      const cluster = withTaken(2, maxUnavailable).command('Revert').run(0.2);
      cluster.losePod('n1').run(8);
      expect([cluster.state, cluster.images]).toEqual([expect.stringMatching(/^Reverted/), AFTER_TWO]);
      expect(cluster.losePod('n1').run(3).images).toBe(AFTER_TWO);
    },
  );

  test.each([1, 3])(
    'when it has lost its pod before the way back begins, with %i at a time',
    (maxUnavailable) => {
      const cluster = withTaken(2, maxUnavailable).losePod('n1').command('Revert').run(8);
      expect([cluster.state, cluster.images]).toEqual([expect.stringMatching(/^Reverted/), AFTER_TWO]);
      expect(cluster.losePod('n1').run(3).images).toBe(AFTER_TWO);
    },
  );

  test('nothing of it where the plan has taken all, and one of these has lost its pod', () => {
    const cluster = withTaken(3).losePod('n2').command('Revert').run(10);
    expect([cluster.state, cluster.images]).toEqual([
      expect.stringMatching(/^Reverted/),
      'n1=2 n2=2 n3=2 n4=2 n5=2 n6=2',
    ]);
  });

  test('and a stable pod that is lost then is made where it was', () => {
    const cluster = withTaken(2).command('Revert').run(0.2);
    cluster.losePod('n6').run(8);
    expect([cluster.state, cluster.images]).toEqual([expect.stringMatching(/^Reverted/), AFTER_TWO]);
  });

  test('nothing of it where the plan has taken all', () => {
    const cluster = withTaken(3).command('Revert').run(0.2);
    cluster.losePod('n1').run(10);
    expect([cluster.state, cluster.images]).toEqual([
      expect.stringMatching(/^Reverted/),
      'n1=2 n2=2 n3=2 n4=2 n5=2 n6=2',
    ]);
  });
});
