import { describe, expect, test } from 'vitest';
import type { NodeSelectorTerm, PodSpec, Toleration } from '../../../schemas/pods/pod.ts';
import { requiredNode } from '../../../semantics/node/affinity.ts';
import { candidateOf, misfit } from '../../../semantics/node/fit.ts';
import type { Node, Taint } from '../../../semantics/node/node.ts';

const offer = { cpu: '2', memory: '4Gi', pods: '110' };

const nodeOf = (
  { taints, unschedulable }: { taints?: Taint[]; unschedulable?: boolean } = {},
  allocatable: Record<string, string> | undefined = offer,
): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'node-1', labels: { zone: 'a', disk: 'ssd', cores: '8' } },
  spec: { ...(taints && { taints }), ...(unschedulable && { unschedulable }) },
  status: { ...(allocatable && { allocatable }) },
});

const podWith = (spec: Partial<PodSpec> = {}): PodSpec => ({ containers: [{ name: 'main' }], ...spec });
const whyNot = (spec: Partial<PodSpec>, node: Node = nodeOf()): string =>
  misfit(candidateOf(podWith(spec)), node) ?? 'fits';

const AFFINITY = 'does not match the node selector or affinity';
const required = (...nodeSelectorTerms: NodeSelectorTerm[]): Partial<PodSpec> => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});
const label = (key: string, operator: string, ...values: string[]): NodeSelectorTerm => ({
  matchExpressions: [{ key, operator, values }],
});
const field = (operator: string, ...values: string[]): NodeSelectorTerm => ({
  matchFields: [{ key: 'metadata.name', operator, values }],
});

describe('selector and required affinity (OpenKruise advanced-daemonset, rule 6.2 step 2)', () => {
  test.each<[what: string, spec: Partial<PodSpec>, fits: boolean]>([
    ['none', {}, true],
    ['a label that matches', { nodeSelector: { zone: 'a' } }, true],
    ['another value', { nodeSelector: { zone: 'b' } }, false],
    ['a key that the node lacks', { nodeSelector: { toString: 'x' } }, false],
    ['In', required(label('zone', 'In', 'b', 'a')), true],
    ['In, another value', required(label('zone', 'In', 'b')), false],
    ['NotIn', required(label('zone', 'NotIn', 'a')), false],
    ['NotIn of a missing label', required(label('rack', 'NotIn', 'a')), true],
    ['Exists', required(label('disk', 'Exists')), true],
    ['DoesNotExist', required(label('disk', 'DoesNotExist')), false],
    ['Gt', required(label('cores', 'Gt', '7')), true],
    ['Gt of the same number', required(label('cores', 'Gt', '8')), false],
    ['Lt', required(label('cores', 'Lt', '9')), true],
    ['Lt of text', required(label('zone', 'Lt', '9')), false],
    ['alternatives', required(label('zone', 'In', 'b'), label('disk', 'In', 'ssd')), true],
    ['an invalid alternative', required(label('zone', 'Near', 'a'), label('disk', 'Exists')), true],
    ['only invalid ones', required(label('zone', 'Near', 'a'), label('cores', 'Gt', 'x')), false],
    ['In without values', required(label('zone', 'In')), false],
    ['NotIn without values', required(label('zone', 'NotIn')), false],
    ['no alternative', required(), false],
    ['an empty alternative', required({}), false],
    ['the name', required(field('In', 'node-1')), true],
    ['another name', required(field('In', 'node-2')), false],
    ['not another name', required(field('NotIn', 'node-2')), true],
    ['two names', required(field('In', 'node-1', 'node-2')), false],
    ['name and label', required({ ...field('In', 'node-1'), ...label('zone', 'In', 'b') }), false],
    ['a node name in the template', { nodeName: 'node-2' }, true],
  ])('%s', (_what, spec, fits) => {
    expect(whyNot(spec)).toBe(fits ? 'fits' : AFFINITY);
  });
});

const taint = (effect: string, value = 'db'): Taint => ({ key: 'for', value, effect });

