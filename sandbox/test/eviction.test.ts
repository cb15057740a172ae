import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { PodDisruptionBudget } from '../kinds/budget.ts';
import { conditionOf } from '../../schemas/pods/pod.ts';
import { pod, readPod, refusal, stage, widget, widgets, type Stage } from './world.ts';

const budgets = {
  group: 'policy',
  version: 'v1',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
};
const at = (name: string) => ({ namespace: 'default', name });
const web = { matchLabels: { app: 'web' } };

function budget(name: string, spec: Record<string, unknown>): KubeObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: at(name),
    spec: { selector: web, ...spec },
  };
}

function labeled(name: string, spec: Record<string, unknown> = {}): KubeObject {
  const body = pod(name, 'web:1', spec);
  return { ...body, metadata: { ...body.metadata, labels: { app: 'web' } } };
}

function evict({ alice }: Stage, name: string, fields: Record<string, unknown> = {}) {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: at(name), ...fields };
  return alice.create(resources.Pod, eviction, { subresource: 'eviction' });
}

async function statusOf({ alice }: Stage, name = 'b') {
  const { status } = (await alice.get(budgets, at(name))) as PodDisruptionBudget;
  if (status === undefined) throw new Error('the budget has no status');
  return status;
}

/** Three ready pods and a budget over them. */
async function guarded(spec: Record<string, unknown>): Promise<Stage> {
  const set = stage({ nodes: 1 });
  for (const name of ['p1', 'p2', 'p3']) await set.alice.create(resources.Pod, labeled(name));
  await set.alice.create(budgets, budget('b', spec));
  await set.clock.advance(10_000);
  return set;
}

const violated = {
  code: 429,
  reason: 'TooManyRequests',
  message: "Cannot evict pod as it would violate the pod's disruption budget.",
};

