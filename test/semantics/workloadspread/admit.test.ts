import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Creation, NewPod, NewPodRules } from '../../../semantics/kinds/admission.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import { spreadAdmission } from '../../../semantics/workloadspread/admit.ts';
import { decideSpread, type SpreadStatus } from '../../../semantics/workloadspread/decide.ts';
import { spreadReview } from '../../../semantics/workloadspread/removals.ts';
import { matchedOf } from '../../../semantics/workloadspread/matched.ts';
import { BY_ANNOTATION, GATE, WEBHOOK } from '../../../semantics/workloadspread/resource.ts';
import * as fc from '../../property.ts';
import { deploymentOf, podOf, spreadOfDeployment } from './gates.ts';
import { type Caps, inZone, NOW } from './spreads.ts';

const rules = spreadAdmission.create as NewPodRules;

/** A WorkloadSpread of the Deployment `web` that a webhook executes. */
function byWebhook(caps: Caps, spec: JsonObject = {}, status: JsonObject = {}): KubeObject {
  const object = spreadOfDeployment(caps, spec, status);
  const annotations = { [BY_ANNOTATION]: WEBHOOK };
  return {
    ...object,
    metadata: { ...object.metadata, annotations, creationTimestamp: '2025-12-31T00:00:00Z' },
  };
}

/** A pod as a request has it: without a name, a uid and a status. */
function newPod(more: { hash?: string; spec?: JsonObject; name?: string } = {}): KubeObject {
  const { metadata, spec } = podOf('x', undefined, more);
  const { labels, ownerReferences } = metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: more.name ?? '', namespace: 'shop', labels, ownerReferences },
    spec: { containers: spec.containers, ...more.spec },
  };
}

function asked(objects: readonly KubeObject[], pod: KubeObject, more: Partial<NewPod> = {}): Creation {
  return rules.create({ pod, owners: [], objects, found: undefined, requestId: 'r1', now: NOW, ...more });
}

const subsetIn = (creation: Creation): string | undefined =>
  creation.is === 'refused' ? undefined : matchedOf(creation.pod)?.subset;

/** The same object with what was recorded, as a merge patch writes it. */
function written(object: KubeObject, creation: Creation): KubeObject {
  if (creation.is !== 'recorded') return object;
  const before = objectOf(object['status']);
  const versions = { ...objectOf(before['versionedSubsetStatuses']) };
  Object.assign(versions, objectOf(creation.status['versionedSubsetStatuses']));
  return { ...object, status: { ...before, versionedSubsetStatuses: versions } };
}

/** The status after a reconcile with these pods. */
function counted(object: KubeObject, pods: readonly Pod[], now = NOW) {
  const decision = decideSpread({ target: object, pods, configs: [deploymentOf(6)], now }, undefined);
  return { ...decision, target: { ...object, status: decision.status as unknown as JsonObject } };
}

const inVersion = ({ versionedSubsetStatuses }: SpreadStatus, version = 'h1') =>
  versionedSubsetStatuses[version];

/** The pod that a request has become, with a name. */
function born(creation: Creation, name: string): Pod {
  if (creation.is === 'refused') throw new Error(creation.message);
  const { pod } = creation;
  const creationTimestamp = new Date(NOW).toISOString();
  return {
    ...podOf(name),
    ...pod,
    metadata: { ...pod.metadata, name, uid: `uid-${name}`, creationTimestamp },
    spec: (pod as Pod).spec,
  };
}

