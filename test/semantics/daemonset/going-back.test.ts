import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import * as fc from '../../property.ts';
import { labelsOf, NodeCluster, planOf } from './cluster.ts';

const NODES = ['n1', 'n2', 'n3', 'n4', 'n5'] as const;
const fit = (version: string, letters: string): boolean =>
  [...(version.split(':')[1] ?? '')].every((letter) => letters.includes(letter));
const ok: Step = { id: 'ok', approve: {} };
const all: Step = { id: 'all', update: { to: '100%' } };
const some = (to: number | string): Step => ({
  id: 'some',
  // Of one node a half is none, and nothing would fail.
  update: typeof to === 'string' ? { to, atLeast: 1 } : { to },
  timeout: '5m',
  onFailure: 'Revert',
});

/** The server loses which pods were to be deleted. */
function forgetDeletions(cluster: NodeCluster): void {
  cluster.pods = cluster.pods.map(({ metadata: { deletionTimestamp: _deleted, ...metadata }, ...pod }) => ({
    ...pod,
    metadata,
  }));
}

type Way = 'failure' | 'git' | 'person';

const letters = fc.constantFrom('', 'a', 'b', 'ab');
const ways = fc.constantFrom<Way>('failure', 'git', 'person');
const limits = fc.constantFrom<Record<string, number>>(
  { maxUnavailable: 2 },
  { maxUnavailable: 0, maxSurge: 2 },
);

describe('a way back between revisions that fit different nodes', () => {
  const worlds = fc
    .record({
      nodes: fc.tuple(letters, letters, letters, letters, letters),
      old: letters,
      next: letters,
      size: fc.constantFrom<number | string>(1, 3, '50%', '100%'),
      way: ways,
      rolling: limits,
    })
    .filter(({ nodes, old, next }) => nodes.some((each) => fit(`1:${old}`, each) && fit(`2:${next}`, each)));

  test('ends, with the pod of the goal on each node that it fits, and no other', () => {
    fc.assert(
      fc.property(worlds, ({ nodes, old, next, size, way, rolling }) => {
        const [from, to] = [`1:${old}`, `2:${next}`];
        const words = NODES.map((name, n) => `${name}:${nodes[n] ?? ''}`).join(' ');
        const cluster = new NodeCluster(from, words, rolling).run(2);
        const before = NODES.filter((_, n) => fit(from, nodes[n] ?? '')).map((name) => `${name}=1`);
        expect(cluster.images).toBe(before.join(' '));
        if (way === 'failure') cluster.broken.add('2');
        cluster.plans = [planOf([from], to, [some(size), ok, all])];
        cluster.commit(to, rolling).run(way === 'failure' ? 8 : 3);
        if (way === 'git') cluster.commit(from);
        if (way === 'person') cluster.command('Revert');
        cluster.run(12);
        expect(cluster.state).toMatch(/^Reverted/);
        expect(cluster.images).toBe(before.join(' '));
      }),
      { numRuns: 10 },
    );
  });

  test.each<[what: string, old: string, next: string, before: string]>([
    ['the new one fits more nodes', '1:a', '2', 'n1=1 n2=1'],
    ['the new one fits fewer nodes', '1', '2:a', 'n1=1 n2=1 n3=1 n4=1'],
    ['each fits nodes of its own', '1:a', '2:b', 'n1=1 n2=1'],
  ])('%s', (_what, old, next, before) => {
    const cluster = new NodeCluster(old, 'n1:a n2:ab n3:b n4').run(2);
    cluster.broken.add('2');
    cluster.plans = [planOf([old], next, [some('100%')])];
    cluster.commit(next).run(40);
    expect([cluster.state, cluster.images]).toEqual([expect.stringMatching(/^Reverted/), before]);
  });
});

test('a way back that is paused deletes no pod where the goal does not fit', () => {
  const cluster = new NodeCluster('1:a', 'n1:a n2:ab n3:b n4').run(2);
  cluster.plans = [planOf(['1:a'], '2', [all])];
  cluster.commit('2').run(20);
  const before = cluster.images;
  expect(before).toBe('n1=2 n2=2 n3=2 n4=2');
  cluster.commit('1:a', { paused: true }).run(6);
  expect(cluster.images).toBe(before);
  cluster.commit('1:a', { paused: false }).run(12);
  expect([cluster.state, cluster.images]).toEqual([expect.stringMatching(/^Reverted/), 'n1=1 n2=1']);
});

