import { expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { NewPodRules } from '../../../semantics/kinds/admission.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { spreadAdmission } from '../../../semantics/workloadspread/admit.ts';
import { decideSpread } from '../../../semantics/workloadspread/decide.ts';
import { invalidSpread } from '../../../semantics/workloadspread/invalid.ts';
import { unsupportedSpread } from '../../../semantics/workloadspread/unsupported.ts';
import { matchedOf } from '../../../semantics/workloadspread/matched.ts';
import { spreadNeeds } from '../../../semantics/workloadspread/needs.ts';
import { BY_ANNOTATION, WEBHOOK } from '../../../semantics/workloadspread/resource.ts';
import { type Caps, NOW, podIn, spreadOf } from './spreads.ts';

const targetRef = { apiVersion: 'kubeflow.org/v1', kind: 'TFJob', name: 'web' };

/** A WorkloadSpread of a workload of a definition that an administrator has added. */
function spread(caps: Caps, more: { by?: string; spec?: JsonObject; ref?: JsonObject } = {}): KubeObject {
  const object = spreadOf(caps, { targetRef: { ...targetRef, ...more.ref }, ...more.spec });
  const { by = WEBHOOK } = more;
  const annotations: Record<string, string> = by === '' ? {} : { [BY_ANNOTATION]: by };
  return {
    ...object,
    metadata: { ...object.metadata, annotations, creationTimestamp: '2025-12-31T00:00:00Z' },
  };
}

function podOf(name: string, more: Partial<Pod['metadata']> = {}, spec: Partial<Pod['spec']> = {}): Pod {
  const { metadata, ...pod } = podIn(name);
  const ownerReferences = [{ ...targetRef, uid: 'of-web', controller: true }];
  return { ...pod, metadata: { ...metadata, ownerReferences, ...more }, spec: { ...pod.spec, ...spec } };
}

const unsupported = (object: KubeObject): string[] =>
  unsupportedSpread(object).map(({ path, what }) => `${path.join('.')}: ${what}`);

test('WS-17: a workload of another kind is refused, but where the WorkloadSpread asks for the webhook', () => {
  expect(unsupported(spread({ a: 1 }))).toEqual([]);
  expect(unsupported(spread({ a: 1 }, { by: '' }))).toEqual([
    'spec.targetRef.kind: spreading the pods of a TFJob without the annotation plan.kruise.io/spread-by: webhook',
  ]);
  expect(invalidSpread(spread({ a: 1 }))).toEqual([]);
});

test.each([
  ['apps/v1', 'DaemonSet'],
  ['apps.kruise.io/v1beta1', 'DaemonSet'],
  ['batch/v1', 'CronJob'],
  ['v1', 'ReplicationController'],
  ['snapshot.storage.k8s.io/v1', 'VolumeSnapshot'],
])('pods of %s %s stay as they are, annotation or not', (apiVersion, kind) => {
  const what = `spec.targetRef.kind: spreading the pods of a ${kind}`;
  expect(unsupported(spread({ a: 1 }, { ref: { apiVersion, kind } }))).toEqual([what]);
});

test('what depends on a workload that nothing reads is refused', () => {
  expect(unsupported(spread({ a: '25%', b: '75%' }))).toEqual([
    'spec.subsets.0.maxReplicas: a percentage of the size of a TFJob',
    'spec.subsets.1.maxReplicas: a percentage of the size of a TFJob',
  ]);
  const patch = { metadata: { labels: { zone: 'a' } } };
  expect(unsupported(spread({}, { spec: { subsets: [{ name: 'a', patch }] } }))).toEqual([
    'spec.subsets.0.patch.metadata.labels: a patch of labels of pods of a TFJob, which may select by them',
  ]);
  const plain = { metadata: { annotations: { zone: 'a' } }, spec: { priorityClassName: 'low' } };
  expect(unsupported(spread({}, { spec: { subsets: [{ name: 'a', patch: plain }] } }))).toEqual([]);
});

/** What becomes of so many new pods, and what the status says of them. */
function placed(caps: Caps, count: number, more: { spec?: JsonObject } = {}) {
  let object = spread(caps, more);
  const rules = spreadAdmission.create as NewPodRules;
  const pods = Array.from({ length: count }, (_, index): Pod => {
    const requestId = `r${index}`;
    const asked = podOf('', { uid: undefined });
    expect(rules.alsoReads.of({ pod: asked, objects: [object] })).toBeUndefined();
    const creation = rules.create({
      pod: asked,
      owners: [],
      objects: [object],
      found: undefined,
      requestId,
      now: NOW,
    });
    if (creation.is !== 'recorded') throw new Error(creation.is);
    object = { ...object, status: creation.status };
    const { metadata } = creation.pod;
    return podOf(`web-${index}`, { uid: `uid-${index}`, annotations: metadata.annotations ?? {} });
  });
  const { status, actions } = decideSpread({ target: object, pods, configs: [], now: NOW }, undefined);
  // No cost: who scales it in reads none.
  expect([actions, status.conditions]).toEqual([[], undefined]);
  expect(spreadNeeds(object, pods).filter(({ of }) => of === 'Config')).toEqual([]);
  return { subsets: pods.map((pod) => matchedOf(pod)?.subset), counts: status.subsetStatuses };
}

test('WS-35: three pods of a workload without replicas, caps of two and five', () => {
  expect(placed({ a: 2, b: 5 }, 3)).toEqual({
    subsets: ['a', 'a', 'b'],
    counts: [
      { name: 'a', replicas: 2, missingReplicas: 0 },
      { name: 'b', replicas: 1, missingReplicas: 4 },
    ],
  });
});

test('WS-34: two pods of a part of four have counts as caps, and percentages of its path are refused', () => {
  const targetFilter = {
    selector: { matchLabels: { app: 'web' } },
    replicasPathList: ['spec.tfReplicaSpecs.Worker.replicas'],
  };
  expect(unsupported(spread({ a: '25%', b: '75%' }, { spec: { targetFilter } }))).toHaveLength(2);
  expect(placed({ a: 1, b: 3 }, 2, { spec: { targetFilter } })).toEqual({
    subsets: ['a', 'b'],
    counts: [
      { name: 'a', replicas: 1, missingReplicas: 0 },
      { name: 'b', replicas: 1, missingReplicas: 2 },
    ],
  });
});

test('pods that are older than their WorkloadSpread are put on record by their node', () => {
  const creationTimestamp = '2025-12-30T00:00:00Z';
  const pods = [podOf('web-0', { creationTimestamp }, { nodeName: 'n1' })];
  const nodes = { state: 'known' as const, pendingSince: undefined, of: () => ({ zone: 'b' }) };
  const decision = decideSpread({ target: spread({ a: 2, b: 5 }), pods, nodes, now: NOW }, undefined);
  expect(decision.actions).toMatchObject([
    {
      verb: 'match',
      name: 'web-0',
      body: {
        metadata: {
          annotations: { 'apps.kruise.io/matched-workloadspread': '{"name":"spread","subset":"b"}' },
        },
      },
    },
  ]);
  expect(decision.status.subsetStatuses.map(({ replicas }) => replicas)).toEqual([0, 1]);
});
