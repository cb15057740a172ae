import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { decideBudget } from '../../../semantics/podunavailablebudget/decide.ts';
import { budgetInfluence } from '../../../semantics/podunavailablebudget/influence.ts';
import { RESTS_ANNOTATION, RAISED_ANNOTATION } from '../../../semantics/podunavailablebudget/raised-for.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { ago, budget, FULL, NOW, OPEN, pod, SELECTOR, SHOP, workload } from './budgets.ts';

/**
 * The PodDisruptionBudget of the budget, which keeps slots for pods since so many seconds; less than none: for as long from now.
 *
 * @param until how many seconds ago the rest after the last claim has ended
 */
const guard = (
  spec: JsonObject = { maxUnavailable: 1 },
  kept: Record<string, number> = {},
  status: JsonObject = {},
  until?: number,
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
    annotations: { ...raisedFor(kept), ...(until !== undefined && { [RESTS_ANNOTATION]: ago(until) }) },
  },
  spec: { selector: SELECTOR, unhealthyPodEvictionPolicy: 'AlwaysAllow', ...spec },
  status: { observedGeneration: 1, currentHealthy: 3, desiredHealthy: 2, disruptionsAllowed: 1, ...status },
});

function raisedFor(kept: Record<string, number>): Record<string, string> {
  const times = Object.entries(kept).map(([name, seconds]) => [name, ago(seconds)] as const);
  return times.length === 0 ? {} : { [RAISED_ANNOTATION]: JSON.stringify(Object.fromEntries(times)) };
}

const waiting = pod('a');
/** One that an eviction has deleted so many seconds ago. */
const evicted = (seconds: number, name = 'e'): Pod =>
  pod(name, {
    metadata: { deletionTimestamp: ago(seconds) },
    target: 'EvictionByEvictionAPI',
    targetSince: ago(seconds),
  });
const EVICTED = evicted(1);
const LATER = -50;
/** A claim that begins now lasts for a minute, and is followed by a rest. */
const CLAIMED = { [RESTS_ANNOTATION]: ago(-120) };

describe('the next slot is kept for a pod that waits', () => {
  const claimed = (of: KubeObject, by: KubeObject = guard(), one: Pod = waiting, pods = [EVICTED]) =>
    budgetInfluence.claim(of, by, one, pods, NOW);
  const full = budget({}, FULL);

  test('for a minute, by one more that must be available', () => {
    const kept = { metadata: { annotations: { ...raisedFor({ a: LATER }), ...CLAIMED } } };
    expect(claimed(full)).toEqual({ ...kept, spec: { minAvailable: 3, maxUnavailable: null } });
    expect(claimed(full, guard({ minAvailable: 5 }))).toMatchObject({ spec: { minAvailable: 6 } });
    expect(claimed(full, guard({ minAvailable: 2 }, { gone: 30 }))).toMatchObject({
      metadata: { annotations: raisedFor({ gone: 30, a: LATER }) },
    });
  });

  test('while evictions go on: one is granted, or its pod is still there', () => {
    const granted = guard({ maxUnavailable: 1 }, {}, { disruptedPods: { e: ago(1) } });
    const drained = pod('e', { target: 'DeletionByTaintManager', targetSince: ago(1) });
    expect(claimed(full, granted, waiting, [])).toBeDefined();
    expect(claimed(full, guard(), waiting, [pod('b'), EVICTED])).toBeDefined();
    expect(claimed(full, guard(), waiting, [pod('b'), drained])).toBeUndefined();
  });

  test('not for an eviction of more than a minute ago, whose pod a finalizer keeps', () => {
    const granted = (seconds: number) =>
      guard({ maxUnavailable: 1 }, {}, { disruptedPods: { e: ago(seconds) } });
    const seen = [59, 61].map((seconds) => [
      claimed(full, guard(), waiting, [evicted(seconds)]) !== undefined,
      claimed(full, granted(seconds), waiting, []) !== undefined,
    ]);
    expect(seen).toEqual([
      [true, true],
      [false, false],
    ]);
    expect(claimed(full, guard(), waiting, [evicted(61), evicted(1, 'f')])).toBeDefined();
  });

  test('after one that was not used, evictions have as long', () => {
    const after = (seconds: number) => claimed(full, guard({ maxUnavailable: 1 }, {}, {}, seconds));
    expect([-120, -60, -1].map(after)).toEqual([undefined, undefined, undefined]);
    // No clock is so far ahead: another one wrote that.
    expect([0, -3600].map((seconds) => after(seconds) !== undefined)).toEqual([true, true]);
  });

  test('after one that ended early, as its pod has gone, they have no longer than that lasted', () => {
    // It began 20 seconds ago.
    const by = guard({ minAvailable: 3 }, { gone: -30 }, { currentHealthy: 2 }, -100);
    const { actions } = decideBudget(
      {
        target: budget({}, FULL),
        pods: [waiting, pod('b')],
        configs: [workload(3)],
        disruptionBudgets: [by],
        now: NOW,
      },
      undefined,
    );
    expect(actions.filter((action) => action.kind === 'Child')).toMatchObject([
      { body: { metadata: { annotations: { [RAISED_ANNOTATION]: null, [RESTS_ANNOTATION]: ago(-20) } } } },
    ]);
  });

  test.each([
    ['DaemonSet', ['apps/v1', 'DaemonSet', 'web'] as const],
    ['none', null],
  ])('where nothing says how many pods there are to be (controller: %s)', (_title, owner) => {
    const unknown = budget({ minAvailable: 2 }, { ...FULL, totalReplicas: -1 });
    expect(claimed(unknown, guard({ minAvailable: 2 }), pod('a', { owner }))).toBeDefined();
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
    const by = guard({ minAvailable: 3 }, { a: LATER }, {}, -60);
    const open = budget({}, OPEN);
    expect(budgetInfluence.onDisrupt(open, NOW, by)?.limit.left).toBe(1);
    expect(budgetInfluence.raise(open, by, [{ pod: waiting, how: 'Update' }], NOW)).toEqual({
      metadata: { annotations: { ...raisedFor({ a: 0 }), [RESTS_ANNOTATION]: null } },
      spec: { minAvailable: 3, maxUnavailable: null },
    });
  });
});
