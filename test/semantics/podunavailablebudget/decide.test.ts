import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { budgetInfluence } from '../../../semantics/podunavailablebudget/influence.ts';
import { decideBudget } from '../../../semantics/podunavailablebudget/decide.ts';
import { budgetNeeds } from '../../../semantics/podunavailablebudget/needs.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { ago, budget, FULL, NOW, OPEN, pod, podsOfDeployment, SELECTOR, SHOP, workload } from './budgets.ts';

const decided = (target: KubeObject, pods: readonly Pod[], configs: readonly KubeObject[] = [workload(3)]) =>
  decideBudget({ target, pods, configs, now: NOW }, undefined);

/** Allowed/Current/Desired/Total. */
function counted(...given: Parameters<typeof decided>): string {
  const { unavailableAllowed, currentAvailable, desiredAvailable, totalReplicas } = decided(...given).status;
  return [unavailableAllowed, currentAvailable, desiredAvailable, totalReplicas].join('/');
}

const three = (): Pod[] => ['a', 'b', 'c'].map((name) => pod(name));

describe('what is counted', () => {
  const quarter = budget({ maxUnavailable: '25%' });
  const two = [...podsOfDeployment('one', 5), ...podsOfDeployment('two', 5)];
  const deployment = (name: string, replicas: number, metadata: object = {}): KubeObject =>
    workload(replicas, ['apps/v1', 'Deployment', name], metadata);

  test('25% of two Deployments of five (PUB-6)', () => {
    expect(counted(quarter, two, [deployment('one', 5), deployment('two', 5)])).toBe('3/10/7/10');
  });

  test('then one of them is scaled to 0 (PUB-6)', () => {
    expect(counted(quarter, two.slice(5), [deployment('one', 0), deployment('two', 5)])).toBe('2/5/3/5');
  });

  test('then the other one is deleted (PUB-6)', () => {
    expect(counted(quarter, [], [deployment('one', 0)])).toBe('0/0/0/0');
  });

  test('a Deployment that is being deleted asks for no pod: none is protected', () => {
    const gone = deployment('two', 5, { deletionTimestamp: ago(1) });
    expect(counted(budget({ maxUnavailable: 0 }), two.slice(5), [gone])).toBe('0/0/0/0');
  });

  test('a label that takes a pod out, and nothing is left (PUB-10)', () => {
    const pods = [pod('a', { labels: { 'unavailable-pod.kruise.io/drain': 'true' } }), pod('b')];
    expect(counted(budget(), pods, [workload(2)])).toBe('0/1/1/2');
  });

  test('scale-in to nothing: every pod may go (PUB-25)', () => {
    expect(counted(budget(), three(), [workload(0)])).toBe('0/0/0/0');
  });

  test('a kind without a number of pods, and a stated one (PUB-26)', () => {
    const targetRef = { apiVersion: 'example.com/v1', kind: 'Game', name: 'web' };
    const pods = ['a', 'b', 'c', 'd', 'e'].map((name) =>
      pod(name, { owner: ['example.com/v1', 'Game', 'web'] }),
    );
    const spec = { targetRef, maxUnavailable: '40%' };
    expect(counted(budget({ ...spec, protectTotalReplicas: 5 }), pods, [])).toBe('2/5/3/5');
    const unknown = decided(budget(spec), pods, []);
    expect(unknown.status).toMatchObject({ unavailableAllowed: 5, desiredAvailable: 0, totalReplicas: -1 });
    expect(unknown.events?.map(({ reason }) => reason)).toEqual(['CalculateExpectedPodCountFailed']);
  });

  test('no pods: zeros, and an event (PUB-31)', () => {
    expect(counted(budget(), [], [])).toBe('0/0/0/0');
    expect(decided(budget(), [], []).events).toEqual([
      { type: 'Normal', reason: 'NoPods', message: 'there are no pods to protect' },
    ]);
  });

  test('pods without a controller have no number', () => {
    expect(counted(budget(), [pod('a', { owner: null })], [])).toBe('0/0/0/0');
    expect(counted(budget({ protectTotalReplicas: 1 }), [pod('a', { owner: null })], [])).toBe('1/1/0/1');
  });

  test('pods of other workloads, and those that have ended, are not counted', () => {
    const ended = pod('b', { phase: 'Succeeded' });
    const other = pod('c', { labels: { app: 'api' } });
    expect(counted(budget(), [pod('a'), ended, other], [workload(1)])).toBe('1/1/0/1');
  });

  test('surplus pods are allowed beyond the limit', () => {
    expect(counted(budget(), [...three(), pod('d')])).toBe('2/4/2/3');
  });
});