describe('a new pod at the webhook', () => {
  it('takes places in the order of the subsets, each on record by the uid of its request', () => {
    let object = byWebhook({ a: 2, b: null });
    const found = ['r1', 'r2', 'r3'].map((requestId) => {
      const creation = asked([object], newPod(), { requestId });
      object = written(object, creation);
      return [creation.is, subsetIn(creation), matchedOf((creation as { pod: KubeObject }).pod)?.uid];
    });
    // Example 4: without a cap nothing is written.
    expect(found).toEqual([
      ['recorded', 'a', 'r1'],
      ['recorded', 'a', 'r2'],
      ['allowed', 'b', undefined],
    ]);
    expect(object['status']).toEqual({
      versionedSubsetStatuses: {
        h1: [
          {
            ...{ name: 'a', replicas: 0, missingReplicas: 0 },
            creatingPods: { r1: '2026-01-01T00:00:00Z', r2: '2026-01-01T00:00:00Z' },
          },
          { name: 'b', replicas: 0, missingReplicas: -1 },
        ],
      },
    });
  });

  it('gets the affinity and the whole patch of its subset', () => {
    const patch = { spec: { priorityClassName: 'low', containers: [{ name: 'main', image: 'web:2' }] } };
    const object = byWebhook({}, { subsets: [{ name: 'a', requiredNodeSelector: inZone('a'), patch }] });
    expect(asked([object], newPod({ spec: { priority: 7 } }))).toMatchObject({
      is: 'allowed',
      pod: {
        spec: {
          priorityClassName: 'low',
          containers: [{ name: 'main', image: 'web:2' }],
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [inZone('a')] },
            },
          },
        },
      },
    });
  });

  it('is left alone where no WorkloadSpread is about it, where the runtime places it, and where none has room', () => {
    const object = byWebhook({ a: 1 });
    const other = newPod();
    const [owner] = other.metadata.ownerReferences ?? [];
    const ofOther = {
      ...other,
      metadata: { ...other.metadata, ownerReferences: [{ ...owner, name: 'api-h1' }] },
    };
    const gated = newPod({ spec: { schedulingGates: [{ name: GATE }] } });
    const going = { ...object, metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    for (const [objects, pod] of [
      [[object], ofOther],
      [[spreadOfDeployment({ a: 1 })], gated],
      [[going], newPod()],
    ] as [KubeObject[], KubeObject][])
      expect(asked(objects, pod, { requestId: 'r2' })).toEqual({ is: 'allowed', pod });
  });

  it('WS-6: is created as it is where no subset has room, which its record says', () => {
    const object = byWebhook({ a: 1 });
    const creation = asked([written(object, asked([object], newPod()))], newPod(), { requestId: 'r2' });
    const annotations = {
      'apps.kruise.io/matched-workloadspread': '{"name":"spread","subset":"","by":"room"}',
    };
    const pod = newPod();
    expect(creation).toEqual({ is: 'allowed', pod: { ...pod, metadata: { ...pod.metadata, annotations } } });
  });

  it.each([{ name: 'x'.repeat(254) }, { name: 'A"' }, { hash: 'x'.repeat(64) }, { hash: '{' }])(
    'is left alone where its name or its version is none: %#',
    (more) => {
      const pod = newPod(more);
      expect(asked([byWebhook({ a: 1 })], pod)).toEqual({ is: 'allowed', pod });
    },
  );

  it('leaves what servers compute from a class to them, where its patch has another class', () => {
    const patch = { spec: { priorityClassName: 'never', runtimeClassName: 'b' } };
    const object = byWebhook({}, { subsets: [{ name: 'a', patch }] });
    const spec = { priority: 7, preemptionPolicy: 'PreemptLowerPriority', overhead: { cpu: '1' } };
    const { pod } = asked([object], newPod({ spec })) as { pod: KubeObject };
    expect(Object.keys(objectOf(pod['spec'])).sort()).toEqual([
      ...['affinity', 'containers', 'priorityClassName', 'runtimeClassName'],
    ]);
  });

  it('is placed without the gate, too, where its Deployment has none, and one whose spread is of a webhook loses it', () => {
    expect(subsetIn(asked([spreadOfDeployment({ a: 1 })], newPod()))).toBe('a');
    const gated = newPod({ spec: { schedulingGates: [{ name: GATE }, { name: 'other' }] } });
    const creation = asked([byWebhook({ a: 1 })], gated);
    expect(creation).toMatchObject({
      is: 'recorded',
      pod: { spec: { schedulingGates: [{ name: 'other' }] } },
    });
  });

  it('has its place where it is created again, and takes another one under another name', () => {
    const object = byWebhook({ a: 1, b: 1 });
    const pod = newPod({ name: 'web-1' });
    const first = asked([object], pod);
    expect([first.is, subsetIn(first)]).toEqual(['recorded', 'a']);
    const again = asked([written(object, first)], pod);
    expect([again.is, subsetIn(again)]).toEqual(['allowed', 'a']);
    expect(subsetIn(asked([written(object, first)], newPod({ name: 'web-2' })))).toBe('b');
  });

  it('has a percentage of the size as it is stored now, and of none where it is gone', () => {
    const object = byWebhook({ a: '50%', b: '50%' });
    const resource = expect.objectContaining({ plural: 'deployments' }) as unknown;
    expect(rules.alsoReads.of({ pod: newPod(), objects: [object] })).toEqual({ resource, name: 'web' });
    expect(rules.alsoReads.of({ pod: newPod(), objects: [byWebhook({ a: 2 })] })).toBeUndefined();
    expect(subsetIn(asked([object], newPod(), { found: deploymentOf(1) }))).toBe('a');
    expect(subsetIn(asked([object], newPod()))).toBeUndefined();
  });

  it('of a StatefulSet has the subset of its ordinal, without a write', () => {
    const object = byWebhook(
      { a: 2, b: null },
      { targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' } },
    );
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'of-db', controller: true };
    const found = [0, 1, 2, 12].map((ordinal) => {
      const pod = newPod({ name: `db-${ordinal}` });
      const creation = asked([object], { ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } });
      return `${creation.is} ${subsetIn(creation) ?? ''}`;
    });
    expect(found).toEqual(['allowed a', 'allowed a', 'allowed b', 'allowed b']);
  });

  it('stays what its controller knows: a patch of such labels is left out', () => {
    const patch = { metadata: { labels: { 'apps.kubernetes.io/pod-index': '7', place: 'a' } } };
    const object = byWebhook({}, { subsets: [{ name: 'a', patch }] });
    const creation = asked([object], newPod(), { found: deploymentOf(6) });
    expect((creation as { pod: KubeObject }).pod.metadata.labels).toEqual({
      app: 'web',
      'pod-template-hash': 'h1',
    });
  });

  it('is the business of the oldest of two WorkloadSpreads', () => {
    const young = byWebhook({ young: 1 });
    const old = byWebhook({ old: 1 });
    const at = (object: KubeObject, name: string, creationTimestamp: string): KubeObject => ({
      ...object,
      metadata: { ...object.metadata, name, creationTimestamp },
    });
    const both = [at(young, 'a', '2025-12-31T00:00:01Z'), at(old, 'z', '2025-12-31T00:00:00Z')];
    expect(subsetIn(asked(both, newPod()))).toBe('old');
  });
});

