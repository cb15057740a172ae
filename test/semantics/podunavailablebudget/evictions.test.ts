import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Action } from '../../../semantics/decision.ts';
import { budgetSelector } from '../../../semantics/limits/disruption-budgets.ts';
import { decideBudget } from '../../../semantics/podunavailablebudget/decide.ts';
import { RAISED_ANNOTATION } from '../../../semantics/podunavailablebudget/raised-for.ts';
import { raise } from '../../../semantics/podunavailablebudget/raised.ts';
import { isActive, isReady } from '../../../semantics/pod/readiness.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import * as fc from '../../property.ts';
import { ago, budget, NOW, pod, podsOfDeployment, SELECTOR, SHOP, workload } from './budgets.ts';

const REFERENCE = {
  apiVersion: 'policy.kruise.io/v1beta1',
  kind: 'PodUnavailableBudget',
  name: 'web',
  uid: 'uid-budget',
  controller: true,
};
const OF_OTHER = { ...REFERENCE, name: 'other', uid: 'uid-other' };

/** A PodDisruptionBudget; by default that of the budget. */
function guard(spec: JsonObject, metadata: object = {}): KubeObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: {
      name: 'web-evictions',
      namespace: SHOP,
      uid: 'uid-guard',
      resourceVersion: '9',
      creationTimestamp: ago(60),
      ownerReferences: [REFERENCE],
      ...metadata,
    },
    spec: { selector: SELECTOR, unhealthyPodEvictionPolicy: 'AlwaysAllow', ...spec },
  };
}

const raisedFor = (...names: string[]): object => ({
  annotations: {
    [RAISED_ANNOTATION]: JSON.stringify(Object.fromEntries(names.map((name) => [name, ago(1)]))),
  },
});

interface Parts {
  pods?: readonly Pod[];
  configs?: readonly KubeObject[];
  guards?: readonly KubeObject[] | undefined;
  takenNames?: ReadonlySet<string>;
}

function decided(target: KubeObject, { pods = three(), configs = [workload(3)], ...parts }: Parts = {}) {
  const { guards = [], takenNames = new Set<string>() } = parts;
  const disruptionBudgets =
    'guards' in parts && parts.guards === undefined ? {} : { disruptionBudgets: guards };
  const all = { target, pods, configs, takenNames, ...disruptionBudgets, now: NOW };
  return decideBudget(all, undefined);
}

const three = (): Pod[] => ['a', 'b', 'c'].map((name) => pod(name));
const isAboutGuard = ({ kind }: Action): boolean => kind === 'Child';

/** What is done about evictions, in words. */
function done(...given: Parameters<typeof decided>): unknown[] {
  return decided(...given)
    .actions.filter(isAboutGuard)
    .map((action) => {
      switch (action.do) {
        case 'create':
          return ['create', action.object.metadata.name, action.object['spec']];
        case 'patch':
          return ['patch', action.name, action.body['spec']];
        case 'delete':
        case 'reserve':
        case 'exec':
          return [action.do, action.name];
      }
    });
}

const whole = (limit: JsonObject, selector: JsonObject = SELECTOR): JsonObject => ({
  selector,
  unhealthyPodEvictionPolicy: 'AlwaysAllow',
  ...limit,
});
const created = (limit: JsonObject, selector?: JsonObject): unknown[] => [
  ['create', 'web-evictions', whole(limit, selector)],
];