describe('what a way back does not wait for', () => {
  const step = (to: number): Step => ({ id: `to-${to}`, update: { to } });

  const soak: Step = { id: 'soak', soak: { for: '5m' } };

  test.each<[string, Step[], string]>([
    ['in the last step', [step(2), ok, all], 'AwaitingApproval ok'],
    ['in an earlier one', [step(1), soak, step(2), ok, all], 'Running to-2'],
  ])('a node that has joined %s, and has no room for its pod', (_, steps, before) => {
    const cluster = new NodeCluster('1', 'n1 n2 n3').run(2);
    cluster.plans = [planOf(['1'], '2', steps)];
    cluster.commit('2').run(0.2);
    cluster.full.add('n9');
    cluster.join('n9').run(8);
    expect(cluster.state).toBe(before);
    cluster.command('Revert').run(12);
    expect([cluster.state, cluster.images]).toEqual([
      expect.stringMatching(/^Reverted/),
      'n1=1 n2=1 n3=1 n9=1',
    ]);
  });

  test('a node that admits no pod any more, where a partition has left others: it loses its pod', () => {
    const rolling = { maxUnavailable: 5, partition: 2 };
    const cluster = new NodeCluster('1', 'n1 n2 n3 n4 n5', rolling).run(2);
    cluster.plans = [planOf(['1'], '2', [all], { partition: 2 })];
    cluster.commit('2', rolling).run(5);
    expect([cluster.state, cluster.images]).toEqual(['Succeeded Completed', 'n1=1 n2=1 n3=2 n4=2 n5=2']);
    cluster.plans = [planOf(['2', '1'], '3', [step(1), ok, all], { partition: 2 })];
    cluster.commit('3', rolling).run(5);
    expect(cluster.images).toBe('n1=1 n2=3 n3=2 n4=2 n5=2');
    cluster.taint('n2', 'NoSchedule').command('Revert').run(8);
    expect([cluster.state, cluster.images]).toEqual([
      expect.stringMatching(/^Reverted/),
      'n1=1 n3=2 n4=2 n5=2',
    ]);
  });
});

describe('a node that is not Ready when the way back ends', () => {
  /** Two of three nodes have the change, and one of these goes down while the other one goes back. */
  function without(way: Way): NodeCluster {
    const cluster = new NodeCluster('1', 'n1 n2 n3').run(2);
    cluster.plans = [planOf(['1'], '2', [{ id: 'two', update: { to: 2 } }, ok, all])];
    cluster.commit('2').run(5);
    expect([cluster.state, cluster.images]).toEqual(['AwaitingApproval ok', 'n1=1 n2=2 n3=2']);
    if (way === 'person') cluster.command('Revert');
    else cluster.commit('1');
    cluster.run(1);
    expect(cluster.images).toBe('n1=1 n2=2 n3=1');
    return cluster.setReady('n2', false).run(1);
  }

  test.each<Way>(['person', 'git'])('follows once it is Ready, after a revert by %s', (way) => {
    const cluster = without(way);
    expect(cluster.state).toMatch(/^Reverted/);
    expect(cluster.messages.at(-1)).toMatch(/ again, but for 1 node that is not Ready, and follows$/);
    cluster.setReady('n2', true).run(5);
    expect([cluster.state, cluster.images]).toEqual([expect.stringMatching(/^Reverted/), 'n1=1 n2=1 n3=1']);
  });

  test('follows though git has moved on without a plan', () => {
    const cluster = without('git').commit('3').setReady('n2', true).run(5);
    expect(cluster.images).toBe('n1=1 n2=1 n3=1');
  });

  test('follows by the limits of the manifest alone, where those of the plan let nothing change with them', () => {
    const cluster = without('person').commit('2', { maxUnavailable: 0, maxSurge: 1 });
    forgetDeletions(cluster);
    cluster.setReady('n2', true).run(5);
    expect(cluster.images).toBe('n1=1 n2=1 n3=1');
  });

  test('brings no other one back, which break glass has left at the change', () => {
    const cluster = without('person').commit('2', { maxUnavailable: 3 });
    cluster.breakGlass(2).run(1);
    expect(cluster.images).toBe('n1=2 n2=2 n3=2');
    cluster.setReady('n2', true).run(5);
    expect(cluster.images).toBe('n1=2 n2=1 n3=2');
  });
});

