import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Creation, NewPodRules } from '../../../semantics/kinds/admission.ts';
import { spreadAdmission } from '../../../semantics/workloadspread/admit.ts';
import { matchedOf } from '../../../semantics/workloadspread/matched.ts';
import { BY_ANNOTATION, WEBHOOK } from '../../../semantics/workloadspread/resource.ts';
import { podOf, spreadOfDeployment } from './gates.ts';
import { NOW, podIn, spreadOf, withClosed } from './spreads.ts';

const rules = spreadAdmission.create as NewPodRules;

/** A WorkloadSpread of a Deployment that a webhook executes, with these versions in its status. */
function withVersions(cap: number, versionedSubsetStatuses: JsonObject): KubeObject {
  const object = spreadOfDeployment({ a: cap }, {}, { versionedSubsetStatuses });
  return { ...object, metadata: { ...object.metadata, annotations: { [BY_ANNOTATION]: WEBHOOK } } };
}

function newPod(hash = 'h1'): KubeObject {
  const { metadata, spec } = podOf('x', undefined, { hash });
  const { labels, ownerReferences } = metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: '', namespace: 'shop', labels, ownerReferences },
    spec: { containers: spec.containers },
  };
}

const asked = (object: KubeObject, pod: KubeObject): Creation =>
  rules.create({ pod, owners: [], objects: [object], found: undefined, requestId: 'x', now: NOW });

test('a new pod gets no place where the records of others fill the status', () => {
  const creating = (count: number): JsonObject =>
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [String(n).padStart(70, 'r'), '2026-01-01T00:00:00Z']),
    );
  const withRecords = (count: number): KubeObject =>
    withVersions(2_000, {
      h1: [{ name: 'a', replicas: 0, missingReplicas: 0, creatingPods: creating(count) }],
    });
  const pod = newPod();
  expect(asked(withRecords(1_500), pod)).toEqual({ is: 'allowed', pod });
  expect(asked(withRecords(1_499), pod).is).toBe('recorded');
});

test.each(['x'.repeat(65), 'a b', '../x', ''])(
  'nor for a request of which the ID is none: %s',
  (requestId) => {
    const object = withVersions(2, {});
    const pod = newPod();
    const request = { pod, owners: [], objects: [object], found: undefined, requestId, now: NOW };
    expect(rules.create(request)).toEqual({ is: 'allowed', pod });
    const named = { ...pod, metadata: { ...pod.metadata, name: 'p' } };
    expect(rules.create({ ...request, pod: named }).is).toBe('recorded');
  },
);

test('nor as one more version than a hundred, and one of those that are there does', () => {
  const a = { name: 'a', replicas: 1, missingReplicas: 1 };
  const versions = Array.from({ length: 100 }, (_, n): [string, Json] => [`h${n}`, [a]]);
  const object = withVersions(2, Object.fromEntries(versions));
  const pod = newPod('new');
  expect(asked(object, pod)).toEqual({ is: 'allowed', pod });
  expect(asked(object, newPod('h99')).is).toBe('recorded');
});

test('a named pod that comes back has a place on record, as any other', () => {
  const deletingPods = { p: '2026-01-01T00:00:00Z' };
  const object = withVersions(1, { h1: [{ name: 'a', replicas: 1, missingReplicas: 1, deletingPods }] });
  const named = { ...newPod(), metadata: { ...newPod().metadata, name: 'p' } };
  const back = asked(object, named);
  if (back.is !== 'recorded') throw new Error('its place must be on record');
  expect(asked({ ...object, status: back.status }, named).is).toBe('allowed');
  expect(
    matchedOf((asked({ ...object, status: back.status }, newPod()) as { pod: KubeObject }).pod),
  ).toBeUndefined();
});

test('a subset in which pods got no node is left out (example 8)', () => {
  const object = spreadOfDeployment({ a: 2, b: null }, { scheduleStrategy: { type: 'Adaptive' } });
  object.metadata.annotations = { [BY_ANNOTATION]: WEBHOOK };
  const creation = asked(withClosed(object, ['a']), newPod()) as { pod: KubeObject };
  expect(matchedOf(creation.pod)?.subset).toBe('b');
});

test('the runtime places the pods that it creates, whoever asks', () => {
  const { metadata, spec } = podIn('web-1');
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec } as unknown as KubeObject;
  expect(asked(spreadOf({ a: 1 }), pod)).toEqual({ is: 'allowed', pod });
});