describe('which PodDisruptionBudget a budget has', () => {
  test.each([
    ['the limit itself where every controller has a scale', {}, { maxUnavailable: 1 }],
    ['a percentage, too', { maxUnavailable: '30%' }, { maxUnavailable: '30%' }],
    ['minAvailable as it is', { minAvailable: 2 }, { minAvailable: 2 }],
    [
      'a number where the size is stated',
      { protectTotalReplicas: 10, maxUnavailable: '25%' },
      { minAvailable: 7 },
    ],
  ])('%s', (_title, spec, limit) => {
    expect(done(budget(spec))).toEqual(created(limit));
  });

  test.each([
    ['DaemonSet', 'apps/v1'],
    ['BroadcastJob', 'apps.kruise.io/v1beta1'],
  ])('a number where a %s has no scale', (kind, apiVersion) => {
    const pods = ['a', 'b', 'c'].map((name) => pod(name, { owner: [apiVersion, kind, 'web'] }));
    expect(done(budget({ minAvailable: 2 }), { pods, configs: [] })).toEqual(created({ minAvailable: 2 }));
    expect(done(budget({ minAvailable: '50%', protectTotalReplicas: 3 }), { pods, configs: [] })).toEqual(
      created({ minAvailable: 2 }),
    );
  });

  test.each([
    ['finished', { phase: 'Succeeded' }],
    ['being deleted', { metadata: { deletionTimestamp: ago(1) } }],
  ])('a number where a pod without a scale is %s, as it is looked at, too', (_is, parts) => {
    const job = pod('job', { owner: ['batch/v1', 'Job', 'once'], ...parts });
    expect(done(budget(), { pods: [...three(), job] })).toEqual(created({ minAvailable: 2 }));
  });

  test('pods of nobody', () => {
    const pods = ['a', 'b'].map((name) => pod(name, { owner: null }));
    expect(done(budget({ protectTotalReplicas: 2 }), { pods, configs: [] })).toEqual(
      created({ minAvailable: 1 }),
    );
  });

  test('none must stay of a workload that has ended', () => {
    expect(done(budget(), { configs: [] })).toEqual(created({ minAvailable: 0 }));
  });

  test('of one workload: the labels that it selects', () => {
    const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'one' };
    const selector = { matchLabels: { app: 'web', of: 'one' } };
    const deployment = workload(2, ['apps/v1', 'Deployment', 'one']);
    const pods = podsOfDeployment('one', 2).map((each) => ({
      ...each,
      metadata: { ...each.metadata, labels: { ...each.metadata.labels, of: 'one' } },
    }));
    const configs = [{ ...deployment, spec: { replicas: 2, selector } }];
    expect(done(budget({ targetRef }), { pods, configs })).toEqual(created({ maxUnavailable: 1 }, selector));
  });

  test('none where the labels of the workload are unknown, which is said', () => {
    const targetRef = { apiVersion: 'example.com/v1', kind: 'Game', name: 'web' };
    const pods = ['a', 'b', 'c'].map((name) => pod(name, { owner: ['example.com/v1', 'Game', 'web'] }));
    const found = decided(budget({ targetRef, protectTotalReplicas: 3 }), { pods, guards: [guard({})] });
    expect(found.actions.filter(isAboutGuard)).toMatchObject([{ do: 'delete', name: 'web-evictions' }]);
    expect(found.events).toContainEqual(expect.objectContaining({ reason: 'EvictionsNotLimited' }));
  });

  test('without ignored pods, where one term selects them', () => {
    const [selector, pods] = [
      { matchLabels: { tier: 'test' } },
      [pod('t', { labels: { tier: 'test' } }), ...three()],
    ];
    const expected = {
      ...SELECTOR,
      matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['test'] }],
    };
    // Of four of which three must be available, one is not among those that it selects.
    expect(done(budget({ ignoredPodSelector: selector }), { pods, configs: [workload(4)] })).toEqual(
      created({ minAvailable: 2 }, expected),
    );
    const two = { matchLabels: { tier: 'test', of: 'x' } };
    expect(done(budget({ ignoredPodSelector: two }))).toEqual(created({ maxUnavailable: 1 }));
  });

  test.each([
    ['it does not protect from evictions', budget({ protectOperations: ['DELETE'] })],
    ['it selects other pods now', budget({ ignoredPodSelector: { matchLabels: { tier: 'test' } } })],
  ])('the present one goes: %s', (_title, target) => {
    expect(done(target, { guards: [guard({ maxUnavailable: 1 })] })).toEqual([['delete', 'web-evictions']]);
  });

  test('nothing is decided where they are not observed', () => {
    expect(done(budget(), { guards: undefined })).toEqual([]);
  });

  test('a name that is taken, and one that is too long', () => {
    const [name, taken] = ['x'.repeat(253), new Set(['web-evictions'])];
    const names = [done(budget(), { takenNames: taken }), done(budget({}, {}, { name }), {})].map(
      ([first]) => (first as string[])[1] ?? '',
    );
    expect(names[0]).toMatch(/^web-evictions-[a-z0-9]{5}$/);
    expect([names[1]?.length, names[1]]).toEqual([253, expect.stringMatching(/^x+-evictions-[a-z0-9]{5}$/)]);
  });
});