test('a node that is not Ready when the way back ends follows though the bound at the goal does not select it', () => {
  const selector = { matchLabels: labelsOf('b') };
  const cluster = new NodeCluster('1', 'n1 n2 n3 n4:b', { selector }).run(2);
  cluster.plans = [planOf(['1'], '2', [all], { selector })];
  cluster.commit('2', { selector }).run(5);
  expect([cluster.state, cluster.images]).toEqual(['Succeeded Completed', 'n1=1 n2=1 n3=1 n4=2']);
  cluster.plans = [planOf(['2', '1'], '3', [{ id: 'two', update: { to: 2 } }, ok, all])];
  cluster.commit('3', {}).run(5);
  expect([cluster.state, cluster.images]).toEqual(['AwaitingApproval ok', 'n1=1 n2=3 n3=3 n4=2']);
  cluster.setReady('n2', false).commit('2', { selector }).run(2);
  expect(cluster.state).toMatch(/^Reverted/);
  forgetDeletions(cluster);
  cluster.setReady('n2', true);
  expect(cluster.images).toContain('n2=3');
  cluster.run(5);
  expect(cluster.images).not.toContain('=3');
  // What the bound has left elsewhere stays.
  expect(cluster.images).toMatch(/^n1=1 .* n4=2$/);
});

