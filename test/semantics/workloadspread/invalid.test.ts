import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { invalidSpread } from '../../../semantics/workloadspread/invalid.ts';
import { unsupportedSpread } from '../../../semantics/workloadspread/unsupported.ts';
import { type Caps, inZone, spreadOf } from './spreads.ts';

/** What is wrong with a WorkloadSpread of these subsets: paths with their rules. */
function faults(caps: Caps, spec: JsonObject = {}, kind = 'CloneSet'): string[] {
  return invalidSpread(spreadOf(caps, spec, kind)).map(({ path, rule }) => `${path.join('.')} ${rule}`);
}

const reschedule = (seconds: number, type = 'Adaptive'): JsonObject => ({
  scheduleStrategy: { type, adaptive: { rescheduleCriticalSeconds: seconds } },
});

/** The faults of one subset with these fields. */
const ofSubset = (subset: JsonObject): string[] => faults({}, { subsets: [{ name: 'a', ...subset }] });

describe('an invalid WorkloadSpread (OpenKruise workloadspread, sections 2 and 7)', () => {
  it.each<[string, Caps, string, string | undefined]>([
    [
      'WS-9: a percentage and a count',
      { a: '50%', b: 3 },
      'CloneSet',
      'subsets.1.maxReplicas must be a count or',
    ],
    [
      'WS-10: 60% and 60%',
      { a: '60%', b: '60%' },
      'CloneSet',
      'subsets.1.maxReplicas must leave the sum at 100%',
    ],
    [
      'WS-10: 30% and 30%',
      { a: '30%', b: '30%' },
      'CloneSet',
      'subsets.1.maxReplicas must bring the sum to 100%',
    ],
    ['WS-10: 30% and no cap', { a: '30%', b: null }, 'CloneSet', undefined],
    ['60% and 40%', { a: '60%', b: '40%' }, 'CloneSet', undefined],
    [
      'WS-11: a percentage of a StatefulSet',
      { a: '30%', b: null },
      'StatefulSet',
      'subsets.0.maxReplicas must be a',
    ],
    ['counts of a StatefulSet', { a: 3, b: null }, 'StatefulSet', undefined],
  ])('%s', (_what, caps, kind, expected) => {
    const found = faults(caps, {}, kind);
    if (expected === undefined) expect(found).toEqual([]);
    else expect(found).toEqual([expect.stringContaining(`spec.${expected}`)]);
  });

  it.each<[string, Caps, JsonObject, string | undefined]>([
    [
      'WS-12: a block of Adaptive under Fixed',
      { a: 1, b: null },
      reschedule(5, 'Fixed'),
      'type must be Adaptive',
    ],
    ['WS-13: a capped last subset', { a: 1, b: 2 }, reschedule(5), 'subsets.1.maxReplicas must not be set'],
    ['a capped only subset', { a: 1 }, reschedule(5), undefined],
    ['WS-14: 148 s with three', { a: 1, b: 1, c: null }, reschedule(148), 'must be from 0 to 147 with 3'],
    ['WS-14: 147 s with three', { a: 1, b: 1, c: null }, reschedule(147), undefined],
    ['any number of seconds with one', { a: 1 }, reschedule(100_000), undefined],
    ['less than none', { a: 1 }, reschedule(-1), 'must be at least 0'],
    [
      'WS-18: a selector',
      { a: 1 },
      { targetFilter: { selector: { matchLabels: { '-': 'x' } } } },
      'targetFilter',
    ],
    [
      'an empty step',
      { a: 1 },
      { targetFilter: { replicasPathList: ['spec..x'] } },
      'replicasPathList.0 must be',
    ],
    [
      'a long path',
      { a: 1 },
      { targetFilter: { replicasPathList: [Array(33).fill('a').join('.')] } },
      'replicasPathList.0 must be',
    ],
    ['two of one name', {}, { subsets: [{ name: 'a' }, { name: 'a' }] }, 'subsets.1.name must be unique'],
    ['no name', {}, { subsets: [{ name: '' }] }, 'subsets.0.name must not be empty'],
    [
      'another group',
      { a: 1 },
      { targetRef: { apiVersion: 'x.example/v1', kind: 'CloneSet', name: 'web' } },
      'targetRef.apiVersion must be of group apps.kruise.io for a CloneSet',
    ],
    [
      'no target',
      { a: 1 },
      { targetRef: { apiVersion: 'a/v1', kind: 'A', name: '' } },
      'targetRef.name must not',
    ],
    [
      'a version',
      { a: 1 },
      { targetRef: { apiVersion: 'a/b/c', kind: 'A', name: 'a' } },
      'must be a group and',
    ],
  ])('%s', (_what, caps, spec, expected) => {
    const found = faults(caps, spec);
    if (expected === undefined) expect(found).toEqual([]);
    else expect(found).toEqual([expect.stringContaining(expected)]);
  });

  it.each<[string, JsonObject, string]>([
    ['an empty term', { requiredNodeSelector: {} }, 'a.requiredNodeSelector must have a requirement'],
    [
      'an operator',
      { requiredNodeSelectorTerm: { matchExpressions: [{ key: 'a', operator: 'Has' }] } },
      'a.requiredNodeSelectorTerm.matchExpressions.0.operator Invalid value',
    ],
    [
      'a weight',
      { preferredNodeSelector: [{ weight: 101, preference: inZone('a') }] },
      'a.preferredNodeSelector.0.weight Invalid value: 101: must be in the range 1-100',
    ],
    [
      'a toleration',
      { tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] },
      'a.tolerations.0.operator Invalid value',
    ],
  ])('%s as in a pod', (_what, subset, expected) => {
    expect(ofSubset(subset)).toEqual([expect.stringContaining(expected.replace('a.', 'spec.subsets.0.'))]);
  });

  it.each<[string, JsonObject]>([
    ['metadata.name', { metadata: { name: 'x' } }],
    ['metadata.ownerReferences', { metadata: { ownerReferences: [] } }],
    [
      'metadata.labels.controller-revision-hash',
      { metadata: { labels: { 'controller-revision-hash': null } } },
    ],
    [
      'metadata.annotations.apps.kruise.io/matched-workloadspread',
      { metadata: { annotations: { 'apps.kruise.io/matched-workloadspread': '{}' } } },
    ],
    ['metadata.labels.a', { metadata: { labels: { a: 'not valid!' } } }],
    ['metadata.labels.a b', { metadata: { labels: { 'a b': 'c' } } }],
    ['metadata.annotations.a b', { metadata: { annotations: { 'a b': 'c' } } }],
    ['metadata.labels.$patch', { metadata: { labels: { $patch: 'replace' } } }],
    ['metadata.labels.a', { metadata: { labels: { a: 1 } } }],
    ['spec.serviceAccountName', { spec: { serviceAccountName: 'admin' } }],
    ['spec.serviceAccount', { spec: { serviceAccount: 'admin' } }],
    ['spec.readinessGates', { spec: { readinessGates: [] } }],
    ['spec.$patch', { spec: { $patch: 'replace' } }],
    ['spec.containers', { spec: { containers: null } }],
    ['spec.containers.0.$patch', { spec: { containers: [{ name: 'main', $patch: 'delete' }] } }],
    ['spec.containers.1.$patch', { spec: { containers: [{ name: 'main' }, { $patch: 'replace' }] } }],
    ['status', { status: { phase: 'Running' } }],
    ['$patch', { $patch: 'delete' }],
    ['spec', { spec: 'x' }],
  ])('a patch of %s', (path, patch) => {
    const [found = '', ...more] = ofSubset({ patch });
    expect(more).toEqual([]);
    expect(found.startsWith(`spec.subsets.0.patch.${path} `)).toBe(true);
    expect(found).toContain('must');
  });

  it('so many subsets that the status would not fit an object', () => {
    const subsets = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `s${index}` }));
    expect(faults({}, { subsets: subsets(200) })).toEqual([]);
    expect(faults({}, { subsets: subsets(201) })).toEqual([
      'spec.subsets must have at most 200 items: it has 201',
    ]);
  });

  it('a patch of containers, labels and annotations is none', () => {
    const spec = {
      containers: [{ name: 'main', env: [{ name: 'A', value: 'b' }] }],
      priorityClassName: 'low',
    };
    expect(ofSubset({ patch: { metadata: { labels: { a: 'b', c: null } }, spec } })).toEqual([]);
  });
});

it.each([
  ['apps.kruise.io/v1alpha1', 'CloneSet', 0],
  ['apps.kruise.io/v1beta1', 'StatefulSet', 0],
  ['apps/v1', 'StatefulSet', 0],
  ['apps/v1', 'Deployment', 0],
  ['kubeflow.org/v1', 'TFJob', 1],
])('pods of %s %s: what cannot be spread yet', (apiVersion, kind, count) => {
  const spread = spreadOf({ a: 1 }, { targetRef: { apiVersion, kind, name: 'web' } });
  expect(unsupportedSpread(spread)).toHaveLength(count);
});