describe('at most one of them selects a pod: two would make every eviction fail', () => {
  const users = (selector: JsonObject): KubeObject =>
    guard({ selector, minAvailable: 1 }, { name: 'users', uid: 'uid-users', ownerReferences: [] });

  test.each([
    ['the same labels', SELECTOR, true],
    ['every pod', {}, true],
    ['one of the pods', { matchExpressions: [{ key: 'role', operator: 'Exists' }] }, true],
    ['pods that do not exist', { matchLabels: { role: 'other' } }, false],
    ['other labels', { matchLabels: { app: 'db' } }, false],
  ])('where that of somebody else selects %s', (_title, selector, isOther) => {
    const pods = [pod('a', { labels: { role: 'leader' } }), pod('b'), pod('c')];
    const own = guard({ maxUnavailable: 1 });
    expect(done(budget(), { pods, guards: [own, users(selector)] })).toEqual(
      isOther ? [['delete', 'web-evictions']] : [],
    );
    expect(done(budget(), { pods, guards: [users(selector)] })).toHaveLength(isOther ? 0 : 1);
    const events = decided(budget(), { pods, guards: [users(selector)] }).events ?? [];
    expect(events.map(({ message }) => message)).toEqual(
      isOther ? ['evictions go by PodDisruptionBudget users, which selects pod a'] : [],
    );
  });

  test.each([
    ['some of the pods with the labels of a workload', { app: 'web', track: 'canary' }, true],
    ['pods that may have these labels', { track: 'canary' }, false],
    ['other labels', { app: 'db' }, false],
  ])(
    'where that of somebody else selects %s, whose pods are not observed',
    (_title, matchLabels, isOther) => {
      const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'one' };
      const deployment = workload(3, ['apps/v1', 'Deployment', 'one']);
      const configs = [{ ...deployment, spec: { replicas: 3, selector: SELECTOR } }];
      const pods = podsOfDeployment('one', 3);
      const given = { pods, configs, guards: [users({ matchLabels })] };
      expect(done(budget({ targetRef }), given)).toHaveLength(isOther ? 0 : 1);
      const events = decided(budget({ targetRef }), given).events ?? [];
      expect(events.map(({ message }) => message)).toEqual(
        isOther
          ? [
              'evictions go by PodDisruptionBudget users, which selects pods of others with the labels of its workload',
            ]
          : [],
      );
    },
  );

  test('that of another budget counts if it was there before', () => {
    const of = (seconds: number, name = 'other'): KubeObject =>
      guard({}, { name, uid: name, ownerReferences: [OF_OTHER], creationTimestamp: ago(seconds) });
    const own = guard({ maxUnavailable: 1 });
    const left = (other: KubeObject): unknown => done(budget(), { guards: [own, other] });
    expect(left(of(90))).toEqual([['delete', 'web-evictions']]);
    expect(left(of(30))).toEqual([]);
    expect([left(of(60)), left(of(60, 'zz'))]).toEqual([[['delete', 'web-evictions']], []]);
    expect(done(budget(), { guards: [of(30)] })).toEqual([]);
  });

  test('a second one of the same budget goes', () => {
    const second = guard({ maxUnavailable: 1 }, { name: 'zz', uid: 'uid-zz' });
    expect(done(budget(), { guards: [guard({ maxUnavailable: 1 }), second] })).toEqual([['delete', 'zz']]);
  });
});

describe('while slots are taken', () => {
  const counts = { unavailableAllowed: 1, currentAvailable: 3, desiredAvailable: 2, totalReplicas: 3 };
  const entered = (map: string, name: string, seconds: number): KubeObject =>
    budget({}, { ...counts, [map]: { [name]: ago(seconds) } });

  test('it is raised by their number before, once for each pod, and not for pods that count for none', () => {
    const target = budget({}, counts);
    const pods = [pod('a'), pod('b', { isReady: false }), pod('x', { labels: { app: 'db' } })];
    const disrupted = pods.map((each) => ({ pod: each, how: 'Update' as const }));
    const first = raise(target, guard({ maxUnavailable: 1 }), disrupted, NOW);
    expect(first).toEqual({
      metadata: { annotations: { [RAISED_ANNOTATION]: JSON.stringify({ a: ago(0) }) } },
      spec: { minAvailable: 3, maxUnavailable: null },
    });
    const raised = guard({ minAvailable: 3 }, raisedFor('a'));
    expect(raise(target, raised, disrupted, NOW)).toBeUndefined();
    const more = [...disrupted, { pod: pod('c'), how: 'Delete' as const }];
    expect(raise(target, raised, more, NOW)).toMatchObject({ spec: { minAvailable: 4 } });
  });

  test.each([
    ['nearly over', { a: ago(6) }, 600],
    ['of another pod of that name', { a: ago(2) }, 1],
  ])('it is raised again for a pod of which the time is %s', (_title, times, age) => {
    const raised = guard(
      { minAvailable: 3 },
      { annotations: { [RAISED_ANNOTATION]: JSON.stringify(times) } },
    );
    const disrupted = [{ pod: pod('a', { createdAt: ago(age) }), how: 'Update' as const }];
    expect(raise(budget({}, counts), raised, disrupted, NOW)).toMatchObject({
      metadata: { annotations: { [RAISED_ANNOTATION]: JSON.stringify({ a: ago(0) }) } },
      spec: { minAvailable: 4 },
    });
  });

  test('it stays raised before the slot is observed, and until it ends', () => {
    const raised = guard({ minAvailable: 3 }, raisedFor('a'));
    const unseen = decided(budget({}, counts), { guards: [raised] });
    expect([unseen.actions.filter(isAboutGuard), unseen.requeueAt]).toEqual([[], NOW + 9_000]);
    expect(done(entered('unavailablePods', 'a', 9), { guards: [raised] })).toEqual([]);
    expect(done(entered('disruptedPods', 'a', 19), { guards: [raised] })).toEqual([]);
    const late = guard({ minAvailable: 3 }, { annotations: { [RAISED_ANNOTATION]: `{"a":"${ago(11)}"}` } });
    expect(done(budget({}, counts), { guards: [late] })).toEqual([
      ['patch', 'web-evictions', { minAvailable: null, maxUnavailable: 1 }],
    ]);
  });

  test('it is lowered when the pod is unavailable, or gone', () => {
    const raised = guard({ minAvailable: 3 }, raisedFor('a'));
    const lowered = [['patch', 'web-evictions', { minAvailable: null, maxUnavailable: 1 }]];
    const target = entered('unavailablePods', 'a', 1);
    const [, ...others] = three();
    const left = (more: readonly Pod[]): unknown =>
      done(target, { pods: [...others, ...more], guards: [raised] });
    expect([left([pod('d')]), left([pod('d'), pod('a', { isReady: false })])]).toEqual([lowered, lowered]);
    // Where no pod may go anyway, it is lowered when the slot has ended.
    expect([left([]), left([pod('a', { isReady: false })])]).toEqual([lowered, []]);
  });

  test('a pod that is back and keeps its slot counts for no eviction', () => {
    expect(done(entered('unavailablePods', 'a', 1), { guards: [guard({ maxUnavailable: 1 })] })).toEqual([
      ['patch', 'web-evictions', { minAvailable: 3, maxUnavailable: null }],
    ]);
  });

  test('a slot that the webhook has taken for an eviction is left to it', () => {
    expect(done(entered('disruptedPods', 'a', 1), { guards: [guard({ maxUnavailable: 1 })] })).toEqual([]);
  });

  test('an annotation that cannot be read names no pod', () => {
    for (const text of ['{', '[]', '{"a":1}', 'null'])
      expect(
        done(budget({}, counts), {
          guards: [guard({ maxUnavailable: 1 }, { annotations: { [RAISED_ANNOTATION]: text } })],
        }),
      ).toEqual([]);
  });
});

