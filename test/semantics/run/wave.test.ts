import { describe, expect, test } from 'vitest';
import { allowedPods } from '../../../semantics/plan/allowed.ts';
import { type RunNode, parallelismOf, startOrder, startsOf } from '../../../semantics/run/wave.ts';

/** `a1 b2 -3`: nodes by failure domain (`-`: none) and number. */
const nodesOf = (text: string): RunNode[] =>
  text
    .split(' ')
    .filter((name) => name !== '')
    .map((name) => ({ name, domain: name.startsWith('-') ? undefined : name.slice(0, 1) }));

const ALL = 1000;

test('nodes are started by domain, then by name, those without domain last', () => {
  const order = startOrder(nodesOf('-1 b2 a3 b1 a2')).map(({ name }) => name);
  expect(order).toEqual(['a2', 'a3', 'b1', 'b2', '-1']);
});

describe('the nodes that a wave starts', () => {
  test.each<
    [
      what: string,
      given: {
        waiting: string;
        active?: string;
        /** Nodes that were started, and have no pod now. */
        before?: string;
        allowed: number;
        parallelism?: number;
        isSpread?: boolean;
      },
      starts: string,
    ]
  >([
    ['one', { waiting: 'a1 a2 b1', allowed: 1 }, 'a1'],
    ['none before its step', { waiting: 'a1 a2', allowed: 0 }, ''],
    ['up to its size', { waiting: 'a1 a2 b1 b2', allowed: 3 }, 'a1 a2 b1'],
    ['less what was started', { waiting: 'a3 b1', active: 'a1 a2', allowed: 3 }, 'a3'],
    ['none beyond its size', { waiting: 'a3', active: 'a1 a2', allowed: 1 }, ''],
    ['as many as parallelism allows', { waiting: 'a1 a2 a3', allowed: ALL, parallelism: 2 }, 'a1 a2'],
    ['as many as active ones leave', { waiting: 'a3', active: 'a1 a2', allowed: ALL, parallelism: 2 }, ''],
    ['a lost pod does not make room for another node', { waiting: 'a2 a3', before: 'a1', allowed: 1 }, ''],
    ['a node again whose pod is lost', { waiting: 'a1 a2', before: 'a1', allowed: 1 }, 'a1'],
    ['one domain at a time', { waiting: 'a1 a2 b1 -1', allowed: ALL, isSpread: true }, 'a1 a2'],
    [
      'the domain that is active, first',
      { waiting: 'a2 b2', active: 'b1', allowed: ALL, isSpread: true },
      'b2',
    ],
    ['no other while one is active', { waiting: 'b1 -1', active: 'a1', allowed: ALL, isSpread: true }, ''],
    ['those without domain are one', { waiting: '-2', active: '-1', allowed: ALL, isSpread: true }, '-2'],
    ['none while two are active', { waiting: 'a2', active: 'a1 b1', allowed: ALL, isSpread: true }, ''],
    ['all domains without spread', { waiting: 'a2 b2', active: 'a1', allowed: ALL }, 'a2 b2'],
    [
      'a node of the next domain, where only that was started',
      { waiting: 'a2 b1', before: 'b1', allowed: 1, isSpread: true },
      'b1',
    ],
  ])('%s', (_what, given, starts) => {
    const { waiting, active = '', before = '', allowed, parallelism = ALL, isSpread = false } = given;
    const begun = new Set([...nodesOf(active), ...nodesOf(before)].map(({ name }) => name));
    const found = startsOf({
      waiting: nodesOf(waiting),
      active: nodesOf(active),
      started: begun.size,
      wasStarted: (node) => begun.has(node),
      allowed,
      parallelism,
      isSpread,
    });
    expect(found.join(' ')).toBe(starts);
  });
});

test('whatever pods do, no wave starts more than it allows, nor two domains at once', () => {
  const all = nodesOf('a1 a2 a3 b1 b2 b3 c1 c2 -1 -2');
  for (let seed = 1; seed <= 50; seed++) {
    let state = seed;
    const below = (limit: number): number => (state = (state * 48271) % 2147483647) % limit;
    const begun = new Set<string>();
    let active: RunNode[] = [];
    let done = new Set<string>();
    for (const to of [1, '30%', '100%'] as const)
      for (let turn = 0; turn < 12; turn++) {
        const allowed = allowedPods({ to }, all.length);
        const busy = new Set(active.map(({ name }) => name));
        const waiting = startOrder(all).filter(({ name }) => !busy.has(name) && !done.has(name));
        const wasStarted = (node: string): boolean => begun.has(node);
        const wave = { waiting, active, started: begun.size, wasStarted, allowed };
        for (const name of startsOf({ ...wave, parallelism: 2, isSpread: true })) {
          begun.add(name);
          active = [...active, ...all.filter((node) => node.name === name)];
        }
        expect(begun.size).toBeLessThanOrEqual(allowed);
        expect(active.length).toBeLessThanOrEqual(2);
        expect(new Set(active.map(({ domain }) => domain)).size).toBeLessThanOrEqual(1);
        const ending = active[below(3)];
        if (ending === undefined) continue;
        active = active.filter((node) => node !== ending);
        if (below(4) > 0) done = new Set([...done, ending.name]);
      }
    expect(done.size).toBeGreaterThan(3);
  }
});

test.each<[target: number | string, step: number | string | undefined, units: number, most: number]>([
  [2147483647, undefined, 10, 2147483647],
  ['10%', undefined, 15, 2],
  ['10%', 5, 100, 5],
  [3, '50%', 10, 3],
  [0, '50%', 10, 0],
])('a parallelism of %j, in a step of %j, is of %i nodes %i at a time', (target, step, units, most) => {
  expect(parallelismOf(target, step, units)).toBe(most);
});
