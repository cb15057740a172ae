import { describe, expect, test } from 'vitest';
import type { PodOnNode } from '../../../semantics/node/pod-on-node.ts';
import { baselineOfNode, harmTo, type NodeState } from '../../../semantics/run/harm.ts';

const BEFORE = 1000;
const NOW = 60_000;
const pod = (name: string, own: Partial<PodOnNode> = {}): PodOnNode => ({
  node: 'node-1',
  namespace: 'shop',
  name,
  uid: `uid-${name}`,
  available: true,
  restarts: 0,
  changedAt: 0,
  changingUntil: 0,
  createdAt: 0,
  ...own,
});
const ready: NodeState['conditions'] = [
  { type: 'DiskPressure', status: 'False' },
  { type: 'Ready', status: 'True' },
];
const node = (pods: PodOnNode[], conditions = ready): NodeState => ({ name: 'node-1', conditions, pods });
const withCondition = (type: string, status: 'True' | 'False' | 'Unknown'): NodeState['conditions'] => [
  ...ready.filter((each) => each.type !== type),
  { type, status },
];

test('the baseline of a healthy node is small', () => {
  expect(baselineOfNode(node([pod('a'), pod('b')]), BEFORE)).toEqual({
    at: BEFORE,
    bad: [],
    unavailable: [],
    restarts: {},
  });
});

test('the baseline has what is wrong', () => {
  const conditions = [
    ...withCondition('Ready', 'Unknown'),
    { type: 'KernelDeadlock', status: 'True' } as const,
  ];
  const pods = [pod('b', { available: false, restarts: 3 }), pod('a', { available: false })];
  expect(baselineOfNode(node(pods, conditions), BEFORE)).toEqual({
    at: BEFORE,
    bad: ['Ready', 'KernelDeadlock'],
    unavailable: ['uid-a', 'uid-b'],
    restarts: { 'uid-b': 3 },
  });
});

describe('what a run has harmed', () => {
  test.each<[what: string, before: NodeState, after: NodeState | undefined, harm: string | undefined]>([
    ['nothing', node([pod('a')]), node([pod('a')]), undefined],
    ['the node is gone', node([]), undefined, 'the node is gone'],
    ['not ready', node([]), node([], withCondition('Ready', 'False')), 'it is not Ready'],
    ['readiness unknown', node([]), node([], withCondition('Ready', 'Unknown')), 'it is not Ready'],
    ['no conditions', node([]), node([], []), 'it is not Ready'],
    [
      'not ready, as before',
      node([], withCondition('Ready', 'False')),
      node([], withCondition('Ready', 'Unknown')),
      undefined,
    ],
    [
      'a problem',
      node([]),
      node([], withCondition('DiskPressure', 'True')),
      'it has the condition DiskPressure',
    ],
    [
      'another problem than before',
      node([], withCondition('DiskPressure', 'True')),
      node([], withCondition('KernelDeadlock', 'True')),
      'it has the condition KernelDeadlock',
    ],
    [
      'a pod',
      node([pod('b'), pod('a')]),
      node([pod('b', { available: false }), pod('a', { available: false })]),
      'pod shop/a was available and is not now',
    ],
    [
      'a pod that was not available before',
      node([pod('a', { available: false })]),
      node([pod('a', { available: false })]),
      undefined,
    ],
    ['a pod that is gone', node([pod('a')]), node([]), undefined],
    ['a younger pod', node([]), node([pod('a', { available: false, createdAt: BEFORE + 1 })]), undefined],
    [
      'a restart',
      node([pod('a')]),
      node([pod('a', { restarts: 1 })]),
      'containers of pod shop/a have restarted',
    ],
    ['restarts of before', node([pod('a', { restarts: 2 })]), node([pod('a', { restarts: 2 })]), undefined],
    [
      'one more',
      node([pod('a', { restarts: 2 })]),
      node([pod('a', { restarts: 3 })]),
      'containers of pod shop/a have restarted',
    ],
    [
      'a planned change since then, after which restarts count anew',
      node([pod('a', { restarts: 5 })]),
      node([pod('a', { restarts: 0, changedAt: BEFORE + 5000, available: false })]),
      undefined,
    ],
    [
      'a restart after a planned change',
      node([pod('a', { restarts: 5 })]),
      node([pod('a', { restarts: 1, changedAt: BEFORE + 5000 })]),
      'containers of pod shop/a have restarted',
    ],
    [
      'a pod that is drained for a change',
      node([pod('a')]),
      node([pod('a', { available: false, changingUntil: Infinity })]),
      undefined,
    ],
    [
      'a pod for which nothing is expected any more of a signal',
      node([pod('a')]),
      node([pod('a', { available: false, changingUntil: NOW })]),
      'pod shop/a was available and is not now',
    ],
  ])('%s', (_what, before, after, harm) => {
    expect(harmTo(after, baselineOfNode(before, BEFORE), { namespace: 'shop', now: NOW })).toBe(harm);
  });
});