/** How many evictions the disruption controller allows, by the number that must be available. */
function allowedBy(object: KubeObject, pods: readonly Pod[]): number {
  const isSelected = budgetSelector(object);
  const healthy = pods.filter((each) => isActive(each) && isReady(each) && isSelected(each)).length;
  const { minAvailable } = objectOf(object['spec']);
  if (typeof minAvailable !== 'number') throw new Error('it is no number');
  return Math.max(healthy - minAvailable, 0);
}

test('evictions are allowed as often as the budget allows, and the places that evictions have', () => {
  const state = fc.constantFrom('ready', 'broken', 'labeled', 'changing', 'evicted', 'ignored', 'raised');
  const cases = fc.record({
    states: fc.array(state, { minLength: 1, maxLength: 12 }),
    limit: fc.nat(4),
  });
  fc.assert(
    fc.property(cases, ({ states, limit }) => {
      const pods = states.map((each, index) =>
        pod(`${each}-${index}`, {
          isReady: each !== 'broken',
          labels: {
            ...(each === 'labeled' && { 'unavailable-pod.kruise.io/x': '' }),
            ...(each === 'ignored' && { tier: 'test' }),
          },
        }),
      );
      const named = (of: string): Record<string, string> =>
        Object.fromEntries(
          pods.flatMap(({ metadata: { name } }) => (name.startsWith(of) ? [[name, ago(1)]] : [])),
        );
      const names = Object.keys(named('raised'));
      const target = budget(
        {
          maxUnavailable: limit,
          protectTotalReplicas: states.length,
          ignoredPodSelector: { matchLabels: { tier: 'test' } },
        },
        { unavailablePods: named('changing'), disruptedPods: named('evicted') },
      );
      const selector = {
        ...SELECTOR,
        matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['test'] }],
      };
      const before = guard({ selector, minAvailable: 0 }, raisedFor(...names));
      const { actions, status } = decided(target, { pods, configs: [], guards: [before] });
      const change = actions.find(isAboutGuard);
      const spec = change?.do === 'patch' ? objectOf(change.body['spec']) : {};
      const after = guard({ selector, minAvailable: 0, ...spec });
      const evicted = states.filter((each) => each === 'evicted').length;
      const most = status.unavailableAllowed + evicted;
      // Those that it is raised for are counted as available until their slots are observed.
      if (status.desiredAvailable === 0) return;
      expect(allowedBy(after, pods)).toBeLessThanOrEqual(most);
      if (names.length === 0 && status.unavailableAllowed > 0) {
        const ignored = states.filter((each) => each === 'ignored').length;
        expect(allowedBy(after, pods)).toBe(
          Math.min(most, states.filter((s) => s !== 'broken').length - ignored),
        );
      }
    }),
  );
});
