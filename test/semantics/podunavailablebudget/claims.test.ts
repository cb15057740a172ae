import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { decideBudget } from '../../../semantics/podunavailablebudget/decide.ts';
import { budgetInfluence } from '../../../semantics/podunavailablebudget/influence.ts';
import { RAISED_ANNOTATION } from '../../../semantics/podunavailablebudget/raised-for.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { ago, budget, FULL, NOW, OPEN, pod, SELECTOR, SHOP, workload } from './budgets.ts';

/** The PodDisruptionBudget of the budget, which keeps slots for pods since so many seconds; less than none: for as long from now. */
const guard = (
  spec: JsonObject = { maxUnavailable: 1 },
  kept: Record<string, number> = {},
  status: JsonObject = {},
): KubeObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: {
    name: 'web-evictions',
    namespace: SHOP,
    uid: 'uid-guard',
    resourceVersion: '9',
    generation: 1,
    ownerReferences: [
      {
        apiVersion: 'policy.kruise.io/v1beta1',
        kind: 'PodUnavailableBudget',
        name: 'web',
        uid: 'uid-budget',
        controller: true,
      },
    ],
    annotations: raisedFor(kept),
  },
  spec: { selector: SELECTOR, unhealthyPodEvictionPolicy: 'AlwaysAllow', ...spec },
  status: { observedGeneration: 1, currentHealthy: 3, desiredHealthy: 2, disruptionsAllowed: 1, ...status },
});

function raisedFor(kept: Record<string, number>): Record<string, string> {
  const times = Object.entries(kept).map(([name, seconds]) => [name, ago(seconds)] as const);
  return times.length === 0 ? {} : { [RAISED_ANNOTATION]: JSON.stringify(Object.fromEntries(times)) };
}

const waiting = pod('a');
/** One that an eviction has deleted. */
const EVICTED = pod('e', { metadata: { deletionTimestamp: ago(1) }, target: 'EvictionByEvictionAPI' });
const LATER = -50;

describe('the next slot is kept for a pod that waits', () => {
  const claimed = (of: KubeObject, by: KubeObject = guard(), one: Pod = waiting, pods = [EVICTED]) =>
    budgetInfluence.claim(of, by, one, pods, NOW);
  const full = budget({}, FULL);

  test('for a minute, by one more that must be available', () => {
    const kept = { metadata: { annotations: raisedFor({ a: LATER }) } };
    expect(claimed(full)).toEqual({ ...kept, spec: { minAvailable: 3, maxUnavailable: null } });
    expect(claimed(full, guard({ minAvailable: 5 }))).toMatchObject({ spec: { minAvailable: 6 } });
    expect(claimed(full, guard({ minAvailable: 2 }, { gone: 30 }))).toMatchObject({
      metadata: { annotations: raisedFor({ gone: 30, a: LATER }) },
    });
  });

  test('while evictions go on: one is granted, or its pod is still there', () => {
    const granted = guard({ maxUnavailable: 1 }, {}, { disruptedPods: { e: ago(1) } });
    const drained = pod('e', { target: 'DeletionByTaintManager' });
    expect(claimed(full, granted, waiting, [])).toBeDefined();
    expect(claimed(full, guard(), waiting, [pod('b'), EVICTED])).toBeDefined();
    expect(claimed(full, guard(), waiting, [pod('b'), drained])).toBeUndefined();
  });

  test.each<[string, KubeObject, KubeObject?, Pod?]>([
    ['one that the runtime took is in use', budget({}, { ...FULL, unavailablePods: { b: ago(1) } })],
    ['likewise, for a deletion', budget({}, { ...FULL, disruptedPods: { b: ago(1) } })],
    ['it is kept already', full, guard({ minAvailable: 3 }, { a: LATER })],
    ['it is kept for another one', full, guard({ minAvailable: 3 }, { b: LATER })],
    ['there will never be one', budget({}, { ...FULL, desiredAvailable: 3 })],
    ['its pods are not counted yet', budget({}, { ...FULL, observedGeneration: 0 })],
    ['the pod is not ready', full, guard(), pod('a', { isReady: false })],
    ['evictions of the pod go by no budget', full, guard(), pod('a', { labels: { app: 'other' } })],
  ])('not while %s', (_title, of, by, one) => {
    expect(claimed(of, by, one)).toBeUndefined();
  });

  test('it stays raised while the pod waits, and is lowered after that', () => {
    const patches = (kept: Record<string, number>) =>
      decideBudget(
        {
          target: budget({}, OPEN),
          pods: [waiting, pod('b'), pod('c')],
          configs: [workload(3)],
          disruptionBudgets: [guard({ minAvailable: 3 }, kept)],
          now: NOW,
        },
        undefined,
      ).actions.filter((action) => action.kind === 'Child');
    expect(patches({ a: LATER })).toEqual([]);
    expect(patches({ a: 11 })).toMatchObject([{ do: 'patch', body: { spec: { maxUnavailable: 1 } } }]);
  });

  test('it is left to the runtime, and used by a write of the version that was seen', () => {
    const by = guard({ minAvailable: 3 }, { a: LATER });
    const open = budget({}, OPEN);
    expect(budgetInfluence.onDisrupt(open, NOW, by)?.limit.left).toBe(1);
    expect(budgetInfluence.raise(open, by, [{ pod: waiting, how: 'Update' }], NOW)).toEqual({
      metadata: { annotations: raisedFor({ a: 0 }) },
      spec: { minAvailable: 3, maxUnavailable: null },
    });
  });
});
