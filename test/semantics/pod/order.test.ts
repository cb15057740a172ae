import { createIntern } from '../../../runtime/observe/intern.ts';
import { projectPod } from '../../../semantics/pod/project.ts';
import { describe, expect, test } from 'vitest';
import * as fc from '../../property.ts';
import { scaleInOrder, updateOrder } from '../../../semantics/pod/order.ts';
import type { Pod } from '../../../semantics/pod/types.ts';

interface Parts {
  node?: string | undefined;
  phase?: string;
  readyAt?: string | undefined;
  restarts?: number;
  sidecarRestarts?: number;
  created?: string;
  cost?: string;
}

const early = '2026-01-01T00:00:00Z';
const late = '2026-01-01T01:00:00Z';

function pod(name: string, parts: Parts = {}): Pod {
  const {
    node = `node-${name}`,
    phase = 'Running',
    readyAt = early,
    restarts = 0,
    sidecarRestarts = 0,
    created = early,
    cost,
  } = parts;
  const noNode = 'node' in parts && parts.node === undefined;
  const unready = 'readyAt' in parts && parts.readyAt === undefined;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      creationTimestamp: created,
      ...(cost === undefined ? {} : { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } }),
    },
    spec: {
      containers: [],
      initContainers: [
        { name: 'sidecar', image: 'log:1', restartPolicy: 'Always' },
        { name: 'migrate', image: 'db:1' },
      ],
      ...(noNode ? {} : { nodeName: node }),
    },
    status: {
      phase,
      conditions: [
        unready
          ? { type: 'Ready', status: 'False' }
          : { type: 'Ready', status: 'True', lastTransitionTime: readyAt },
      ],
      containerStatuses: [{ name: 'main', restartCount: restarts }],
      initContainerStatuses: [
        { name: 'migrate', restartCount: 7 - sidecarRestarts },
        { name: 'sidecar', restartCount: sidecarRestarts },
      ],
    },
  };
}

const names = (pods: readonly Pod[]): string => pods.map((p) => p.metadata.name).join(' ');
const inOrder = (pods: readonly Pod[]): string => names(updateOrder(pods, () => 0));
const ready = (p: Pod): boolean => p.status?.conditions?.[0]?.status === 'True';

describe('the update order, first = updated first (OpenKruise inplace-update, rule 6.7; CS-42)', () => {
  const steps: [string, Parts, Parts][] = [
    ['no node before node', { node: undefined }, {}],
    ['Pending before Running', { phase: 'Pending' }, {}],
    ['Pending before Unknown', { phase: 'Pending' }, { phase: 'Unknown' }],
    ['Unknown before Running', { phase: 'Unknown' }, {}],
    ['not ready before ready', { readyAt: undefined }, {}],
    ['later ready first', { readyAt: late }, { readyAt: early }],
    ['more restarts first', { restarts: 3 }, { restarts: 1 }],
    ['more restarts of sidecars first', { sidecarRestarts: 2 }, { sidecarRestarts: 1 }],
    ['younger first', { created: late }, { created: early }],
  ];
  test.each(steps)('%s', (_, first, second) => {
    expect(inOrder([pod('b', second), pod('a', first)])).toBe('a b');
    const kept = [pod('a', second), pod('b', first)].map((each) => projectPod(each, createIntern()));
    expect(inOrder(kept)).toBe('b a');
    expect(inOrder([pod('a', second), pod('b', first)])).toBe('b a');
  });

  test('an earlier rule outweighs every later one', () => {
    const pods = steps.map(([, first], i) => pod(`p${i}`, first));
    expect(inOrder([...pods].reverse())).toBe('p0 p1 p2 p3 p4 p5 p6 p7 p8');
  });

  test('node, phase and readiness count in this order, whatever the later ones are', () => {
    const nodes = [{ node: undefined }, {}];
    const phases = ['Pending', 'Unknown', 'Running'];
    const readiness = [{ readyAt: undefined }, {}];
    const pods = nodes
      .flatMap((node) =>
        phases.flatMap((phase) => readiness.map((readyAt): Parts => ({ ...node, phase, ...readyAt }))),
      )
      .map((parts, index) => pod(`p${String(11 - index).padStart(2, '0')}`, parts));
    expect(inOrder([...pods].reverse())).toBe(names(pods));
    expect(names(scaleInOrder([...pods].reverse(), ready))).toBe(names(pods));
  });

  test('the precedence of the caller comes first', () => {
    const pods = steps.map(([, first], i) => pod(`p${i}`, first));
    expect(names(updateOrder(pods, (p) => (p.metadata.name === 'p8' ? 0 : 1)))).toBe(
      'p8 p0 p1 p2 p3 p4 p5 p6 p7',
    );
  });

  test('it is total: any shuffle ends in one order', () => {
    const parts = fc.record(
      {
        node: fc.constantFrom('n1', 'n2', undefined),
        phase: fc.constantFrom('Pending', 'Running', 'Unknown'),
        readyAt: fc.constantFrom(early, late, undefined),
        restarts: fc.nat(2),
        created: fc.constantFrom(early, late),
        cost: fc.constantFrom('-5', '0', '5', '+10', '008'),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 8 }), fc.infiniteStream(fc.nat()), (all, shuffle) => {
        const pods = all.map((p, i) => pod(`p${i}`, p as Parts));
        const keys = new Map(pods.map((p) => [p, shuffle.next().value]));
        const shuffled = [...pods].sort((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0));
        expect(inOrder(shuffled)).toBe(inOrder(pods));
        expect(names(scaleInOrder(shuffled, ready))).toBe(names(scaleInOrder(pods, ready)));
      }),
    );
  });
});

