import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { labelsOf, NodeCluster, planOf } from './cluster.ts';

const ok: Step = { id: 'ok', approve: {} };
const all: Step = { id: 'all', update: { to: '100%' } };
const names = (count: number): string => Array.from({ length: count }, (_, n) => `n${n + 1}`).join(' ');

type Change = (cluster: NodeCluster) => unknown;

/** A way back of which the first node is back: so many nodes, of which the last few had the change, one at a time. */
function begun(count: number, had: number, before: Change = () => undefined): NodeCluster {
  const cluster = new NodeCluster('1', names(count)).run(2);
  before(cluster);
  cluster.run(1);
  cluster.plans = [planOf(['1'], '2', [{ id: 'some', update: { to: had } }, ok, all])];
  cluster.commit('2').run(2 * had + 1);
  expect(cluster.state).toBe('AwaitingApproval ok');
  return cluster.command('Revert').run(1);
}

const left = ({ images }: NodeCluster): number =>
  images.split(' ').filter((each) => each.endsWith('=2')).length;

describe('a node whose pod breaks by itself during a way back holds no other one', () => {
  test('it never had the change', () => {
    const cluster = begun(5, 4).run(1);
    expect(left(cluster)).toBe(2);
    cluster.failing.add('n1');
    cluster.run(6);
    expect([cluster.images, cluster.state]).toEqual(['n1=1 n2=1 n3=1 n4=1 n5=1', 'Reverting ok RevertAsked']);
    cluster.failing.clear();
    expect(cluster.run(2).state).toMatch(/^Reverted/);
  });

  test('where a bound has left it on another revision', () => {
    const selector = { matchLabels: labelsOf('b') };
    const cluster = new NodeCluster('1', 'n1 n2:b n3:b n4:b', { selector }).run(2);
    cluster.plans = [planOf(['1'], '2', [all], { selector })];
    cluster.commit('2', { selector }).run(9);
    expect([cluster.state, cluster.images]).toEqual(['Succeeded Completed', 'n1=1 n2=2 n3=2 n4=2']);
    cluster.plans = [planOf(['2', '1'], '3', [{ id: 'some', update: { to: 2 } }, ok, all], { selector })];
    cluster.commit('3', { selector }).run(6);
    expect(cluster.images).toBe('n1=1 n2=2 n3=3 n4=3');
    cluster.failing.add('n1');
    cluster.run(1).command('Revert').run(6);
    expect(cluster.images).toBe('n1=1 n2=2 n3=2 n4=2');
  });
});

/** What is no reason to wait, whatever else breaks. */
const FREE: Record<string, Change> = {
  'are down': (cluster) => cluster.setReady('n1', false).setReady('n2', false),
  'are broken': ({ failing }) => failing.add('n1').add('n2'),
  'are down, or broken': (cluster) => cluster.setReady('n1', false).failing.add('n2'),
};

describe('nodes that hold no other one anyway excuse no fewer of those that do', () => {
  const broken = ['n3', 'n10'];
  const worlds = Object.keys(FREE).flatMap((what) => broken.map((name) => [what, name] as const));

  test.each(worlds)('two %s since before the plan, and %s breaks', (what, name) => {
    const cluster = begun(10, 4, FREE[what]);
    cluster.failing.add(name);
    expect(left(cluster.run(8))).toBe(0);
  });

  test.each(broken)('two go down during the way back, and %s breaks', (name) => {
    const cluster = begun(10, 4);
    FREE['are down']?.(cluster);
    cluster.failing.add(name);
    expect(left(cluster.run(8))).toBe(0);
  });
});

describe('what holds the others', () => {
  test('a pod that is back already, and breaks after it was ready', () => {
    const cluster = begun(5, 4).run(1);
    expect(left(cluster)).toBe(2);
    cluster.failing.add('n5');
    const then = cluster.run(1).images;
    expect(cluster.run(6).images).toBe(then);
    cluster.failing.clear();
    expect(cluster.run(6).state).toMatch(/^Reverted/);
  });

  test('a pod of the goal that was never ready', () => {
    const cluster = begun(4, 3);
    cluster.failing.add('n3');
    cluster.run(6);
    expect(cluster.images).toBe('n1=1 n2=2 n3=1 n4=1');
  });

  test.each([
    [10, 1, 0],
    [10, 2, 1],
    [20, 2, 0],
    [20, 3, 1],
  ])('of %i nodes %i that broke by themselves: %i have the change still', (count, broken, expected) => {
    const cluster = begun(count, 3);
    for (let n = 1; n <= broken; n += 1) cluster.failing.add(`n${n}`);
    cluster.run(9);
    expect(left(cluster)).toBe(expected);
  });
});
