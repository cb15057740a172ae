import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { NodeCluster, planOf } from './cluster.ts';

const all: Step = { id: 'all', update: { to: '100%' } };
const namesOf = (count: number): string[] => Array.from({ length: count }, (_, n) => `n${10 + n}`);

const LIMITS: Record<string, JsonObject> = {
  recreated: { maxUnavailable: 1 },
  'replaced with surge': { maxUnavailable: 0, maxSurge: 1 },
};

/** A plan for so many nodes, of which some were broken before; `isDown`: they are not Ready until three nodes are updated. */
function begun(
  count: number,
  {
    broken,
    isDown = false,
    limits = LIMITS['recreated'],
    steps = [all],
  }: { broken: number[]; isDown?: boolean; limits?: JsonObject | undefined; steps?: Step[] },
): NodeCluster {
  const names = namesOf(count);
  const cluster = new NodeCluster('1', names.join(' '), limits).run(2);
  const which = broken.map((n) => names[n] ?? '');
  for (const name of which) cluster.failing.add(name);
  cluster.run(1);
  if (isDown) for (const name of which) cluster.setReady(name, false);
  cluster.plans = [planOf(['1'], '2', steps)];
  cluster.commit('2').run(3);
  if (isDown) for (const name of which) cluster.setReady(name, true);
  return cluster;
}

const left = ({ images }: NodeCluster): number =>
  images.split(' ').filter((each) => each.endsWith('=1')).length;

const worlds = Object.keys(LIMITS).flatMap((how) =>
  [false, true].flatMap((isDown) =>
    [[0], [5], [9]].map(
      (broken) => [how, isDown ? 'and comes back in the step' : 'and is Ready', broken, isDown] as const,
    ),
  ),
);

describe('a node that was broken before the plan', () => {
  test.each(worlds)('holds none of ten up, one at a time, %s, %s: %j', (how, _when, broken, isDown) => {
    const cluster = begun(10, { broken: [...broken], isDown, limits: LIMITS[how] }).run(30);
    expect([cluster.state, left(cluster)]).toEqual(['Succeeded Completed', 0]);
  });

  test.each([
    ['alone', { id: 'one', update: { to: 1 } }, 'n18'],
    ['among others', { id: 'one', update: { to: 3 } }, 'n16 n17 n18'],
    ['by values', { id: 'one', update: { to: 1, spread: 'zone' } }, 'n18'],
  ] satisfies [string, Step, string][])('is no canary, %s', (_what, one, expected) => {
    const cluster = begun(10, { broken: [9], steps: [one, { id: 'ok', approve: {} }, all] }).run(8);
    const taken = cluster.images.split(' ').filter((each) => each.endsWith('=2'));
    expect([cluster.state, taken.map((each) => each.slice(0, -2)).join(' ')]).toEqual([
      'AwaitingApproval ok',
      expected,
    ]);
  });

  test.each<[count: number, broken: number, state: string]>([
    [3, 1, 'Succeeded Completed'],
    [10, 2, 'Halted all Timeout'],
    [20, 2, 'Succeeded Completed'],
    [20, 3, 'Halted all Timeout'],
  ])('is one of a tenth: of %i nodes %i', (count, broken, state) => {
    const which = Array.from({ length: broken }, (_, n) => n);
    expect(begun(count, { broken: which }).run(60).state).toBe(state);
  });

  test('is judged once its pod was available', () => {
    const cluster = begun(10, { broken: [9], isDown: true }).run(2);
    cluster.failing.clear();
    cluster.run(2);
    cluster.failing.add('n19');
    expect(cluster.run(60).state).toBe('Halted all Timeout');
  });

  test('uses budget again once its pod was available: no more are without one than before', () => {
    const cluster = begun(10, { broken: [5] }).run(2);
    cluster.failing.clear();
    cluster.run(2);
    cluster.failing.add('n15');
    const then = left(cluster.run(1));
    expect(left(cluster.run(5))).toBe(then);
  });
});