describe('the workload that a budget names', () => {
  const named = (apiVersion: string, kind: string): KubeObject =>
    budget({ targetRef: { apiVersion, kind, name: 'web' } });

  test.each([
    ['apps.kruise.io/v1alpha1', 'CloneSet', three(), workload(3), '1/3/2/3'],
    [
      'apps/v1',
      'Deployment',
      podsOfDeployment('web', 3),
      workload(3, ['apps/v1', 'Deployment', 'web']),
      '1/3/2/3',
    ],
    // Of another one of the same name.
    ['apps/v1', 'StatefulSet', three(), workload(3, ['apps/v1', 'StatefulSet', 'web']), '0/0/0/0'],
    // One without a number has one pod.
    [
      'apps/v1',
      'Deployment',
      podsOfDeployment('web', 1),
      workload(undefined, ['apps/v1', 'Deployment', 'web']),
      '1/1/0/1',
    ],
  ] as const)('%s %s', (apiVersion, kind, pods, object, expected) => {
    expect(counted(named(apiVersion, kind), pods, [object])).toBe(expected);
  });
});

describe('entries', () => {
  const entered = (status: JsonObject): KubeObject => budget({}, { ...FULL, ...status });
  const after = (target: KubeObject, pods = three()) => {
    const { status, events, requeueAt } = decided(target, pods);
    const { disruptedPods, unavailablePods, unavailableAllowed } = status;
    return { disruptedPods, unavailablePods, unavailableAllowed, events, requeueAt };
  };

  test('a pod that was to be deleted 19 s ago counts as unavailable', () => {
    expect(after(entered({ disruptedPods: { a: ago(19) } }))).toEqual({
      disruptedPods: { a: ago(19) },
      unavailablePods: undefined,
      unavailableAllowed: 0,
      events: [],
      requeueAt: NOW + 1_000,
    });
  });

  test('after 20 s the entry goes, and an event says that the pod is there (PUB-16)', () => {
    expect(after(entered({ disruptedPods: { a: ago(20) } }))).toEqual({
      disruptedPods: undefined,
      unavailablePods: undefined,
      unavailableAllowed: 1,
      events: [
        {
          type: 'Warning',
          reason: 'NotDeleted',
          message: 'pod a was to be deleted 20s ago, and is still there',
        },
      ],
      requeueAt: undefined,
    });
  });

  test('a pod that was to be changed has its entry for 10 s, and then counts as it is (PUB-17)', () => {
    expect(after(entered({ unavailablePods: { a: ago(9) } }))).toMatchObject({
      unavailablePods: { a: ago(9) },
      unavailableAllowed: 0,
      requeueAt: NOW + 1_000,
    });
    expect(after(entered({ unavailablePods: { a: ago(10) } }))).toMatchObject({
      unavailablePods: undefined,
      unavailableAllowed: 1,
      events: [],
    });
    const changing = [pod('a', { isReady: false }), pod('b'), pod('c')];
    expect(after(entered({ unavailablePods: { a: ago(10) } }), changing)).toMatchObject({
      unavailableAllowed: 0,
    });
  });

  test('a pod that is gone, or was created since, needs none', () => {
    const gone = [pod('b'), pod('c'), pod('d')];
    expect(after(entered({ disruptedPods: { a: ago(1) } }), gone)).toMatchObject({
      disruptedPods: undefined,
      unavailableAllowed: 1,
      events: [],
    });
    const renewed = [pod('a', { createdAt: ago(1) }), pod('b'), pod('c')];
    expect(after(entered({ disruptedPods: { a: ago(5) } }), renewed)).toMatchObject({
      disruptedPods: undefined,
      unavailableAllowed: 1,
    });
  });

  test.each([
    ['opened after the slot was taken', 'True', 2, undefined, 1],
    ['opened in the same second', 'True', 3, 3, 0],
    ['opened before', 'True', 60, 3, 0],
    ['closed', 'False', 2, 3, 0],
  ] as const)(
    'a change of a pod is over once its gate was opened again: %s',
    (_, status, changed, entry, allowed) => {
      const gated = (each: Pod): Pod => ({
        ...each,
        status: {
          ...each.status,
          conditions: [
            ...(each.status?.conditions ?? []),
            { type: 'InPlaceUpdateReady', status, lastTransitionTime: ago(changed) },
          ],
        },
      });
      const pods = [gated(pod('a')), pod('b'), pod('c')];
      const left = entry === undefined ? undefined : { a: ago(entry) };
      const target = entered({ unavailablePods: { a: ago(3) } });
      expect(after(target, pods)).toMatchObject({ unavailablePods: left, unavailableAllowed: allowed });
      const { takesSlot } = budgetInfluence.onDisrupt(target, NOW) ?? {};
      // Nobody may rely on a slot that the next reconcile gives back.
      if (status === 'True') expect(takesSlot?.(pods[0] as Pod, 'Update')).toBe(entry === undefined);
      // The next change of it may be on its way.
      const observed = { target, pods, configs: [workload(3)], now: NOW, reserved: new Set(['uid-a']) };
      expect(decideBudget(observed, undefined).status).toMatchObject({
        unavailablePods: { a: ago(3) },
        unavailableAllowed: 0,
      });
      // What was to be deleted is still there, whatever was changed.
      const deleted = { disruptedPods: { a: ago(3) } };
      expect(after(entered(deleted), pods)).toMatchObject({ ...deleted, unavailableAllowed: 0 });
    },
  );

  test('the entry of a change that is over ends when its pod is ready, in one write with its count, or with its time', () => {
    const opened = (isReady: boolean): Pod => {
      const made = pod('a', { isReady });
      const gate = { type: 'InPlaceUpdateReady', status: 'True', lastTransitionTime: ago(2) } as const;
      return {
        ...made,
        status: { ...made.status, conditions: [...(made.status?.conditions ?? []), gate] },
      };
    };
    const found = (isReady: boolean, seconds: number) => {
      const target = entered({ unavailablePods: { a: ago(seconds) } });
      const pods = [opened(isReady), pod('b'), pod('c')];
      const { status, requeueAt } = decideBudget(
        { target, pods, configs: [workload(3)], now: NOW },
        undefined,
      );
      return [status.unavailablePods !== undefined, status.currentAvailable, requeueAt];
    };
    expect(found(false, 3)).toEqual([true, 2, NOW + 7_000]);
    expect(found(true, 3)).toEqual([false, 3, undefined]);
    expect(found(false, 10)).toEqual([false, 2, undefined]);
  });

  test('while a write of its pod is not observed, an entry stays beyond its time', () => {
    const target = entered({ unavailablePods: { a: ago(60) }, disruptedPods: { b: ago(60) } });
    const observed = { target, pods: three(), configs: [workload(3)], now: NOW };
    const { status, events, requeueAt } = decideBudget(
      { ...observed, reserved: new Set(['uid-a']) },
      undefined,
    );
    expect(status).toMatchObject({ unavailablePods: { a: ago(60) }, unavailableAllowed: 0 });
    expect(status.disruptedPods).toBeUndefined();
    // That is another change: no time ends it.
    expect([events?.map(({ reason }) => reason), requeueAt]).toEqual([['NotDeleted'], undefined]);
  });

  test('the time of an entry begins anew where the watch of pods had a gap', () => {
    const target = entered({ disruptedPods: { a: ago(30) } });
    const observed = { target, pods: three(), configs: [workload(3)], now: NOW };
    const since = (seconds: number) =>
      decideBudget({ ...observed, watchedSince: NOW - seconds * 1_000 }, undefined);
    expect(since(19)).toMatchObject({
      status: { disruptedPods: { a: ago(30) }, unavailableAllowed: 0 },
      events: [],
      requeueAt: NOW + 1_000,
    });
    expect(since(20).status).toMatchObject({ unavailableAllowed: 1 });
  });

  test('of two entries the next one to end decides when to look again', () => {
    const target = entered({ disruptedPods: { a: ago(5) }, unavailablePods: { b: ago(4) } });
    expect(after(target)).toMatchObject({ unavailableAllowed: 0, requeueAt: NOW + 6_000 });
  });
});

