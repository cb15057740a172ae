import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { withinLimits } from '../../../semantics/limits/disruption.ts';
import { deploymentsOf, projectDeployment } from '../../../semantics/sidecarset/deployments.ts';
import { podLimits } from '../../../semantics/sidecarset/pod-limits.ts';
import type { PodOwner } from '../../../semantics/limits/pod-owners.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { budgetOf, deploymentOf, NOW, podsOf, podsOfDeployment } from '../limits/pods.ts';

interface Given {
  pods: readonly Pod[];
  owners?: readonly PodOwner[];
  budgets?: readonly KubeObject[];
  configs?: readonly KubeObject[];
  reserved?: string;
}

/** The pods that may be made unavailable now, and why each other one waits. */
function decided({ pods, owners = [], budgets = [], configs = [], reserved = '' }: Given) {
  const limits = podLimits({
    pods,
    owners,
    disruptionBudgets: budgets,
    configs,
    reserved: new Set([...reserved].map((name) => `uid-${name}`)),
    now: NOW,
  });
  if (limits === undefined) throw new Error('there are no limits');
  const inOrder = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const { free, waiting } = withinLimits(inOrder, limits);
  return {
    free: free.map(({ metadata }) => metadata.name).join(''),
    waiting: Object.fromEntries(waiting.map(({ unit, reason }) => [unit.metadata.name, reason])),
  };
}

/** A CloneSet `web` with pods; `selected`: those of them that the set selects. */
function cloneSet(text: string, parts: Partial<PodOwner> = {}): { pods: Pod[]; owners: PodOwner[] } {
  const pods = podsOf(text, ['CloneSet', 'web']);
  const owner = { replicas: pods.length, maxUnavailable: 1, minReadySeconds: 0, ...parts };
  return { pods, owners: [{ uid: 'uid-web', name: 'CloneSet shop/web', pods, ...owner }] };
}

const full = (most: string, which?: string): string =>
  `CloneSet shop/web allows ${most}${which === undefined ? '' : `, and ${which}`}`;

describe('pods of a workload that this runtime manages', () => {
  test.each<[string, Given, string, Record<string, string>]>([
    [
      'as many as it allows',
      cloneSet('a b c', { maxUnavailable: 2 }),
      'ab',
      { c: full('2 unavailable pods', 'a and 1 more are changed first') },
    ],
    [
      'those that are not ready count',
      cloneSet('a! b c'),
      'a',
      { b: full('1 unavailable pod', 'a is unavailable'), c: full('1 unavailable pod', 'a is unavailable') },
    ],
    [
      'so do those that it drains',
      cloneSet('ad b'),
      'a',
      { b: full('1 unavailable pod', 'a is unavailable') },
    ],
    [
      'those that another set has changed, although their status is still ready',
      cloneSet('as b'),
      'a',
      { b: full('1 unavailable pod', 'a is unavailable') },
    ],
    [
      'those that are ready for too short a time',
      cloneSet('a~ b', { minReadySeconds: 10 }),
      'a',
      { b: full('1 unavailable pod', 'a is unavailable') },
    ],
    [
      'those that are missing',
      cloneSet('a b', { replicas: 3 }),
      '',
      {
        a: full('1 unavailable pod', '2 of 3 are available'),
        b: full('1 unavailable pod', '2 of 3 are available'),
      },
    ],
    [
      'those that are being deleted or have failed',
      cloneSet('at bf c d', { replicas: 3 }),
      'b',
      {
        c: full('1 unavailable pod', '2 of 3 are available'),
        d: full('1 unavailable pod', '2 of 3 are available'),
      },
    ],
    [
      'extra ones make up for others',
      cloneSet('a b! c', { replicas: 2 }),
      'ab',
      { c: full('1 unavailable pod', 'b is unavailable, and a is changed first') },
    ],
    ['it allows none', cloneSet('a', { maxUnavailable: 0 }), '', { a: full('0 unavailable pods') }],
    [
      'a reserved one is not touched, and counts',
      { ...cloneSet('a b c', { maxUnavailable: 2 }), reserved: 'b' },
      'a',
      {
        b: 'another update of it has begun',
        c: full('2 unavailable pods', 'b is unavailable, and a is changed first'),
      },
    ],
  ])('%s', (_, given, free, waiting) => {
    expect(decided(given)).toEqual({ free, waiting });
  });

  test('its pods that are not selected count, too', () => {
    const { owners } = cloneSet('a b! c');
    expect(decided({ pods: owners[0]?.pods.slice(0, 1) ?? [], owners })).toEqual({
      free: '',
      waiting: { a: full('1 unavailable pod', 'b is unavailable') },
    });
  });

  test('one that waits does not hold up the pods of others', () => {
    const { pods, owners } = cloneSet('a b', { maxUnavailable: 0 });
    const others = podsOf('c d', ['ReplicaSet', 'api']);
    expect(decided({ pods: [...pods, ...others], owners }).free).toBe('c');
  });
});

