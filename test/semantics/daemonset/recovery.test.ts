import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { NodeCluster, planOf } from './cluster.ts';
import { decide, NOW, type Given } from './model.ts';

const all: Step = { id: 'all', update: { to: '100%' } };
const some: Step = { id: 'some', update: { to: 2 } };
const soak: Step = { id: 'soak', soak: { for: '1h' } };

/** In the middle of a soak of two of ten nodes, one of the two reboots, and is Ready a minute later. */
function rebooted(isBroken: boolean): NodeCluster {
  const nodes = Array.from({ length: 10 }, (_, n) => `n${n}`).join(' ');
  const cluster = new NodeCluster('1', nodes).run(2);
  cluster.plans = [planOf(['1'], '2', [some, soak, all])];
  cluster.commit('2').run(6);
  expect(cluster.state).toBe('Soaking soak');
  cluster.setReady('n9', false).run(1);
  if (isBroken) cluster.failing.add('n9');
  return cluster.setReady('n9', true);
}

describe('a pod whose node has rebooted', () => {
  test.each([
    ['has ten minutes to be available again', true, 9, 'Soaking soak'],
    ['fails the soak where it is not by then', true, 12, 'Halted soak Breach'],
    ['fails nothing where it is', false, 12, 'Soaking soak'],
  ])('%s', (_what, isBroken, minutes, state) => {
    expect(rebooted(isBroken).run(minutes).state).toBe(state);
  });

  test('is judged again once it was available, however soon it fails then', () => {
    const cluster = rebooted(false).run(2);
    cluster.failing.add('n9');
    expect(cluster.run(2).state).toBe('Halted soak Breach');
  });

  test('has that much time after each further reboot', () => {
    const cluster = rebooted(true).run(8);
    cluster.setReady('n9', false).run(1).setReady('n9', true).run(8);
    expect(cluster.state).toBe('Soaking soak');
    expect(cluster.run(4).state).toBe('Halted soak Breach');
  });
});

describe('when a target is reconciled again though nothing changes', () => {
  const MINUTE = 60_000;
  const at = (given: Given): number | undefined => decide(given, undefined, NOW).requeueAt;

  test.each<[what: string, given: Given, expected: number | undefined]>([
    [
      'ten minutes after the node of its pod is Ready',
      { nodes: 'n1b n2', pods: 'n1n! n2n' },
      NOW + 9 * MINUTE,
    ],
    ['not for a node that is down', { nodes: 'n1d n2', pods: 'n1n! n2n' }, undefined],
    ['not where the pod is available', { nodes: 'n1b n2', pods: 'n1n n2n' }, undefined],
  ])('%s', (_what, given, expected) => {
    expect(at(given)).toBe(expected);
  });
});