describe('links', () => {
  const links = (pods: readonly Pod[], others: readonly KubeObject[] = []) =>
    decided(budget({}, OPEN), pods, [workload(3), ...others]).actions;
  const KEYS = ['pub.kruise.io/related-pub', 'kruise.io/related-pub'];
  const linked = (name: string, budgetName: string, keys = KEYS): Pod =>
    pod(name, { annotations: Object.fromEntries(keys.map((key) => [key, budgetName])) });

  test('pods that are older than the budget get both annotations (PUB-30)', () => {
    const [first, ...more] = links([pod('a'), linked('b', 'web')]);
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      do: 'patch',
      kind: 'Pod',
      name: 'a',
      body: {
        metadata: { uid: 'uid-a', annotations: { [KEYS[0] ?? '']: 'web', [KEYS[1] ?? '']: 'web' } },
      },
    });
  });

  test('either annotation is enough', () => {
    expect(links([linked('a', 'web', KEYS.slice(0, 1)), linked('b', 'web', KEYS.slice(1))])).toEqual([]);
  });

  test('a pod of a budget that is gone, or does not cover it, is linked again (PUB-37)', () => {
    const other = budget({ selector: { matchLabels: { app: 'api' } } }, {}, { name: 'other' });
    expect(links([linked('a', 'gone'), linked('b', 'other')], [other]).map((each) => each.do)).toEqual([
      'patch',
      'patch',
    ]);
  });

  test('a pod of another budget that covers it stays there', () => {
    const other = budget({ selector: SELECTOR }, {}, { name: 'other' });
    expect(links([linked('a', 'other')], [other])).toEqual([]);
  });

  test('pods that the budget does not cover are left alone', () => {
    expect(links([pod('a', { labels: { app: 'api' } })])).toEqual([]);
  });

  test('what it needs: its pods, their workloads, and the budgets that they name', () => {
    const pods = [linked('a', 'other'), ...podsOfDeployment('api', 2), pod('c', { labels: { app: 'x' } })];
    const needs = budgetNeeds(budget(), pods);
    expect(needs[0]).toEqual({ of: 'SelectedPods', selector: SELECTOR, namespaces: undefined });
    expect(
      needs
        .slice(1)
        .map((need) => (need.of === 'Config' ? [need.resource.plural, need.namespace, need.name] : need.of)),
    ).toEqual([
      'Guards',
      ['clonesets', SHOP, 'web'],
      ['deployments', SHOP, 'api'],
      ['podunavailablebudgets', SHOP, 'other'],
    ]);
    expect(budgetNeeds(budget({ protectTotalReplicas: 3 }), [pod('a')])).toHaveLength(2);
  });
});
