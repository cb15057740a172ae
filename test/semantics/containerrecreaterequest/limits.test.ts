import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { requestFacts } from '../../../semantics/containerrecreaterequest/facts.ts';
import { limitOn } from '../../../semantics/containerrecreaterequest/limits.ts';
import { withRecreated } from '../../../semantics/pod/recreated.ts';
import type { PodOwner } from '../../../semantics/limits/pod-owners.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { endOf } from '../../fixtures/recreate-requests.ts';
import { begun, DIGEST, podWith, reconciled, restarted, settledAt, T0 } from './requests.ts';

const S = 1_000;
const both = ['main', 'side'];

/** A pod of a foreign ReplicaSet. */
function replica(name: string, of = 'web'): Pod {
  const pod = podWith(both);
  const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: of, uid: `uid-${of}`, controller: true };
  const metadata = {
    ...pod.metadata,
    name,
    uid: `uid-${name}`,
    labels: { app: of },
    ownerReferences: [set],
  };
  return { ...pod, metadata };
}

/** The same after its container was asked to restart. */
function asked(pod: Pod): Pod {
  const spelled = `main:1@${DIGEST}`;
  const { containerID = '' } = pod.status?.containerStatuses?.[0] ?? {};
  const text = withRecreated(pod, { main: { spelled, by: 'a', containerID, restartCount: 0 } });
  const annotations = { 'plan.kruise.io/recreated-containers': text };
  const [main, ...others] = pod.spec.containers;
  const containers = [{ ...main, name: 'main', image: spelled }, ...others];
  return { ...pod, metadata: { ...pod.metadata, annotations }, spec: { ...pod.spec, containers } };
}

const NO_MORE = 'PodDisruptionBudget shop/web allows no more unavailable pods';
const [a, b] = [replica('a'), replica('b')];

describe('pods of a controller whose rules are unknown', () => {
  it('one of few that are asked for is restarted at a time', () => {
    expect(limitOn(b, { named: [a, b], now: T0 })?.reason).toBeUndefined();
    expect(limitOn(b, { named: [asked(a), b], now: T0 })?.reason).toBe(
      'ReplicaSet shop/web allows 1 unavailable pod, and a is unavailable',
    );
    expect(limitOn(b, { named: [a, b], reserved: new Set(['uid-a']), now: T0 })?.reason).toMatch(
      /^ReplicaSet shop\/web/,
    );
  });

  it('a quarter of many', () => {
    const many = Array.from({ length: 8 }, (_, index) => replica(`web-${index}`));
    const [first = a, second = a, ...others] = many;
    const out = [asked(first), second, ...others];
    expect(limitOn(second, { named: out, now: T0 })?.reason).toBeUndefined();
    const more = [asked(first), asked(second), ...others];
    expect(limitOn(others[0] ?? a, { named: more, now: T0 })?.reason).toMatch(/allows 2 unavailable pods/);
  });

  it('the message about the limit stays the same while requests end and the quarter shrinks', () => {
    const many = Array.from({ length: 12 }, (_, index) => replica(`web-${index}`));
    const said = [12, 8, 4, 2].map((left) => {
      const named = many.slice(-left).map((pod, index) => (index < left - 1 ? asked(pod) : pod));
      return limitOn(many.at(-1) ?? a, { named, now: T0 })?.limit;
    });
    expect(new Set(said)).toEqual(
      new Set([
        'ReplicaSet shop/web allows a quarter of the pods that are asked for to be unavailable, and at least one',
      ]),
    );
  });

  it('those of another controller, and pods of nobody, take nothing', () => {
    expect(limitOn(b, { named: [asked(replica('a', 'other')), b], now: T0 })?.reason).toBeUndefined();
    expect(limitOn(podWith(both), { named: [asked(a), podWith(both)], now: T0 })?.reason).toBeUndefined();
  });
});

it('a budget counts what other requests have stopped before its own status shows that', () => {
  const budget: KubeObject = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web', namespace: 'shop', generation: 1 },
    spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
    status: { observedGeneration: 1, expectedPods: 3, currentHealthy: 3, desiredHealthy: 2 },
  };
  const disruptionBudgets = [budget];
  expect(limitOn(b, { named: [a, b], disruptionBudgets, now: T0 })?.reason).toBeUndefined();
  expect(limitOn(b, { named: [asked(a), b], disruptionBudgets, now: T0 })?.reason).toBe(
    'PodDisruptionBudget shop/web allows 1 unavailable pod, and a is unavailable',
  );
  expect(limitOn(b, { named: [asked(a), b], disruptionBudgets, now: T0 })?.limit).toBe(
    'PodDisruptionBudget shop/web allows 1 unavailable pod',
  );
  // Of one without counts, the pods that are asked for are all that is known.
  const unknown = {
    ...budget,
    spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } },
    status: {},
  };
  const out = ['c', 'd', 'e'].map((name) => asked(replica(name)));
  const said = [out, out.slice(1)].map(
    (others) => limitOn(b, { named: [...others, b], disruptionBudgets: [unknown], now: T0 })?.limit,
  );
  expect(said).toEqual([NO_MORE, NO_MORE]);
});

