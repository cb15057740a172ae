import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { budgetInfluence } from '../../../semantics/podunavailablebudget/influence.ts';
import { decideBudget } from '../../../semantics/podunavailablebudget/decide.ts';
import { RAISED_ANNOTATION } from '../../../semantics/podunavailablebudget/raised-for.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { ago, budget, FULL, NOW, OPEN, pod, SELECTOR, SHOP, workload } from './budgets.ts';

/** The PodDisruptionBudget of the budget, raised for pods since so many seconds. */
function guard(spec: JsonObject, status: JsonObject, raised: Record<string, number> = {}): KubeObject {
  const times = Object.entries(raised).map(([name, seconds]) => [name, ago(seconds)] as const);
  const reference = {
    apiVersion: 'policy.kruise.io/v1beta1',
    kind: 'PodUnavailableBudget',
    name: 'web',
    uid: 'uid-budget',
    controller: true,
  };
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: {
      name: 'web-evictions',
      namespace: SHOP,
      uid: 'uid-guard',
      resourceVersion: '9',
      generation: 2,
      creationTimestamp: ago(60),
      ownerReferences: [reference],
      ...(times.length > 0 && {
        annotations: { [RAISED_ANNOTATION]: JSON.stringify(Object.fromEntries(times)) },
      }),
    },
    spec: { selector: SELECTOR, unhealthyPodEvictionPolicy: 'AlwaysAllow', ...spec },
    status,
  };
}

/** What the disruption controller says of three healthy pods of which two must be available. */
const COUNTED = { observedGeneration: 2, currentHealthy: 3, desiredHealthy: 2, disruptionsAllowed: 1 };
/** The status of a budget of which two slots are left. */
const TWO = { unavailableAllowed: 2, desiredAvailable: 1 };
const LIMIT = { maxUnavailable: 1 };

describe('a slot that an eviction was granted is not left, before the budget has counted it', () => {
  const limit = (of: KubeObject, status: JsonObject = {}) =>
    budgetInfluence.onDisrupt(budget({}, { ...OPEN, ...status }), NOW, of)?.limit;
  const evicted = { ...COUNTED, disruptionsAllowed: 0, disruptedPods: { q: ago(1) } };

  test.each<[string, KubeObject, JsonObject, number]>([
    ['nothing is evicted', guard(LIMIT, COUNTED), {}, 1],
    ['its pod is still there', guard(LIMIT, evicted), {}, 0],
    ['one of two', guard(LIMIT, { ...evicted, desiredHealthy: 1, disruptionsAllowed: 1 }), TWO, 1],
    ['it has its slot', guard({ minAvailable: 1 }, evicted), { disruptedPods: { q: ago(1) } }, 1],
    [
      'the disruption controller has seen its pod go',
      guard(LIMIT, { ...COUNTED, currentHealthy: 2, disruptionsAllowed: 0 }),
      {},
      0,
    ],
    [
      'it is raised, which is not observed yet',
      guard({ minAvailable: 3 }, { ...COUNTED, observedGeneration: 1 }),
      {},
      0,
    ],
    ['a raise for a slot that was refused', guard({ minAvailable: 3 }, COUNTED, { a: 1 }), {}, 1],
    ['such a raise of long ago', guard({ minAvailable: 3 }, COUNTED, { a: 6 }), {}, 0],
    [
      'it was lowered, which is not observed yet',
      guard({ minAvailable: 2 }, { ...COUNTED, desiredHealthy: 3, disruptionsAllowed: 0 }),
      {},
      1,
    ],
    ['it counts nothing yet', guard(LIMIT, {}), {}, 1],
    [
      'it cannot count',
      guard(LIMIT, {
        ...COUNTED,
        disruptionsAllowed: 0,
        conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed' }],
      }),
      {},
      1,
    ],
    [
      'others are available that it does not select',
      guard({ minAvailable: 0 }, { ...COUNTED, currentHealthy: 0 }),
      {},
      1,
    ],
  ])('%s', (_title, of, status, left) => {
    expect(limit(of, status)?.left).toBe(left);
  });

  test('the reason names it', () => {
    expect(limit(guard(LIMIT, evicted))?.unavailable).toEqual(['q']);
    expect(limit(guard({ minAvailable: 3 }, COUNTED), FULL)?.name).toBe('PodUnavailableBudget shop/web');
    expect(limit(guard({ minAvailable: 3 }, COUNTED))?.name).toBe(
      'PodUnavailableBudget shop/web, of which PodDisruptionBudget web-evictions has 0 left,',
    );
  });
});

describe('it is lowered when the disruption controller has seen the pod go, too', () => {
  const lowered = (pods: readonly Pod[], status: JsonObject, seconds = 1): boolean => {
    const raised = guard({ minAvailable: 3 }, status, { a: seconds });
    const target = budget({}, OPEN);
    const { actions } = decideBudget(
      { target, pods, configs: [workload(3)], disruptionBudgets: [raised], now: NOW },
      undefined,
    );
    return actions.some(({ kind, do: what }) => kind === 'Child' && what === 'patch');
  };
  const [b, c] = ['b', 'c'].map((name) => pod(name)) as [Pod, Pod];
  const AT_THREE = { ...COUNTED, desiredHealthy: 3, disruptionsAllowed: 0 };

  test.each<[string, JsonObject, number, boolean]>([
    ['it still counts it', AT_THREE, 1, false],
    ['it counts without it', { ...AT_THREE, currentHealthy: 2 }, 1, true],
    [
      'it has not observed the present spec',
      { ...AT_THREE, currentHealthy: 2, observedGeneration: 1 },
      1,
      false,
    ],
    [
      'it does not count the evicted one alone',
      { ...AT_THREE, currentHealthy: 2, disruptedPods: { b: ago(1) } },
      1,
      false,
    ],
    ['it still counts it after its time', AT_THREE, 10, true],
    ['it counts nothing', {}, 1, true],
  ])('%s', (_title, status, seconds, expected) => {
    expect(lowered([pod('a', { isReady: false }), b, c], status, seconds)).toBe(expected);
    expect(lowered([b, c], status, seconds)).toBe(expected);
    // A StatefulSet makes one of the same name.
    expect(lowered([pod('a', { createdAt: ago(0), isReady: false }), b, c], status, seconds)).toBe(expected);
  });
});