describe('taints and cordon (OpenKruise advanced-daemonset, rule 6.2 steps 3 and 4; broadcastjob, rule 6.2)', () => {
  test.each<[what: string, taints: Taint[], tolerations: Toleration[], why: string]>([
    ['NoSchedule', [taint('NoSchedule')], [], 'has the taint for:NoSchedule'],
    ['NoExecute', [taint('NoExecute')], [], 'has the taint for:NoExecute'],
    ['PreferNoSchedule', [taint('PreferNoSchedule')], [], 'fits'],
    ['the same value', [taint('NoSchedule')], [{ key: 'for', value: 'db' }], 'fits'],
    ['another value', [taint('NoSchedule')], [{ key: 'for', value: 'web' }], 'has the taint for:NoSchedule'],
    ['any value', [taint('NoSchedule')], [{ key: 'for', operator: 'Exists' }], 'fits'],
    ['any key', [taint('NoExecute')], [{ operator: 'Exists' }], 'fits'],
    ['any key with Equal', [taint('NoExecute', '')], [{}], 'has the taint for:NoExecute'],
    [
      'the effect of another taint',
      [taint('NoExecute')],
      [{ operator: 'Exists', effect: 'NoSchedule' }],
      'has the taint for:NoExecute',
    ],
    [
      'for some time',
      [taint('NoExecute')],
      [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 1 }],
      'fits',
    ],
    [
      'one of two',
      [taint('NoSchedule'), taint('NoExecute')],
      [{ operator: 'Exists', effect: 'NoSchedule' }],
      'has the taint for:NoExecute',
    ],
  ])('%s', (_what, taints, tolerations, why) => {
    expect(whyNot({ tolerations }, nodeOf({ taints }))).toBe(why);
  });

  test.each<[what: string, tolerations: Toleration[], why: string]>([
    ['not tolerated', [], 'is cordoned'],
    [
      'tolerated (BJ-12)',
      [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' }],
      'fits',
    ],
    [
      'tolerated with another effect',
      [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoExecute' }],
      'is cordoned',
    ],
  ])('cordoned, %s', (_what, tolerations, why) => {
    expect(whyNot({ tolerations }, nodeOf({ unschedulable: true }))).toBe(why);
  });
});

const asks = (requests: Record<string, string>, limits?: Record<string, string>) => ({
  name: 'main',
  resources: { requests, ...(limits && { limits }) },
});

describe('resources of an empty node (OpenKruise broadcastjob, rule 6.2; BJ-14)', () => {
  test.each<[what: string, spec: Partial<PodSpec>, why: string]>([
    ['all of it', { containers: [asks({ cpu: '2', memory: '4Gi' })] }, 'fits'],
    ['more', { containers: [asks({ cpu: '2001m' })] }, 'has too little cpu'],
    ['a sum', { containers: [asks({ cpu: '1' }), asks({ cpu: '1500m' })] }, 'has too little cpu'],
    ['an init container', { initContainers: [asks({ memory: '5Gi' })] }, 'has too little memory'],
    ['init containers one by one', { initContainers: [asks({ cpu: '2' }), asks({ cpu: '2' })] }, 'fits'],
    [
      'a sidecar beside a container',
      {
        initContainers: [{ ...asks({ cpu: '1500m' }), restartPolicy: 'Always' }],
        containers: [asks({ cpu: '1' })],
      },
      'has too little cpu',
    ],
    ['the limit, where no request is', { containers: [asks({}, { cpu: '3' })] }, 'has too little cpu'],
    ['overhead', { containers: [asks({ cpu: '2' })], overhead: { cpu: '1m' } }, 'has too little cpu'],
    [
      'a device that the node lacks',
      { containers: [asks({ 'example.com/gpu': '1' })] },
      'has too little example.com/gpu',
    ],
    ['none of such a device', { containers: [asks({ 'example.com/gpu': '0' })] }, 'fits'],
  ])('%s', (_what, spec, why) => {
    expect(whyNot(spec)).toBe(why);
  });

  test.each<[what: string, allocatable: Record<string, string> | undefined, why: string]>([
    ['a node without room for pods', { ...offer, pods: '0' }, 'has too little pods'],
    ['a new node, without status', {}, 'has too little pods'],
    ['a node that reports pods only', { pods: '1' }, 'fits'],
  ])('%s', (_what, allocatable, why) => {
    expect(whyNot({}, nodeOf({}, allocatable))).toBe(why);
  });
});

test('the first misfit is named', () => {
  const spec = { nodeSelector: { zone: 'b' }, containers: [asks({ cpu: '3' })] };
  const both = nodeOf({ taints: [taint('NoSchedule')], unschedulable: true });
  expect(whyNot(spec, both)).toBe(AFFINITY);
  expect(whyNot({ containers: [asks({ cpu: '3' })] }, both)).toBe('has the taint for:NoSchedule');
  expect(whyNot({ containers: [asks({ cpu: '3' })] }, nodeOf({ unschedulable: true }))).toBe('is cordoned');
});

test.each<[what: string, spec: Partial<PodSpec>, node: string | undefined]>([
  ['none', {}, undefined],
  ['a label', required(label('zone', 'In', 'a')), undefined],
  ['one', required(field('In', 'node-1')), 'node-1'],
  ['all but one', required(field('NotIn', 'node-1')), undefined],
])('the node in the required affinity: %s', (_what, spec, node) => {
  expect(requiredNode(podWith(spec))).toBe(node);
});
