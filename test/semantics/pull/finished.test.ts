import { describe, expect, test } from 'vitest';
import type { Node } from '../../../semantics/node/node.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { decidePulls } from '../../../semantics/pull/decide.ts';
import { PULL_ROUND_ANNOTATION, pullOf } from '../../../semantics/pull/pod.ts';
import * as fc from '../../property.ts';
import { nodeOf, NOW, podOf, SECOND, STARTED, workOf } from './fleet.ts';

const LISTED = ['docker.io/library/nginx:1.27'];

interface World {
  nodes: number;
  parallelism: number;
  /** How many pods that pull the quota has room for, finished ones included. */
  room: number;
  /** Half minutes after which a node removes the images; undefined: it keeps them. */
  keeps(node: number): number | undefined;
}

interface Seen {
  /** Half minutes until every node was done; undefined: it never was. */
  took: number | undefined;
  /** The most pods that stood at a time. */
  most: number;
  /** How often was pulled to each node. */
  pulls: number[];
}

const nameOf = (index: number): string => `n${String(index).padStart(4, '0')}`;

/** Pulls to all nodes. A pod takes half a minute, and a write that is refused is tried again after as long. */
function pullAll({ nodes: count, parallelism, room, keeps }: World, most = 3 * count): Seen {
  let pods: Pod[] = [];
  let isRefused = false;
  const pulledAt = new Map<string, number>();
  const seen: Seen = { took: undefined, most: 0, pulls: Array<number>(count).fill(0) };
  const states = Array.from({ length: count }, (_, index) => ({
    name: nameOf(index),
    keeps: keeps(index) ?? Infinity,
    empty: nodeOf(nameOf(index)),
    full: nodeOf(nameOf(index), LISTED),
  }));
  const nodesAt = (tick: number): Node[] =>
    states.map((each) => {
      const at = pulledAt.get(each.name);
      return at !== undefined && tick < at + each.keeps ? each.full : each.empty;
    });
  for (let tick = 0; tick < most; tick++) {
    const nodes = nodesAt(tick);
    const { actions, nodes: rows } = decidePulls(
      workOf({ nodes, parallelism, isRefused }),
      pods,
      NOW + tick * 30 * SECOND,
    );
    const isDone = rows.every(({ state }) => state === 'Present' || state === 'Succeeded');
    if (isDone) return { ...seen, took: tick };
    const gone = new Set(actions.map((action) => (action.do === 'delete' ? action.name : '')));
    const standing = pods.length;
    pods = pods.filter(({ metadata }) => !gone.has(metadata.name));
    for (const action of actions) {
      if (action.do !== 'create') continue;
      // What is deleted counts until it is gone.
      isRefused = standing >= room || pods.length >= room;
      if (isRefused) continue;
      const { node, round } = pullOf(action.object);
      pods.push(podOf(node, [STARTED], { round, ageMs: -tick * 30 * SECOND }));
      pulledAt.set(node, tick + 1);
      const index = Number(node.slice(1));
      seen.pulls[index] = (seen.pulls[index] ?? 0) + 1;
    }
    seen.most = Math.max(seen.most, pods.length);
  }
  return seen;
}

const never = (): undefined => undefined;

describe('finished pods', () => {
  test.each([40, 6, 5, 2, 1])('do not use up a quota with room for %i of them', (room) => {
    const { took, pulls } = pullAll({ nodes: 100, parallelism: 5, room, keeps: never });
    expect(took).toBeDefined();
    expect(pulls).toEqual(Array(100).fill(1));
  });

  test('are few on many nodes, and it takes no longer for that', () => {
    const { took, most, pulls } = pullAll({ nodes: 500, parallelism: 5, room: Infinity, keeps: never });
    expect(took).toBe(100);
    expect(most).toBeLessThanOrEqual(60);
    expect(pulls).toEqual(Array(500).fill(1));
  });

  test('are forgotten the oldest first, so that a node that removes the images again comes after all others', () => {
    const keeps = (node: number) => (node === 3 ? 15 : undefined);
    const { took, pulls } = pullAll({ nodes: 300, parallelism: 5, room: Infinity, keeps });
    expect(took).toBeDefined();
    expect(pulls).toEqual(Array.from({ length: 300 }, (_, index) => (index === 3 ? 2 : 1)));
  });
});

test('however many nodes remove the images again, and when: it is pulled to each a few times', () => {
  const property = fc.property(
    fc.integer({ min: 2, max: 120 }),
    fc.integer({ min: 1, max: 9 }),
    fc.integer({ min: 2, max: 150 }),
    fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 }),
    (nodes, parallelism, room, after) => {
      const keeps = (node: number) => after[node % after.length];
      const { pulls } = pullAll({ nodes, parallelism, room, keeps }, 500);
      expect(Math.max(...pulls)).toBeLessThanOrEqual(4);
    },
  );
  fc.assert(property, { numRuns: 5 });
});

test('the last pod of all stays where another stands, so that the order of nodes goes on from it', () => {
  const nodes = ['a', 'b', 'c'].map((name) => nodeOf(name, name === 'c' ? [] : LISTED));
  const pods = [podOf('a', [STARTED]), podOf('b', [STARTED])];
  const names = decidePulls(workOf({ nodes, isRefused: true }), pods, NOW).actions.map((action) =>
    action.do === 'delete' ? action.name : action.do,
  );
  expect(names).toEqual([pods[0]?.metadata.name, 'create']);
});

test('a pod says in which round it is, and one of an earlier version is in the first', () => {
  const pod = podOf('a', [STARTED]);
  expect(pullOf(pod).round).toBe(1);
  delete pod.metadata.annotations?.[PULL_ROUND_ANNOTATION];
  expect(pullOf(pod).round).toBe(1);
});
