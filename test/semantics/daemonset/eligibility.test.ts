import { describe, expect, test } from 'vitest';
import type { PodSpec } from '../../../schemas/pods/pod.ts';
import { eligibilityOf, isNodeDown, nodeTolerations } from '../../../semantics/daemonset/eligibility.ts';
import type { Node } from '../../../semantics/node/node.ts';

const PREFIX = 'node.kubernetes.io/';

const nodeWith = (
  taints: readonly string[] = [],
  more: { labels?: Record<string, string>; spec?: object; status?: object } = {},
): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', labels: more.labels ?? {} },
  spec: {
    taints: taints.map((text) => {
      const [, key = '', value, effect = ''] = /^([^=:]+)(?:=([^:]*))?:(.*)$/.exec(text) ?? [];
      return { key, ...(value !== undefined && { value }), effect };
    }),
    ...more.spec,
  },
  status: { ...more.status },
});

const specWith = (more: Partial<PodSpec> = {}): PodSpec => {
  const spec: PodSpec = { containers: [], ...more };
  return { ...spec, tolerations: nodeTolerations(spec) };
};
const requiring = (matchExpressions: object[]): Partial<PodSpec> => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
    },
  } as NonNullable<PodSpec['affinity']>,
});

const yes = [true, true];
const stays = [false, true];
const no = [false, false];

describe('whether a node is to have a pod (rule 6.2)', () => {
  test.each<[string, PodSpec, Node, boolean[]]>([
    ['nothing is against it', specWith(), nodeWith(), yes],
    ['another node is named', specWith({ nodeName: 'n2' }), nodeWith(), no],
    ['this node is named', specWith({ nodeName: 'n1' }), nodeWith(), yes],
    ['its labels do not match', specWith({ nodeSelector: { pool: 'gpu' } }), nodeWith(), no],
    [
      'its labels match',
      specWith({ nodeSelector: { pool: 'gpu' } }),
      nodeWith([], { labels: { pool: 'gpu' } }),
      yes,
    ],
    [
      'the required affinity does not match',
      specWith(requiring([{ key: 'pool', operator: 'Exists' }])),
      nodeWith(),
      no,
    ],
    ['a taint NoSchedule', specWith(), nodeWith(['dedicated=db:NoSchedule']), stays],
    ['a taint NoExecute', specWith(), nodeWith(['dedicated=db:NoExecute']), no],
    ['both, NoSchedule first', specWith(), nodeWith(['a:NoSchedule', 'b:NoExecute']), no],
    ['PreferNoSchedule', specWith(), nodeWith(['dedicated=db:PreferNoSchedule']), yes],
    [
      'a taint that is tolerated for a time',
      specWith({ tolerations: [{ key: 'a', operator: 'Exists', tolerationSeconds: 5 }] }),
      nodeWith(['a:NoExecute']),
      yes,
    ],
    [
      'not ready',
      specWith(),
      nodeWith([`${PREFIX}not-ready:NoSchedule`, `${PREFIX}not-ready:NoExecute`]),
      stays,
    ],
    [
      'not ready, and everything is tolerated',
      specWith({ tolerations: [{ operator: 'Exists' }] }),
      nodeWith([`${PREFIX}not-ready:NoSchedule`]),
      yes,
    ],
    ['unreachable', specWith(), nodeWith([`${PREFIX}unreachable:NoExecute`]), yes],
    ['disk pressure', specWith(), nodeWith([`${PREFIX}disk-pressure:NoSchedule`]), yes],
    ['memory pressure', specWith(), nodeWith([`${PREFIX}memory-pressure:NoSchedule`]), yes],
    ['too many processes', specWith(), nodeWith([`${PREFIX}pid-pressure:NoSchedule`]), yes],
    [
      'cordoned (DS-13)',
      specWith(),
      nodeWith([`${PREFIX}unschedulable:NoSchedule`], { spec: { unschedulable: true } }),
      yes,
    ],
    ['without network', specWith(), nodeWith([`${PREFIX}network-unavailable:NoSchedule`]), stays],
    [
      'without network, of which the pod needs none',
      specWith({ hostNetwork: true }),
      nodeWith([`${PREFIX}network-unavailable:NoSchedule`]),
      yes,
    ],
    [
      'it offers nothing',
      specWith({ containers: [{ name: 'main', resources: { requests: { cpu: '8' } } }] }),
      nodeWith([], { status: { allocatable: { cpu: '1' } } }),
      yes,
    ],
  ])('%s', (_what, spec, node, wanted) => {
    const { shouldRun, shouldContinue } = eligibilityOf(spec, node);
    expect([shouldRun, shouldContinue]).toEqual(wanted);
  });

  test.each([
    [specWith({ nodeName: 'n2' }), nodeWith(), 'is not n2, which the template names'],
    [specWith({ nodeSelector: { pool: 'gpu' } }), nodeWith(), 'does not match the node selector or affinity'],
    [specWith(), nodeWith(['a:NoSchedule', 'b:NoExecute']), 'has the taint b:NoExecute'],
    [specWith(), nodeWith(['a:NoSchedule']), 'has the taint a:NoSchedule'],
    [specWith(), nodeWith(), undefined],
  ])('says why: case %#', (spec, node, why) => {
    expect(eligibilityOf(spec, node).why).toBe(why);
  });
});

describe('the tolerations of its pods (rule 6.2, DS-12)', () => {
  const exists = (name: string, effect: string) => ({ key: `${PREFIX}${name}`, operator: 'Exists', effect });
  const six = [
    exists('not-ready', 'NoExecute'),
    exists('unreachable', 'NoExecute'),
    exists('disk-pressure', 'NoSchedule'),
    exists('memory-pressure', 'NoSchedule'),
    exists('pid-pressure', 'NoSchedule'),
    exists('unschedulable', 'NoSchedule'),
  ];

  test('six, and one more in the network of the node', () => {
    expect(nodeTolerations({ containers: [] })).toEqual(six);
    expect(nodeTolerations({ containers: [], hostNetwork: true })).toEqual([
      ...six,
      exists('network-unavailable', 'NoSchedule'),
    ]);
  });

  test('one of the template with the same key and effect is replaced where it stands', () => {
    const own = {
      key: `${PREFIX}not-ready`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 300,
    };
    const other = { key: 'dedicated', operator: 'Exists' };
    expect(nodeTolerations({ containers: [], tolerations: [own, other] })).toEqual([
      six[0],
      other,
      ...six.slice(1),
    ]);
  });
});

test.each([
  [[{ type: 'Ready', status: 'True' }], false],
  [[{ type: 'Ready', status: 'Unknown' }], true],
  [[{ type: 'Ready', status: 'False' }], true],
  [[], false],
])('a node with the conditions %j is down: %s', (conditions, down) => {
  expect(isNodeDown(nodeWith([], { status: { conditions } }))).toBe(down);
});

test('a node that is being deleted is down', () => {
  const node = nodeWith();
  expect(
    isNodeDown({ ...node, metadata: { ...node.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }),
  ).toBe(true);
});