describe('pods of other controllers', () => {
  const replicaSet = (text: string): Pod[] => podsOf(text, ['ReplicaSet', 'web-1']);

  test.each<[string, Given, string]>([
    ['a quarter, rounded down', { pods: replicaSet('a b c d e f g h i') }, 'ab'],
    ['at least one', { pods: replicaSet('a b c') }, 'a'],
    ['also a single one', { pods: replicaSet('a') }, 'a'],
    ['those that are not ready count', { pods: replicaSet('a b! c') }, 'b'],
    ['reserved ones count', { pods: replicaSet('a b c'), reserved: 'c' }, ''],
    ['all of those that have no controller', { pods: podsOf('a b c') }, 'abc'],
    [
      'a budget in place of the quarter',
      { pods: replicaSet('a b c d e f g h'), budgets: [budgetOf({ maxUnavailable: 6 })] },
      'abcdef',
    ],
  ])('%s', (_, given, free) => {
    expect(decided(given).free).toBe(free);
  });

  test('the reason names the controller', () => {
    expect(decided({ pods: replicaSet('a! b') }).waiting).toEqual({
      b: 'ReplicaSet shop/web-1 allows 1 unavailable pod, and a is unavailable',
    });
  });
});

describe('pods of a Deployment that is known', () => {
  const eight = podsOfDeployment('a b c d e f g h');
  /** With eight replicas; `existing`: how many pods it has, selected or not. */
  const rolling = (
    maxUnavailable: number | string,
    more: JsonObject = {},
    existing = Number(more['replicas'] ?? 8),
  ): KubeObject[] => [
    deploymentOf(
      { replicas: 8, strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable } }, ...more },
      { replicas: existing },
    ),
  ];

  test.each<[string, Given, string]>([
    ['as many as it allows', { pods: eight, configs: rolling(4) }, 'abcd'],
    ['fewer than a quarter', { pods: eight, configs: rolling(1) }, 'a'],
    ['a percentage of its replicas, rounded down', { pods: eight, configs: rolling('45%') }, 'abc'],
    ['at least one: an update in place has no surge', { pods: eight, configs: rolling(0) }, 'a'],
    ['its default is a quarter', { pods: eight, configs: [deploymentOf({ replicas: 8 })] }, 'ab'],
    [
      'those that are not ready count',
      { pods: podsOfDeployment('a! b c'), configs: rolling(2, { replicas: 3 }) },
      'ab',
    ],
    [
      'its minReadySeconds count',
      { pods: podsOfDeployment('a~ b c'), configs: rolling(2, { replicas: 3, minReadySeconds: 10 }) },
      'ab',
    ],
    [
      'the pods of all of its ReplicaSets count together',
      {
        pods: [...podsOfDeployment('a b c'), ...podsOfDeployment('d e f', '77c4')],
        configs: rolling(2, { replicas: 6 }),
      },
      'ab',
    ],
    [
      'those that are missing count, as under a quota',
      { pods: podsOfDeployment('a b c d'), configs: rolling('25%', { replicas: 40 }, 4) },
      '',
    ],
    [
      'so do those that are being deleted, while its status is late',
      { pods: podsOfDeployment('at bt c d e f g h'), configs: rolling('25%') },
      '',
    ],
    [
      'a surge pod that fails takes no room',
      { pods: podsOfDeployment('a! b c d e f g h i'), configs: rolling(0, { replicas: 8 }, 9) },
      'ab',
    ],
    [
      'an extra one makes up for another',
      { pods: podsOfDeployment('a b! c d e f g h i'), configs: rolling(1) },
      'ab',
    ],
    [
      'where only some are selected, its share of those',
      { pods: podsOfDeployment('a b c d'), configs: rolling('50%') },
      'ab',
    ],
    [
      'where only some are selected, those of them that are not ready count',
      { pods: podsOfDeployment('a! b c d'), configs: rolling('50%') },
      'ab',
    ],
    [
      'one that recreates says nothing of a few',
      { pods: eight, configs: [deploymentOf({ replicas: 8, strategy: { type: 'Recreate' } })] },
      'ab',
    ],
    [
      'another of that name in another namespace',
      {
        pods: eight,
        configs: rolling(4).map((each) => ({ ...each, metadata: { name: 'web', namespace: 'x' } })),
      },
      'ab',
    ],
    [
      'a budget limits them, too',
      { pods: eight, configs: rolling(4), budgets: [budgetOf({ maxUnavailable: 1 })] },
      'a',
    ],
    [
      'within a budget that allows more',
      { pods: eight, configs: rolling(1), budgets: [budgetOf({ maxUnavailable: 4 })] },
      'a',
    ],
  ])('%s', (_, given, free) => {
    expect(decided(given).free).toBe(free);
  });

  test('the reason names it', () => {
    expect(decided({ pods: podsOfDeployment('a! b'), configs: rolling(1, { replicas: 2 }) }).waiting).toEqual(
      {
        b: 'Deployment shop/web allows 1 unavailable pod, and a is unavailable',
      },
    );
  });

  test('the reason names those that take all that it allows, however many are available', () => {
    expect(decided({ pods: eight, configs: rolling(2) }).waiting['c']).toBe(
      'Deployment shop/web allows 2 unavailable pods, and a and 1 more are changed first',
    );
  });

  test('the reason counts where pods are missing', () => {
    const configs = rolling(1, { replicas: 3 }, 2);
    expect(decided({ pods: podsOfDeployment('a b'), configs }).waiting['a']).toBe(
      'Deployment shop/web allows 1 unavailable pod, and 2 of 3 are available',
    );
  });

  test('little of one is kept, whatever it contains, and limits the same', () => {
    const [whole] = rolling('45%', { minReadySeconds: 5, template: { spec: { containers: [] } } });
    if (whole === undefined) throw new Error('there is none');
    const kept = projectDeployment(whole);
    expect(decided({ pods: eight, configs: [kept] })).toEqual(decided({ pods: eight, configs: [whole] }));
    const large = 'x'.repeat(1_000_000);
    const padded = { ...whole, metadata: { ...whole.metadata, annotations: { large }, labels: { large } } };
    const [long] = rolling(`${'0'.repeat(1_000_000)}50%`, { paused: large, selector: { large } });
    for (const object of [padded, long ?? whole])
      expect(JSON.stringify(projectDeployment(object)).length).toBeLessThan(400);
  });

  test('which are read: each once', () => {
    const others = [...podsOfDeployment('i', '77c4'), ...podsOf('j', ['ReplicaSet', 'api'])];
    expect(deploymentsOf([...eight, ...others])).toEqual([{ namespace: 'shop', name: 'web' }]);
    const elsewhere = eight.map((pod) => ({ ...pod, metadata: { ...pod.metadata, namespace: 'blog' } }));
    expect(deploymentsOf([...eight, ...elsewhere])).toEqual([
      { namespace: 'shop', name: 'web' },
      { namespace: 'blog', name: 'web' },
    ]);
  });
});

