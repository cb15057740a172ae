import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Creation, NewPodRules } from '../../../semantics/kinds/admission.ts';
import { spreadAdmission } from '../../../semantics/workloadspread/admit.ts';
import { BY_ANNOTATION, WEBHOOK } from '../../../semantics/workloadspread/resource.ts';
import { podOf, spreadOfDeployment } from './gates.ts';
import { NOW } from './spreads.ts';

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

test('a new pod gets no place where 1,500 have theirs on record', () => {
  const creating = (count: number): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`r${n}`, '2026-01-01T00:00:00Z']));
  const withRecords = (count: number): KubeObject =>
    withVersions(2_000, {
      h1: [{ name: 'a', replicas: 0, missingReplicas: 0, creatingPods: creating(count) }],
    });
  const pod = newPod();
  expect(asked(withRecords(1_500), pod)).toEqual({ is: 'allowed', pod });
  expect(asked(withRecords(1_499), pod).is).toBe('recorded');
});

test('nor as one more version than a hundred, and one of those that are there does', () => {
  const a = { name: 'a', replicas: 1, missingReplicas: 1 };
  const versions = Array.from({ length: 100 }, (_, n): [string, Json] => [`h${n}`, [a]]);
  const object = withVersions(2, Object.fromEntries(versions));
  const pod = newPod('new');
  expect(asked(object, pod)).toEqual({ is: 'allowed', pod });
  expect(asked(object, newPod('h99')).is).toBe('recorded');
});
