import { expect, test } from 'vitest';
import { createInfluenceCache } from '../../runtime/observe/influences.ts';
import { targetKey } from '../../runtime/observe/target-key.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { podUnavailableBudgetKind } from '../../semantics/podunavailablebudget/kind.ts';
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

test('of the budgets of a namespace, the PodDisruptionBudget of the one is looked up that is about the pods', () => {
  const asked: string[] = [];
  const cache = createInfluenceCache({
    watched: () => [podUnavailableBudgetKind],
    isListed: () => true,
    isServed: () => true,
    isStub: () => false,
    guardOf({ metadata }) {
      asked.push(metadata.name);
      return 'none';
    },
    enqueue: () => {},
  });
  for (let index = 0; index < 100; index++)
    cache.file(podUnavailableBudgetKind, budgetOf(`app-${index}`), false);
  const found = cache.on(WEB, NOW);
  expect(found.map(({ object }) => object.metadata.name)).toHaveLength(100);
  const limits = found.flatMap((each) => each.limitOf(podOf('app-7'), 'Update') ?? []);
  expect(limits.map(({ name, left }) => [name, left])).toEqual([['PodUnavailableBudget shop/app-7', 1]]);
  const made = found.map((each) => each.created(podOf('owner'), [podOf('app-8')], []));
  expect(made.filter(([first]) => first?.pod.metadata.annotations !== undefined)).toHaveLength(1);
  expect(asked).toEqual(['app-7', 'app-8']);
});