describe('what a webhook has put on record', () => {
  const object = byWebhook({ a: 1, b: null });
  const first = asked([object], newPod());
  const recorded = written(object, first);

  it('is one with its pod once that is there, whose name nobody knew, and ends after 30 s', () => {
    const pod = born(first, 'web-h1-x7');
    const { status, events, requeueAt } = counted(recorded, [pod]);
    // Another process may not see the pod yet: it is on record, and counted once.
    expect(inVersion(status)).toEqual([
      { name: 'a', replicas: 0, missingReplicas: 0, creatingPods: { r1: '2026-01-01T00:00:00Z' } },
      { name: 'b', replicas: 0, missingReplicas: -1 },
    ]);
    expect([events, requeueAt]).toEqual([[], NOW + 30_000]);
    // As the next one to lead may be.
    const late = counted({ ...recorded, status }, []).target;
    expect(subsetIn(asked([late], newPod(), { requestId: 'r2' }))).toBe('b');
    const after = counted(recorded, [pod], NOW + 30_000);
    expect(inVersion(after.status)?.[0]).toEqual({ name: 'a', replicas: 1, missingReplicas: 0 });
    expect([after.events, after.requeueAt]).toEqual([[], undefined]);
    const { metadata } = pod;
    const gone = { ...pod, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:01Z' } };
    const moved = { 'apps.kruise.io/matched-workloadspread': '{"name":"spread","subset":"b","uid":"r1"}' };
    for (const other of [gone, { ...pod, metadata: { ...metadata, annotations: moved } }])
      expect(JSON.stringify(counted(recorded, [other]).status)).not.toContain('creatingPods');
  });

  it('WS-29: returns after 30 s where the pod never comes, with an Event', () => {
    const young = counted(recorded, [], NOW + 29_000);
    expect(inVersion(young.status)?.[0]).toMatchObject({
      missingReplicas: 0,
      creatingPods: { r1: expect.anything() },
    });
    expect([young.events, young.requeueAt]).toEqual([[], NOW + 30_000]);
    // Example 15.
    expect(subsetIn(asked([young.target], newPod(), { requestId: 'r2' }))).toBe('b');
    const old = counted(young.target, [], NOW + 30_000);
    expect(Object.keys(old.status.versionedSubsetStatuses)).toEqual(['versionIgnored']);
    expect(old.events).toEqual([expect.objectContaining({ type: 'Warning', reason: 'CreatePodFailed' })]);
    expect(subsetIn(asked([old.target], newPod(), { requestId: 'r2' }))).toBe('a');
  });

  it('lets the place of a pod that goes to the one that replaces it, before anybody has seen that it is gone', () => {
    const pod = born(first, 'web-h1-x7');
    const { target } = counted(recorded, [pod]);
    const verdict = spreadReview.review(target, { operation: 'DELETE', pod }, NOW);
    expect(verdict.is).toBe('recorded');
    const going = written(target, { ...verdict, pod, object: target } as Creation);
    expect(inVersion(going['status'] as SpreadStatus)?.[0]).toEqual({
      ...{ name: 'a', replicas: 1, missingReplicas: 1 },
      deletingPods: { 'web-h1-x7': '2026-01-01T00:00:00Z' },
    });
    // It was one of those on record, and also one that is counted goes.
    const late = counted(recorded, [pod], NOW + 30_000).target;
    const evicted = spreadReview.review(late, { operation: 'EVICT', pod }, NOW);
    const other = written(late, { ...evicted, pod, object: late } as Creation);
    expect(inVersion(other['status'] as SpreadStatus)).toEqual(inVersion(going['status'] as SpreadStatus));
    // Example 14.
    expect(subsetIn(asked([going], newPod(), { requestId: 'r2' }))).toBe('a');
    expect(spreadReview.review(going, { operation: 'EVICT', pod }, NOW)).toEqual({ is: 'allowed' });
    const gone = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:01Z' } };
    expect(counted(going, [gone]).status.versionedSubsetStatuses).toEqual({
      versionIgnored: [
        { name: 'a', replicas: 0, missingReplicas: 1 },
        { name: 'b', replicas: 0, missingReplicas: -1 },
      ],
    });
  });

  it('WS-30: ends after 15 s where the pod stays, with an Event, and the pod has its place again', () => {
    const pod = born(first, 'web-h1-x7');
    const { target } = counted(recorded, [pod]);
    const verdict = spreadReview.review(target, { operation: 'DELETE', pod }, NOW);
    const going = written(target, { ...verdict, pod, object: target } as Creation);
    const young = counted(going, [pod], NOW + 14_000);
    expect([inVersion(young.status)?.[0]?.missingReplicas, young.requeueAt]).toEqual([1, NOW + 15_000]);
    const old = counted(young.target, [pod], NOW + 15_000);
    expect(inVersion(old.status)?.[0]).toEqual({ name: 'a', replicas: 1, missingReplicas: 0 });
    expect(old.events).toEqual([expect.objectContaining({ type: 'Warning', reason: 'DeletePodFailed' })]);
  });

  it('counts pods that nobody has placed in a condition, also once their nodes have told their subset', () => {
    const missed = podOf('web-h1-m', undefined, { spec: { schedulingGates: [], nodeName: 'n1' } });
    missed.metadata.creationTimestamp = '2026-01-01T00:00:00Z';
    const conditions = (pods: readonly Pod[], of = object): unknown => counted(of, pods).status.conditions;
    const condition = expect.objectContaining({
      type: 'plan.kruise.io/PodsMissed',
      message: expect.stringMatching(/^1 pod was created without a subset, such as web-h1-m:/) as unknown,
    }) as unknown;
    expect(conditions([missed])).toEqual([condition]);
    const byNode = '{"name":"spread","subset":"b","by":"node"}';
    const annotations = { 'apps.kruise.io/matched-workloadspread': byNode };
    expect(conditions([{ ...missed, metadata: { ...missed.metadata, annotations } }])).toEqual([condition]);
    const older = { ...missed, metadata: { ...missed.metadata, creationTimestamp: '2025-12-30T00:00:00Z' } };
    expect(conditions([older])).toBeUndefined();
    // No subset has had room for one, and that of another is gone.
    for (const text of ['{"name":"spread","subset":"","by":"room"}', '{"name":"spread","subset":"old"}']) {
      const told = { 'apps.kruise.io/matched-workloadspread': text };
      expect(
        conditions([{ ...missed, metadata: { ...missed.metadata, annotations: told } }]),
      ).toBeUndefined();
    }
    // The runtime places those that wait with a gate.
    expect(conditions([missed], spreadOfDeployment({ a: 1 }))).toBeUndefined();
  });

  it('WS-31, property: two webhooks and runtimes that see pods late give as many places of a as its cap', () => {
    const step = fc.record({
      who: fc.constantFrom(0, 1),
      does: fc.constantFrom('asks', 'asks', 'reads', 'counts', 'sees', 'succeeds'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let stored = byWebhook({ a: 2, b: null });
        let version = 0;
        const caches = [0, 1].map(() => ({ object: stored, version }));
        const pods: Pod[] = [];
        let seen: Pod[] = [];
        for (const [index, { who, does }] of steps.entries()) {
          if (does === 'reads') caches[who] = { object: stored, version };
          if (does === 'sees') seen = [...pods];
          // Another process leads, whose list of pods is older.
          if (does === 'succeeds') seen = pods.slice(0, index % 3);
          if (does === 'counts') {
            stored = counted(stored, seen).target;
            version += 1;
          }
          if (does !== 'asks') continue;
          // A conflict is answered by a read.
          const known = caches[who]?.version === version ? caches[who].object : stored;
          const stale = asked([caches[who]?.object ?? stored], newPod(), { requestId: `r${index}` });
          const creation =
            stale.is === 'recorded' ? asked([known], newPod(), { requestId: `r${index}` }) : stale;
          if (creation.is === 'recorded') {
            stored = written(stored, creation);
            version += 1;
          }
          const inA = pods.filter((pod) => matchedOf(pod)?.subset === 'a').length;
          expect(subsetIn(creation)).toBe(inA < 2 ? 'a' : 'b');
          pods.push(born(creation, `web-${index}`));
        }
      }),
    );
  });
});