describe('of nodes that were down before the plan, and are back without available pods', () => {
  test.each<[what: string, broken: number, state: string]>([
    ['a tenth holds no step up', 2, 'Succeeded Completed'],
    ['more may lack them for the change', 4, 'Halted all Timeout'],
  ])('%s', (_what, broken, state) => {
    const which = Array.from({ length: broken }, (_, n) => n);
    expect(begun(20, { broken: which, isDown: true }).run(120).state).toBe(state);
  });

  test('one with an unfinished change has to work with its fix', () => {
    const cluster = new NodeCluster('1', namesOf(10).join(' ')).run(2);
    cluster.plans = [planOf(['1'], '2', [{ id: 'one', update: { to: 1 } }, { id: 'ok', approve: {} }, all])];
    cluster.commit('2').run(3);
    expect(cluster.state).toBe('AwaitingApproval ok');
    cluster.setReady('n19', false).failing.add('n19');
    cluster.run(1);
    cluster.plans = [planOf(['2', '1'], '3', [all])];
    cluster.commit('3').run(2).setReady('n19', true).run(60);
    expect(cluster.state).toBe('Halted all Timeout');
  });
});

describe('a node that comes back without a pod has not failed before the change', () => {
  const soak: Step = { id: 'soak', soak: { for: '1h' } };

  test('ten of a hundred that have rebooted before the plan, and where only the change fails', () => {
    const names = namesOf(100);
    const cluster = new NodeCluster('1', names.join(' '), { maxUnavailable: 5 }).run(2);
    const rebooted = names.slice(0, 10);
    for (const name of rebooted) cluster.shutDown(name);
    cluster.plans = [planOf(['1'], '2', [all, soak])];
    cluster.commit('2').run(2);
    for (const name of rebooted) cluster.setReady(name, true).failing.add(`${name}=2`);
    cluster.run(120);
    expect(cluster.state).toMatch('Halted');
    expect(cluster.progress?.baseline.unavailable).toEqual([]);
  });

  test.each(['shut down', 'cut off, and its pod is lost'])('nor one with an unfinished change: %s', (how) => {
    const cluster = new NodeCluster('1', namesOf(10).join(' ')).run(2);
    cluster.plans = [planOf(['1'], '2', [{ id: 'one', update: { to: 1 } }, { id: 'ok', approve: {} }, all])];
    cluster.commit('2').run(3);
    const [first = ''] = cluster.images.split(' ').flatMap((each) => each.match(/(.*)=2$/)?.slice(1) ?? []);
    if (how === 'shut down') cluster.shutDown(first);
    else cluster.setReady(first, false).losePod(first);
    cluster.run(1);
    cluster.plans = [planOf(['2', '1'], '3', [all])];
    cluster.commit('3').run(2).setReady(first, true).failing.add(`${first}=3`);
    cluster.run(60);
    expect(cluster.state).toMatch('Halted');
  });

  test('nor one that a user has accepted as down', () => {
    const cluster = new NodeCluster('1', namesOf(10).join(' ')).run(2);
    cluster.plans = [
      planOf(['1'], '2', [{ id: 'three', update: { to: 3 } }, { id: 'ok', approve: {} }, all, soak]),
    ];
    cluster.commit('2').run(5);
    expect(cluster.state).toBe('AwaitingApproval ok');
    const untouched = ['n18', 'n19', 'n17', 'n10', 'n11'].filter((name) =>
      cluster.images.includes(`${name}=1`),
    );
    const [one = '', other = ''] = untouched;
    cluster.shutDown(one).shutDown(other);
    cluster.run(1).command('Approve', { step: 'ok', digest: cluster.plans[0]?.digest ?? '' });
    cluster.run(2).setReady(other, true).failing.add(`${other}=2`);
    cluster.run(120);
    expect(cluster.state).toMatch('Halted');
  });
});
