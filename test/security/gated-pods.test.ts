import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { RUNTIME, shippedWorld } from './shipped.ts';

const GATE = { name: 'kruise.io/workloadspread' };
const OTHER = { name: 'example.com/wait' };
const MATCHED = { 'apps.kruise.io/matched-workloadspread': '{"name":"web","subset":"a"}' };
const COST = { 'controller.kubernetes.io/pod-deletion-cost': '100' };

const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: '1', controller: true };
const labels = { app: 'web', 'pod-template-hash': '1' };
const tolerations = [{ key: 'old', operator: 'Exists' }];
const zone = (name: string): JsonObject => ({
  matchExpressions: [{ key: 'zone', operator: 'In', values: [name] }],
});
const affinityTo = (...zones: string[]): JsonObject => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [
        { matchExpressions: zones.flatMap((each) => zone(each)['matchExpressions'] as JsonObject[]) },
      ],
    },
  },
});

const { world, replaces, deletes } = shippedWorld();
const create = (name: string, spec: JsonObject, metadata: object = {}): KubeObject =>
  world.server.create('admin', resources.Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop', labels, ownerReferences: [owner], ...metadata },
    spec: { containers: [{ name: 'main', image: 'web:1' }], tolerations, ...spec },
  });
const gated = create('gated', { schedulingGates: [GATE, OTHER] });
const running = create('running', {}, { annotations: MATCHED });

/** The pod with other metadata, or another spec. */
const changed = (of: KubeObject, metadata: object, spec: JsonObject = {}): KubeObject => ({
  ...of,
  metadata: { ...of.metadata, ...metadata },
  spec: { ...(of['spec'] as JsonObject), ...spec },
});
const told = (of: KubeObject): JsonObject[] => (of['spec'] as JsonObject)['tolerations'] as JsonObject[];
const lifted = (more: JsonObject = {}): JsonObject => ({
  schedulingGates: [OTHER],
  tolerations: [...told(gated), { key: 'spot', operator: 'Exists' }],
  affinity: affinityTo('a'),
  ...more,
});
const placed = { annotations: { ...MATCHED, ...COST }, labels: { ...labels, place: 'a' } };
const refused =
  /^refused: .* may write only objects that a workload of apps.kruise.io controls, and \w+ is none$/;

describe('the stolen token, and a pod of a Deployment that waits for its subset', () => {
  test('may let it go to a subset', () => {
    expect(replaces(RUNTIME, resources.Pod, changed(gated, placed, lifted()))).toBe('allowed');
  });

  test.each<[string, KubeObject]>([
    ['the gate of somebody else', changed(gated, placed, lifted({ schedulingGates: [] }))],
    ['a place while it waits', changed(gated, placed, lifted({ schedulingGates: [GATE, OTHER] }))],
    [
      'affinity to pods',
      changed(
        gated,
        placed,
        lifted({
          affinity: {
            ...affinityTo('a'),
            podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] },
          },
        }),
      ),
    ],
    ['another image', changed(gated, placed, lifted({ containers: [{ name: 'main', image: 'x:1' }] }))],
    ['no owner', changed(gated, { ...placed, ownerReferences: [] }, lifted())],
    ['a finalizer', changed(gated, { ...placed, finalizers: ['example.com/x'] }, lifted())],
    [
      'another version',
      changed(gated, { ...placed, labels: { app: 'web', 'pod-template-hash': '2' } }, lifted()),
    ],
  ])('may not write %s', (_what, object) => {
    expect(replaces(RUNTIME, resources.Pod, object)).toMatch(refused);
  });
});

test('the server itself takes no toleration back', () => {
  const fewer = changed(gated, placed, lifted({ tolerations: told(gated).slice(1) }));
  expect(replaces(RUNTIME, resources.Pod, fewer)).toMatch(
    /^refused: Pod "gated" is invalid: spec.tolerations/,
  );
});

describe('the stolen token, and a pod of a Deployment in a subset', () => {
  test('may write what its deletion costs', () => {
    const metadata = { annotations: { ...MATCHED, ...COST } };
    expect(replaces(RUNTIME, resources.Pod, changed(running, metadata))).toBe('allowed');
  });

  test.each<[string, object, JsonObject?]>([
    ['a label', { labels: { ...labels, place: 'a' } }],
    ['another annotation', { annotations: { ...MATCHED, 'example.com/a': 'b' } }],
    ['tolerations', {}, { tolerations: [...tolerations, { key: 'spot', operator: 'Exists' }] }],
  ])('may not write %s', (_what, metadata, spec) => {
    expect(replaces(RUNTIME, resources.Pod, changed(running, metadata, spec))).toMatch(refused);
  });

  test('may delete it as long as it has no node, and no pod without a subset', () => {
    expect(deletes(RUNTIME, resources.Pod, { namespace: 'shop', name: 'gated' })).toMatch(refused);
    const bound = create('bound', { nodeName: 'node-1' }, { annotations: MATCHED });
    expect(deletes(RUNTIME, resources.Pod, { namespace: 'shop', name: bound.metadata.name })).toMatch(
      refused,
    );
    expect(deletes(RUNTIME, resources.Pod, { namespace: 'shop', name: 'running' })).toBe('allowed');
  });
});