describe('the scale-in order, first = deleted first (OpenKruise cloneset, rule 6.4)', () => {
  test('the lowest deletion cost first (CS-19)', () => {
    const pods = [pod('a', { cost: '5' }), pod('b', { cost: '0' }), pod('c', { cost: '-5' })];
    expect(names(scaleInOrder(pods, ready))).toBe('c b a');
  });

  test.each(['+10', '008', '10.0', 'ten', '2147483648', ''])('a cost of %j counts as 0', (cost) => {
    const pods = [pod('a', { cost }), pod('b', { cost: '-1' }), pod('c', { cost: '1' })];
    expect(names(scaleInOrder(pods, ready))).toBe('b a c');
  });

  test('pods on crowded nodes come first (CS-20)', () => {
    const pods = ['a', 'b', 'c', 'd', 'e'].map((name, i) => pod(name, { node: i < 3 ? 'n1' : `n${i}` }));
    expect(names(scaleInOrder(pods, ready).slice(0, 2))).toBe('a b');
    const other = ['a', 'b', 'c', 'd', 'e'].map((name, i) => pod(name, { node: i > 1 ? 'n1' : `n${i + 5}` }));
    expect(names(scaleInOrder(other, ready).slice(0, 2))).toBe('c d');
  });

  test('an unscheduled pod comes first, whatever its cost (CS-22)', () => {
    const pods = [pod('a', { cost: '-100' }), pod('b', { node: undefined, cost: '100' })];
    expect(names(scaleInOrder(pods, ready))).toBe('b a');
  });

  test('unavailable pods come before available ones, whatever their cost', () => {
    const pods = [pod('a', { cost: '-100' }), pod('b', { cost: '100' })];
    expect(names(scaleInOrder(pods, (p) => p.metadata.name === 'a'))).toBe('b a');
  });

  test('cost outweighs crowding, crowding outweighs age', () => {
    const crowd = [
      pod('a', { node: 'n1', cost: '1' }),
      pod('b', { node: 'n1', cost: '1' }),
      pod('c', { cost: '0' }),
    ];
    expect(names(scaleInOrder(crowd, ready))).toBe('c a b');
    const old = [
      pod('a', { node: 'n1' }),
      pod('b', { node: 'n1' }),
      pod('c', { created: late, readyAt: late }),
    ];
    expect(names(scaleInOrder(old, ready))).toBe('a c b');
  });
});