describe('eviction', () => {
  test('without a budget deletes the pod, with a reason', async () => {
    const set = stage({ nodes: 1 });
    await set.alice.create(resources.Pod, labeled('p1'));
    await set.clock.advance(10_000);
    await evict(set, 'p1');
    const going = await readPod(set.alice, 'p1');
    expect(going.metadata).toMatchObject({ deletionGracePeriodSeconds: 30, generation: 2 });
    expect(conditionOf(going, 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
    });
    await evict(set, 'p1');
    await set.clock.advance(5000);
    expect((await refusal(evict(set, 'p1'))).code).toBe(404);
  });

  test('waits while the budget has nothing to spare', async () => {
    const set = await guarded({ minAvailable: 3 });
    expect(await refusal(evict(set, 'p1'))).toEqual({
      ...violated,
      details: {
        causes: [
          {
            reason: 'DisruptionBudget',
            message: 'The disruption budget b needs 3 healthy pods and has 3 currently',
          },
        ],
      },
    });
    expect((await readPod(set.alice, 'p1')).metadata.deletionTimestamp).toBeUndefined();
  });

  test('allows the available disruptions, and no more until a pod is healthy again', async () => {
    const set = await guarded({ minAvailable: 2 });
    expect(await statusOf(set)).toMatchObject({
      disruptionsAllowed: 1,
      currentHealthy: 3,
      desiredHealthy: 2,
    });
    await evict(set, 'p1');
    expect(await statusOf(set)).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { p1: '2026-01-01T12:00:10Z' },
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
    });
    expect(await refusal(evict(set, 'p2'))).toMatchObject(violated);
    await set.clock.advance(5000);
    expect(await statusOf(set)).toMatchObject({ disruptionsAllowed: 0, expectedPods: 2, currentHealthy: 2 });
    expect((await statusOf(set)).disruptedPods).toBeUndefined();
    await set.alice.create(resources.Pod, labeled('p4'));
    await set.clock.advance(10_000);
    await evict(set, 'p2');
  });

  test('of a budget that is not yet synced returns a retry time', async () => {
    const set = await guarded({ minAvailable: 1 });
    await set.alice.patch(budgets, at('b'), { type: 'merge', body: { spec: { minAvailable: 2 } } });
    expect(await refusal(evict(set, 'p1'))).toEqual({
      ...violated,
      details: {
        causes: [
          {
            reason: 'DisruptionBudget',
            message: 'The disruption budget b is still being processed by the server.',
          },
        ],
        retryAfterSeconds: 10,
      },
    });
  });

  test('of a pod with two budgets is not supported', async () => {
    const set = await guarded({ minAvailable: 1 });
    await set.alice.create(budgets, budget('c', { minAvailable: 1 }));
    expect(await refusal(evict(set, 'p1'))).toEqual({
      code: 500,
      reason: '',
      message:
        'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    });
  });

  test('a dry run checks the budget without changing it', async () => {
    const set = await guarded({ minAvailable: 2 });
    const before = set.world.server.list('bob', resources.Pod).metadata.resourceVersion;
    await evict(set, 'p1', { deleteOptions: { dryRun: ['All'] } });
    await set.alice.create(
      resources.Pod,
      { apiVersion: 'policy/v1', kind: 'Eviction', metadata: at('p1') },
      { subresource: 'eviction', dryRun: true },
    );
    expect(set.world.server.list('bob', resources.Pod).metadata.resourceVersion).toBe(before);
    await set.alice.patch(budgets, at('b'), { type: 'merge', body: { spec: { minAvailable: 3 } } });
    await set.clock.advance(1000);
    expect(await refusal(evict(set, 'p1', { deleteOptions: { dryRun: ['All'] } }))).toMatchObject(violated);
  });

  test('finished and unscheduled pods do not use the budget', async () => {
    const set = await guarded({ minAvailable: 5 });
    await set.alice.create(resources.Pod, labeled('waiting', { nodeSelector: { no: 'where' } }));
    await evict(set, 'waiting');
    expect((await refusal(set.alice.get(resources.Pod, at('waiting')))).code).toBe(404);
    const done = { type: 'merge' as const, body: { status: { phase: 'Succeeded' } } };
    set.world.nodes.stopKubelet('node-1');
    await set.alice.patch(resources.Pod, at('p1'), done, { subresource: 'status' });
    await evict(set, 'p1');
  });

  const unready: [string | undefined, number, number][] = [
    [undefined, 3, 429],
    ['IfHealthyBudget', 3, 429],
    ['IfHealthyBudget', 2, 201],
    ['AlwaysAllow', 3, 201],
  ];
  test.each(unready)(
    'a pod that is not ready under %s, %i wanted of two: %i',
    async (policy, wanted, code) => {
      const set = await guarded({
        minAvailable: wanted,
        ...(policy === undefined ? {} : { unhealthyPodEvictionPolicy: policy }),
      });
      set.world.nodes.stopKubelet('node-1');
      const body = { status: { conditions: [{ type: 'Ready', status: 'False' }] } };
      await set.alice.patch(resources.Pod, at('p1'), { type: 'strategic', body }, { subresource: 'status' });
      await set.clock.advance(1000);
      if (code === 201) await evict(set, 'p1');
      else expect((await refusal(evict(set, 'p1'))).code).toBe(code);
    },
  );

  const refusals: [string, Record<string, unknown>, number, string][] = [
    ['another name', { metadata: at('other') }, 400, 'name in URL does not match name in Eviction object'],
    [
      'another uid',
      { deleteOptions: { preconditions: { uid: 'x' } } },
      409,
      'the UID in the precondition (x)',
    ],
    [
      'another resourceVersion',
      { deleteOptions: { preconditions: { resourceVersion: '1' } } },
      409,
      'the ResourceVersion in the precondition (1)',
    ],
  ];
  test.each(refusals)('is refused for %s', async (_what, fields, code, message) => {
    const set = await guarded({ minAvailable: 1 });
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: at('p1'), ...fields };
    const call = async () =>
      set.world.server.create('alice', resources.Pod, eviction, { subresource: 'eviction', at: at('p1') });
    const status = await refusal(call());
    expect(status.code).toBe(code);
    expect(status.message).toContain(message);
    expect(await statusOf(set)).toMatchObject({ disruptionsAllowed: 2 });
  });
});

