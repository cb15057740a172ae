import { expect, test } from 'vitest';
import { createInfluenceCache } from '../../runtime/observe/influences.ts';
import { targetKey } from '../../runtime/observe/target-key.ts';
import type { Json } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ActiveInfluence } from '../../semantics/influence/influence.ts';
import { podUnavailableBudgetKind } from '../../semantics/podunavailablebudget/kind.ts';
import { workloadSpreadKind } from '../../semantics/workloadspread/kind.ts';
import type { Pod } from '../../semantics/pod/types.ts';

const NOW = Date.UTC(2026, 0, 1);
const WEB = targetKey({ group: 'apps.kruise.io', kind: 'CloneSet' }, 'shop', 'app-7');

const budgetOf = (app: string): KubeObject => ({
  apiVersion: 'policy.kruise.io/v1beta1',
  kind: 'PodUnavailableBudget',
  metadata: { name: app, namespace: 'shop', uid: `uid-${app}`, generation: 1 },
  spec: { selector: { matchLabels: { app } }, maxUnavailable: 1 },
  status: {
    observedGeneration: 1,
    unavailableAllowed: 1,
    currentAvailable: 2,
    desiredAvailable: 1,
    totalReplicas: 2,
  },
});
const podOf = (app: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `${app}-x`, namespace: 'shop', uid: `uid-${app}-x`, labels: { app } },
  spec: { containers: [] },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
});

const SPREAD: KubeObject = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'WorkloadSpread',
  metadata: { name: 'web', namespace: 'shop', uid: 'uid-web-spread', generation: 1 },
  spec: {
    targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' },
    subsets: [{ name: 'a' }],
  },
};

/** A cache of these objects, and the names of those whose PodDisruptionBudget was looked up. */
function setup(budgets: readonly KubeObject[], { isListed = true, isServed = true } = {}) {
  const asked: string[] = [];
  const cache = createInfluenceCache({
    watched: () => [podUnavailableBudgetKind, workloadSpreadKind],
    isListed: () => isListed,
    isServed: () => isServed,
    isStub: () => false,
    guardOf({ metadata }) {
      asked.push(metadata.name);
      return 'none';
    },
    enqueue: () => {},
  });
  for (const budget of budgets)
    cache.file(budget === SPREAD ? workloadSpreadKind : podUnavailableBudgetKind, budget, false);
  return { on: cache.on(WEB, NOW), asked };
}

const NONE = { pods: [], nodes: undefined };
const HUNDRED = Array.from({ length: 100 }, (_, index) => budgetOf(`app-${index}`));

test('of the budgets of a namespace, the PodDisruptionBudget of the one is looked up that is about the pods', () => {
  const { on, asked } = setup(HUNDRED);
  expect(on()).toHaveLength(100);
  const limits = on().flatMap((each) => each.limitOf(podOf('app-7'), 'Update') ?? []);
  expect(limits.map(({ name, left }) => [name, left])).toEqual([['PodUnavailableBudget shop/app-7', 1]]);
  const made = on().map((each) => each.created(podOf('owner'), [podOf('app-8')], NONE));
  const linked = made.flat().filter((each) => 'pod' in each && each.pod.metadata.annotations !== undefined);
  expect(linked).toHaveLength(1);
  expect(asked).toEqual(['app-7', 'app-8']);
});

/** A reconcile of a hundred pods that wait would ask a hundred budgets about each. */
test('of the budgets of a namespace, those are asked about pods whose labels these have', () => {
  const named = (pods: readonly Pod[]): string[] =>
    setup(HUNDRED)
      .on(pods)
      .map(({ object }) => object.metadata.name);
  expect(named([podOf('app-7'), podOf('app-8'), podOf('app-7')])).toEqual(['app-7', 'app-8']);
  expect(named([podOf('web')])).toEqual([]);
});

/** A watch that ends and lists anew must not let new pods go anywhere meanwhile. */
test('while they are listed anew, no pod of a budget is disrupted, and new pods are placed by the WorkloadSpreads that were known', () => {
  const namesWith = (known: { isListed: boolean; isServed: boolean }): string[] =>
    setup([budgetOf('web'), SPREAD], known)
      .on()
      .map(({ object }) => object.metadata.name);
  expect(namesWith({ isListed: true, isServed: true })).toEqual(['web', 'web']);
  expect(namesWith({ isListed: false, isServed: true })).toEqual(['podunavailablebudgets', 'web']);
  expect(namesWith({ isListed: false, isServed: false })).toEqual([]);
});

const selectors: readonly Json[] = [
  { matchLabels: { app: 'a' } },
  { matchLabels: { app: 'a', tier: 'x' } },
  { matchExpressions: [{ key: 'app', operator: 'In', values: ['a'] }] },
  { matchExpressions: [{ key: 'app', operator: 'In', values: ['a', 'b'] }] },
  { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['a'] }] },
  { matchExpressions: [{ key: 'tier', operator: 'Exists' }] },
  { matchLabels: { app: 'b' }, matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] },
  // No server takes these, and a definition of others may.
  { matchLabels: { app: 1 } },
  { matchExpressions: { key: 'app' } },
  { matchExpressions: [{ key: 'app', operator: 'In', values: 'a' }] },
  {},
  null,
];
const byWorkload = { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web' };

test('no budget is left out that one of the pods is of, whatever names its pods', () => {
  const budgets = [...selectors.map((selector) => ({ selector })), { targetRef: byWorkload }].map(
    (spec, index) => ({ ...budgetOf(`b${index}`), spec: { ...spec, maxUnavailable: 1 } }),
  );
  const { on } = setup(budgets);
  const labels: Record<string, string>[] = ['', 'a', 'b'].flatMap((app) =>
    ['', 'x'].map((tier) => ({ ...(app !== '' && { app }), ...(tier !== '' && { tier }) })),
  );
  const owner = { ...byWorkload, uid: 'uid-web', controller: true };
  const pods = labels.flatMap((each, index): Pod[] => {
    const pod = podOf('any');
    const metadata = { ...pod.metadata, name: `p${index}`, labels: each };
    return [
      { ...pod, metadata },
      { ...pod, metadata: { ...metadata, name: `o${index}`, ownerReferences: [owner] } },
    ];
  });
  let found = 0;
  for (const among of [pods, ...pods.map((pod) => [pod])]) {
    const limitsOf = (influences: readonly ActiveInfluence[]): unknown[] =>
      among.map((pod) => influences.flatMap((each) => each.limitOf(pod, 'Update')?.name ?? []));
    expect(limitsOf(on(among))).toEqual(limitsOf(on()));
    found += limitsOf(on(among)).flat().length;
  }
  expect(found).toBeGreaterThan(50);
});
