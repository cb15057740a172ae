import { describe, expect, test } from 'vitest';
import type { NodeLabels } from '../../../semantics/pod/nodes.ts';
import { scaleInOrder } from '../../../semantics/pod/order.ts';
import type { Pod } from '../../../semantics/pod/types.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';

/** Node → zone; a node without a zone has no labels at all. */
function nodesOf(zones: Record<string, string>, state: NodeLabels['state'] = 'known'): NodeLabels {
  return {
    state,
    pendingSince: undefined,
    of: (name) => (zones[name] === undefined ? undefined : { [ZONE]: zones[name], [HOST]: name }),
  };
}

/** `a: 2` is a0 and a1 on node a, alike in everything else. */
function podsOn(counts: Record<string, number>): Pod[] {
  return Object.entries(counts).flatMap(([node, n]) =>
    Array.from({ length: n }, (_, i) => podOn(node, `${node}${i}`)),
  );
}

function podOn(node: string | undefined, name: string, cost?: string): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...(cost === undefined ? {} : { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } }),
    },
    spec: { ...(node === undefined ? {} : { nodeName: node }), containers: [] },
    status: {
      phase: node === undefined ? 'Pending' : 'Running',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:01:00Z' }],
    },
  };
}

const order = (pods: Pod[], over: string[], nodes: NodeLabels): string =>
  scaleInOrder(pods, () => true, over, nodes)
    .map((pod) => pod.metadata.name)
    .join(' ');

/** Three zones of ten, eight and five pods; the zone of node a is unknown. */
const zones = { b: 'z1', c: 'z1', d: 'z1', e: 'z2', f: 'z2', i: 'z3' };
const pods = podsOn({ a: 2, b: 2, c: 3, d: 5, e: 5, f: 3, i: 5 });

describe('pods spread over domains, first = deleted first (OpenKruise cloneset, rule 6.4; CS-21)', () => {
  test('four and two: the larger zone loses two', () => {
    const uneven = podsOn({ n1: 1, n2: 1, n3: 1, n4: 1, m1: 1, m2: 1 });
    const nodes = nodesOf({ n1: 'z1', n2: 'z1', n3: 'z1', n4: 'z1', m1: 'z2', m2: 'z2' });
    expect(order(uneven, [ZONE], nodes)).toMatch(/^n\S+ n\S+ /);
    // By node alone they differ only in their names.
    expect(order(uneven, [], nodes)).toMatch(/^m/);
  });

  test('zone by zone, and within a zone the crowded node first; what has no zone comes last', () => {
    expect(order(pods, [ZONE], nodesOf(zones))).toBe(
      'd0 d1 c0 e0 d2 e1 b0 e2 c1 f0 i0 d3 e3 i1 b1 f1 i2 c2 e4 i3 d4 f2 i4 a0 a1',
    );
  });

  test('two constraints add up, each in units of the number of its domains', () => {
    const [first, second, ...rest] = order(pods, [ZONE, HOST], nodesOf(zones)).split(' ');
    expect([first, second]).toEqual(['d0', 'e0']);
    // 10 ln 5 + 5 ln 8 for the first of both lists; pods without a domain get nothing.
    expect(rest.slice(-2)).toEqual(['a0', 'a1']);
    expect(rest.indexOf('d1')).toBeLessThan(rest.indexOf('c0'));
  });

  test('by host name: the fullest host first, whatever the crowding', () => {
    expect(order(podsOn({ b: 1, c: 3 }), [HOST], nodesOf(zones))).toBe('c0 c1 b0 c2');
  });

  test('cost comes before the spread (CS-19), the spread before age; without a node first of all (CS-22)', () => {
    const costly = [
      ...podsOn({ b: 2, c: 2 }),
      podOn('e', 'cheap', '-1'),
      podOn(undefined, 'homeless', '100'),
    ];
    expect(order(costly, [ZONE], nodesOf(zones))).toMatch(/^homeless cheap b0 /);
  });

  test('if nodes may not be listed, pods are spread over nodes (CS-20)', () => {
    const crowded = podsOn({ b: 1, e: 3, f: 1 });
    expect(order(crowded, [ZONE], nodesOf(zones, 'unreadable'))).toMatch(/^e0 e1 /);
  });
});