/** The limit of an owner with another pod, which may be out. */
function owner(pod: Pod | undefined, isOut: boolean): PodOwner {
  const other = podWith(both);
  const conditions = [{ type: 'Ready', status: isOut ? 'False' : 'True' }] as const;
  const metadata = { ...other.metadata, name: 'other', uid: 'other' };
  const out = { ...other, metadata, status: { ...other.status, conditions: [...conditions] } };
  const pods = [...(pod === undefined ? [] : [pod]), out];
  return {
    uid: 'owner',
    name: 'CloneSet shop/web',
    replicas: 2,
    maxUnavailable: 1,
    minReadySeconds: 0,
    pods,
  };
}

it('the second container in order asks the limit anew: another pod may be out by now', () => {
  const first = settledAt(begun({ strategy: { orderedRecreate: true } }, podWith(both), both), T0);
  const pod = first.pod && restarted(first.pod, 'main', T0 + S);
  const back = { ...first, pod };
  const waiting = settledAt(back, T0 + 3 * S, { owners: [owner(pod, true)] });
  expect(endOf(waiting.target)).toEqual([
    'Recreating',
    'CloneSet shop/web allows 1 unavailable pod',
    ...['main Succeeded true', 'side Pending'],
  ]);
  expect(waiting.decision.explanations[0]?.reason).toBe(
    'waits: CloneSet shop/web allows 1 unavailable pod, and other is unavailable',
  );
  const free = settledAt(back, T0 + 3 * S, { owners: [owner(pod, false)] });
  expect(endOf(free.target)).toEqual(['Recreating', 'main Succeeded true', 'side Recreating true']);
});

it('a request says which limit it waits for, as long as it does, and not which pods are out: those change all the time', () => {
  const spec = { strategy: { minStartedSeconds: 5 } };
  const waiting = settledAt(begun(spec, podWith(['main'])), T0, { owners: [owner(podWith(['main']), true)] });
  expect(endOf(waiting.target)).toEqual([
    'Recreating',
    'CloneSet shop/web allows 1 unavailable pod',
    'main Pending',
  ]);
  expect(requestFacts.status.problems(waiting.target)).toEqual([
    { waitingOn: 'Waiting', message: 'CloneSet shop/web allows 1 unavailable pod' },
  ]);
  // Another decision about the pod is under way: the message stays until the caches show its writes.
  const reserved = settledAt(waiting, T0 + S, { reserved: new Set(['pod-uid']) });
  expect(endOf(reserved.target)).toEqual(endOf(waiting.target));
  // The write that stops the container says it still. Where another object holds that up, the condition says so instead.
  expect(endOf(reconciled(waiting, T0 + 3 * S).target)).toEqual(endOf(waiting.target));
  const held = { reason: 'DisruptionNotAllowed', message: 'a budget' };
  expect(endOf(reconciled(waiting, T0 + 3 * S, {}, held).target)).toEqual(['Recreating', 'main Pending']);
  const free = settledAt(waiting, T0 + 3 * S);
  expect(endOf(free.target)).toEqual(['Recreating', 'main Recreating true']);
  expect(requestFacts.status.problems(free.target)).toEqual([]);
  const done = settledAt({ ...free, pod: free.pod && restarted(free.pod, 'main', T0 + 4 * S) }, T0 + 20 * S);
  expect(endOf(done.target)).toEqual(['Completed', 'main Succeeded true']);
});

it('one that has waited for long is looked at less often', () => {
  const pod = podWith(['main']);
  const taken = reconciled(begun({}, pod), T0);
  const again = (now: number): number =>
    (reconciled(taken, now, { owners: [owner(pod, true)] }).decision.requeueAt ?? 0) - now;
  expect([S, 60 * S, 600 * S, 6000 * S].map((after) => again(T0 + after))).toEqual([
    3 * S,
    6 * S,
    60 * S,
    60 * S,
  ]);
});

it('in the middle of an update in place it waits, though the node does not yet report the new image', () => {
  const pod = podWith(both);
  const [main, side] = pod.spec.containers;
  const state = {
    revision: 'r2',
    updateTimestamp: timestamp(T0),
    lastContainerStatuses: { main: { imageID: `docker.io/library/main@${DIGEST}` } },
    restartCounts: { main: 0 },
    containerBatchesRecord: [{ timestamp: timestamp(T0), containers: ['main'] }],
  };
  const annotations = { 'apps.kruise.io/inplace-update-state': JSON.stringify(state) };
  const updating = {
    ...pod,
    metadata: { ...pod.metadata, annotations, generation: 2 },
    spec: { ...pod.spec, containers: [{ ...main, name: 'main', image: 'main:2' }, ...(side ? [side] : [])] },
  };
  const waiting = settledAt(begun({}, updating), T0 + S);
  expect(waiting.done).toEqual(['take up']);
  expect(endOf(waiting.target)).toEqual([
    'Recreating',
    'an update in place of the pod is not complete, and restarts containers itself',
    'main Pending',
  ]);
  const containerStatuses = (updating.status?.containerStatuses ?? []).map((each) =>
    each.name === 'main'
      ? {
          ...each,
          ...{
            image: 'docker.io/library/main:2',
            imageID: `docker.io/library/main@sha256:${'b'.repeat(64)}`,
          },
          ...{ restartCount: 1, containerID: 'containerd://main-1' },
          state: { running: { startedAt: timestamp(T0 + 2 * S) } },
        }
      : each,
  );
  const updated = { ...updating, status: { ...updating.status, containerStatuses } };
  // The update has restarted the container since the request: that is what was asked for.
  const done = settledAt({ ...waiting, pod: updated }, T0 + 4 * S);
  expect(endOf(done.target)).toEqual(['Completed', 'main Succeeded']);
  expect(done.done).toEqual(['take up', 'end']);
});