describe('pods that a PodDisruptionBudget selects', () => {
  const web = ['ReplicaSet', 'web-1'] as const;
  const status = (fields: JsonObject): JsonObject => ({ observedGeneration: 2, ...fields });
  const of = (text: string, ...budget: Parameters<typeof budgetOf>): Given => ({
    pods: podsOf(text, web),
    budgets: [budgetOf(...budget)],
  });

  test.each<[string, Given, string]>([
    [
      'what its status wants healthy',
      of('a b c d', { minAvailable: 1 }, status({ desiredHealthy: 3, expectedPods: 4, currentHealthy: 4 })),
      'a',
    ],
    [
      'healthy ones are counted here: the status is late',
      of(
        'a! b c d',
        { minAvailable: 3 },
        status({ desiredHealthy: 3, expectedPods: 4, currentHealthy: 4, disruptionsAllowed: 1 }),
      ),
      'a',
    ],
    [
      'an old status does not count: a number',
      of('a b c d', { minAvailable: 2 }, { observedGeneration: 1, desiredHealthy: 4 }),
      'ab',
    ],
    ['an old status does not count: a percentage rounds up', of('a b c', { minAvailable: '50%' }), 'a'],
    ['an old status does not count: maxUnavailable', of('a b c d', { maxUnavailable: 1 }), 'a'],
    [
      'an old status does not count: a percentage of unavailable ones rounds up, too',
      of('a b c d', { maxUnavailable: '30%' }),
      'ab',
    ],
    [
      'a status that could not be computed does not count',
      of(
        'a b c d',
        { maxUnavailable: 1 },
        status({ desiredHealthy: 0, conditions: [{ type: 'DisruptionAllowed', reason: 'SyncFailed' }] }),
      ),
      'a',
    ],
    ['it allows none', of('a b', { maxUnavailable: 0 }), ''],
    ['it allows none, and broken ones are updated', of('a! b', { maxUnavailable: 0 }), 'a'],
    [
      'an evicted one counts until it is deleted',
      of(
        'a b c',
        { minAvailable: 2 },
        status({
          desiredHealthy: 2,
          expectedPods: 3,
          currentHealthy: 3,
          disruptedPods: { b: '2026-01-02T12:00:00Z' },
        }),
      ),
      '',
    ],
    [
      'healthy ones that are not observed count as far as the status proves them',
      of('a b', { minAvailable: 3 }, status({ desiredHealthy: 3, expectedPods: 4, currentHealthy: 4 })),
      'a',
    ],
    ['it takes the place of the quarter', of('a b c d', { minAvailable: 1 }), 'abc'],
    ['not for pods that it does not select', of('a b c d', { minAvailable: 1 }, {}, ['a', 'b']), 'ac'],
    [
      'also pods without controller',
      { pods: podsOf('a b c'), budgets: [budgetOf({ minAvailable: 2 })] },
      'a',
    ],
    [
      'it comes in addition to the workload',
      { ...cloneSet('a b c', { maxUnavailable: 2 }), budgets: [budgetOf({ minAvailable: 2 })] },
      'a',
    ],
    [
      'a pod that the workload counts as unavailable may be healthy for it',
      { ...cloneSet('a~ b', { minReadySeconds: 10 }), budgets: [budgetOf({ maxUnavailable: 0 })] },
      '',
    ],
  ])('%s', (_, given, free) => {
    expect(decided(given).free).toBe(free);
  });

  test('the reason names it', () => {
    expect(decided(of('a! b! c', { maxUnavailable: 1 })).waiting).toEqual({
      c: 'PodDisruptionBudget shop/web allows 1 unavailable pod, and a and 1 more are unavailable',
    });
  });

  test('one of another namespace selects nothing', () => {
    const budget = budgetOf({ maxUnavailable: 0 });
    const elsewhere = { ...budget, metadata: { ...budget.metadata, namespace: 'other' } };
    expect(decided({ pods: podsOf('a'), budgets: [elsewhere] }).free).toBe('a');
  });
});

test('without observed owners there is no limit, as in a forecast', () => {
  expect(podLimits({ pods: podsOf('a b'), now: NOW })).toBeUndefined();
});