describe('a way back to a bound with a selector', () => {
  const selector = { matchLabels: labelsOf('c') };
  const nodeLetters = fc.constantFrom('', 'a', 'b', 'ab', 'c', 'ac', 'bc', 'abc');
  const rolling = { maxUnavailable: 2, selector };
  const worlds = fc.record({
    nodes: fc.tuple(nodeLetters, nodeLetters, nodeLetters),
    middle: letters,
    next: letters,
    way: ways,
    loses: fc.boolean(),
  });

  test('leaves every node that the bound does not select as it is', () => {
    fc.assert(
      fc.property(worlds, ({ nodes, middle, next, way, loses }) => {
        const [goal, to] = [`2:${middle}`, `3:${next}`];
        // One node is selected and fits every revision, and one is neither.
        const given = ['abc', ...nodes, ''];
        const words = NODES.map((name, n) => `${name}:${given[n] ?? ''}`).join(' ');
        const cluster = new NodeCluster('1', words, rolling).run(2);
        cluster.plans = [planOf(['1'], goal, [all], { selector })];
        cluster.commit(goal, rolling).run(8);
        expect(cluster.state).toMatch(/^Succeeded/);
        const imageOn = (letter: string): string => (fit(goal, letter) ? '2' : '');
        const expected = NODES.flatMap((name, n) => {
          const own = given[n] ?? '';
          const image = own.includes('c') ? imageOn(own) : '1';
          return image === '' ? [] : [`${name}=${image}`];
        }).join(' ');
        expect(cluster.images).toBe(expected);

        cluster.deleted = [];
        if (way === 'failure') cluster.broken.add('3');
        cluster.plans = [planOf([goal, '1'], to, [some('50%'), ok, all], { selector })];
        cluster.commit(to, rolling).run(way === 'failure' ? 8 : 3);
        if (way === 'person') cluster.command('Revert');
        if (way === 'git') cluster.commit(goal, rolling);
        // A pod that somebody deletes meanwhile comes back as it was.
        if (loses) cluster.losePod('n5');
        cluster.run(12);
        expect(cluster.state).toMatch(/^Reverted/);
        expect(cluster.deleted.filter((each) => each.endsWith(' 1'))).toEqual([]);
        expect(cluster.images).toBe(expected);
      }),
      { numRuns: 10 },
    );
  });

  test('leaves no node on the goal that the bound does not select, whichever way pods change', () => {
    const limit = fc.constantFrom<JsonObject>(
      { maxUnavailable: 1 },
      { maxUnavailable: 3 },
      { maxUnavailable: 0, maxSurge: 1 },
      { maxUnavailable: 0, maxSurge: 3 },
    );
    const isSurge = ({ maxSurge }: JsonObject): boolean => maxSurge !== undefined;
    const given = fc.record({ atOnce: limit, size: fc.integer({ min: 1, max: 6 }), way: ways });
    fc.assert(
      fc.property(given, ({ atOnce, size, way }) => {
        const own = { ...atOnce, selector };
        const cluster = new NodeCluster('1', 'n1 n2 n3 n4 n5:c n6:c', own).run(2);
        cluster.plans = [planOf(['1'], '2', [all], { selector })];
        cluster.commit('2', own).run(9);
        const before = 'n1=1 n2=1 n3=1 n4=1 n5=2 n6=2';
        expect([cluster.state, cluster.images]).toEqual(['Succeeded Completed', before]);
        if (way === 'failure') cluster.broken.add('3');
        cluster.plans = [planOf(['2', '1'], '3', [some(size), ok, all])];
        cluster.commit('3', atOnce).run(way === 'failure' ? 8 : 9);
        if (way === 'git') cluster.commit('2', own);
        if (way === 'person') cluster.command('Revert');
        for (let minute = 0; minute < 14; minute += 1) {
          cluster.run(1);
          if (isSurge(atOnce)) for (const name of ['n1', 'n6']) expect(cluster.images).toContain(`${name}=`);
        }
        expect([cluster.state, cluster.images]).toEqual([expect.stringMatching(/^Reverted/), before]);
      }),
      { numRuns: 12 },
    );
  });

  test.each<[string, JsonObject]>([
    ['recreated', { maxUnavailable: 3 }],
    ['beside the old pods', { maxUnavailable: 0, maxSurge: 3 }],
  ])('leaves a node at the goal that has lost its label, or has joined: %s', (_, atOnce) => {
    const own = { ...atOnce, selector };
    const cluster = new NodeCluster('1', 'n1 n2 n3:c n4:c', own).run(2);
    cluster.plans = [planOf(['1'], '2', [all], { selector })];
    cluster.commit('2', own).run(5);
    cluster.plans = [planOf(['2', '1'], '3', [{ id: 'one', update: { to: 1 } }, ok, all])];
    cluster.commit('3', atOnce).run(0.2);
    cluster.label('n4', '').join('n5').run(5);
    expect([cluster.state, cluster.images]).toEqual(['AwaitingApproval ok', 'n1=1 n2=3 n3=2 n4=2 n5=2']);
    cluster.deleted = [];
    cluster.commit('2', own).run(6);
    expect([cluster.state, cluster.images]).toEqual([
      expect.stringMatching(/^Reverted/),
      'n1=1 n2=1 n3=2 n4=2 n5=2',
    ]);
    expect(cluster.deleted).toEqual(['n2 3']);
  });

  /** Four of six nodes are left at image 1, and a plan to image 3 has taken all. */
  function withAllTaken(atOnce: JsonObject): NodeCluster {
    const own = { ...atOnce, selector };
    const cluster = new NodeCluster('1', 'n1 n2 n3 n4 n5:c n6:c', own).run(2);
    cluster.plans = [planOf(['1'], '2', [all], { selector })];
    cluster.commit('2', own).run(5);
    cluster.plans = [planOf(['2', '1'], '3', [{ id: 'every', update: { to: 6 } }, ok, all])];
    cluster.commit('3', atOnce).run(9);
    expect([cluster.state, cluster.images]).toEqual(['AwaitingApproval ok', 'n1=3 n2=3 n3=3 n4=3 n5=3 n6=3']);
    return cluster.commit('2', own);
  }

  test('takes no more nodes at once where their pods are made at the retained revision', () => {
    const cluster = withAllTaken({ maxUnavailable: 1 });
    const counts: number[] = [];
    for (let minute = 0; minute < 8; minute += 1) {
      cluster.run(1);
      counts.push(cluster.images.split('=3').length - 1);
    }
    expect(counts).toEqual([5, 4, 3, 2, 1, 0, 0, 0]);
    expect([cluster.state, cluster.images]).toEqual([
      expect.stringMatching(/^Reverted/),
      'n1=1 n2=1 n3=1 n4=1 n5=2 n6=2',
    ]);
  });

  test('takes no further node while such a pod never becomes available', () => {
    const cluster = withAllTaken({ maxUnavailable: 1 });
    cluster.broken.add('1');
    cluster.run(10);
    expect(cluster.images.split('=1').length - 1).toBe(1);
  });
});