describe('the status of a budget', () => {
  const shares: [string, Record<string, unknown>, number, number, number][] = [
    ['maxUnavailable 30% of four', { maxUnavailable: '30%' }, 1, 2, 4],
    ['minAvailable 30% of four', { minAvailable: '30%' }, 1, 2, 4],
    ['maxUnavailable 1', { maxUnavailable: 1 }, 0, 3, 4],
    ['maxUnavailable of more than there are', { maxUnavailable: 10 }, 3, 0, 4],
    ['maxUnavailable 0', { maxUnavailable: 0 }, 0, 4, 4],
    ['minAvailable as a number', { minAvailable: 1 }, 2, 1, 3],
    ['minAvailable of more than there are', { minAvailable: 10 }, 0, 10, 3],
  ];
  test.each(shares)('%s, with three existing', async (_what, spec, allowed, desired, expected) => {
    const set = stage({ nodes: 1 });
    const owner = await set.alice.create(widgets, widget('w', { size: 1, replicas: 4 }));
    const reference = {
      apiVersion: 'test.example/v1',
      kind: 'Widget',
      name: 'w',
      uid: owner.metadata.uid ?? '',
    };
    for (const name of ['p1', 'p2', 'p3']) {
      const body = labeled(name);
      const metadata = { ...body.metadata, ownerReferences: [{ ...reference, controller: true }] };
      await set.alice.create(resources.Pod, { ...body, metadata });
    }
    await set.alice.create(budgets, budget('b', spec));
    await set.clock.advance(10_000);
    const status = await statusOf(set);
    expect(status).toMatchObject({
      observedGeneration: 1,
      disruptionsAllowed: allowed,
      currentHealthy: 3,
      desiredHealthy: desired,
      expectedPods: expected,
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: allowed > 0 ? 'True' : 'False',
          observedGeneration: 1,
          reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
          message: '',
        },
      ],
    });
    await set.alice.patch(
      widgets,
      at('w'),
      { type: 'merge', body: { spec: { replicas: 3 } } },
      { subresource: 'scale' },
    );
    await set.clock.advance(1000);
    expect((await statusOf(set)).expectedPods).toBe(3);
  });

  test('a percentage of pods without a controller is 0', async () => {
    const set = await guarded({ maxUnavailable: 1 });
    expect(await statusOf(set)).toMatchObject({ disruptionsAllowed: 0, expectedPods: 0, currentHealthy: 3 });
  });

  test('reports a controller without scale subresource', async () => {
    const set = stage({ nodes: 1 });
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'node-1', controller: true };
    const { metadata } = await set.alice.get(resources.Node, { name: 'node-1' });
    const body = labeled('p1');
    await set.alice.create(resources.Pod, {
      ...body,
      metadata: { ...body.metadata, ownerReferences: [{ ...owner, uid: metadata.uid ?? '' }] },
    });
    await set.alice.create(budgets, budget('b', { maxUnavailable: 1 }));
    await set.clock.advance(1000);
    expect(await statusOf(set)).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [
        { status: 'False', reason: 'SyncFailed', message: 'nodes does not implement the scale subresource' },
      ],
    });
  });

  test('an eviction whose pod does not go stops counting after two minutes', async () => {
    const set = await guarded({ minAvailable: 2 });
    const body = { status: { disruptionsAllowed: 0, disruptedPods: { p1: '2026-01-01T12:00:10Z' } } };
    await set.alice.patch(budgets, at('b'), { type: 'merge', body }, { subresource: 'status' });
    await set.alice.patch(budgets, at('b'), { type: 'merge', body: { spec: { minAvailable: 1 } } });
    await set.clock.advance(100_000);
    expect(await statusOf(set)).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1 });
    await set.clock.advance(60_000);
    expect(await statusOf(set)).toMatchObject({ currentHealthy: 3, disruptionsAllowed: 2 });
  });

  test('an empty selector covers every pod of the namespace, none covers nothing', async () => {
    const set = await guarded({ selector: {}, minAvailable: 1 });
    expect(await statusOf(set)).toMatchObject({ expectedPods: 3 });
    await set.alice.create(budgets, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: at('c'),
      spec: { minAvailable: 1 },
    });
    await set.clock.advance(1000);
    expect(await statusOf(set, 'c')).toMatchObject({
      expectedPods: 0,
      desiredHealthy: 1,
      disruptionsAllowed: 0,
    });
  });
});
