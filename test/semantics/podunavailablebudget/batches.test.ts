import { expect, test } from 'vitest';
import { memoryOf } from '../../../semantics/values/memory.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Action } from '../../../semantics/decision.ts';
import { activeInfluence } from '../../../semantics/influence/active.ts';
import { underInfluence } from '../../../semantics/influence/under-influence.ts';
import { decideBudget } from '../../../semantics/podunavailablebudget/decide.ts';
import { budgetInfluence } from '../../../semantics/podunavailablebudget/influence.ts';
import { budgetResource } from '../../../semantics/podunavailablebudget/resource.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { ago, budget, NOW, OPEN, pod, workload } from './budgets.ts';

const MIB = 1024 * 1024;
/** The longest name of a pod. */
const long = (index: number): string => `${index}-`.padEnd(253, 'x');
const limitOf = (status: JsonObject) =>
  budgetInfluence.onDisrupt(budget({}, { ...OPEN, ...status }), NOW)?.limit;

/** What a scale-in to `size` does under the budget, and what it takes of it before. */
function scaledIn(target: KubeObject, pods: readonly Pod[], size: number) {
  const deletions = pods
    .slice(size)
    .map(({ metadata: { name, uid = '', resourceVersion = '' } }): Action => ({
      do: 'delete',
      kind: 'Pod',
      verb: 'delete',
      name,
      uid,
      resourceVersion,
      reason: 'scale-in',
    }));
  const influences = [activeInfluence({ rules: budgetInfluence, resource: budgetResource }, target, NOW)];
  const { decision, held, waitsFor } = underInfluence(
    { influences: () => influences, target: workload(size), pods, nodes: undefined, now: NOW },
    undefined,
    () => ({ actions: deletions, status: {}, explanations: [] }),
  );
  const [reserve] = decision.actions;
  if (reserve?.do !== 'reserve') throw new Error('no slot is taken');
  const gone = new Set(decision.actions.flatMap((each) => (each.do === 'delete' ? [each.name] : [])));
  return { reserve, gone, held, waitsFor };
}

test('a scale-in by thousands of pods takes its slots in parts, each of which fits into the budget', () => {
  const size = 500;
  const counted = (object: KubeObject, pods: readonly Pod[]): KubeObject => ({
    ...object,
    status: decideBudget({ target: object, pods, configs: [workload(size)], now: NOW }, undefined).status,
  });
  let pods = Array.from({ length: 3_000 }, (_, index) => pod(long(index)));
  let target = counted(budget(), pods);
  const parts: number[] = [];
  while (pods.length > size) {
    const { reserve, gone, held, waitsFor } = scaledIn(target, pods, size);
    parts.push(gone.size);
    expect([held, waitsFor.length]).toEqual([undefined, parts.length < 5 ? 1 : 0]);
    expect(reserve.reason.length).toBeLessThan(11 * 256);
    const { status } = reserve.body as { status: object };
    target = { ...target, status: { ...(target['status'] as object), ...status } };
    expect(memoryOf(target, MIB)).toBeLessThan(MIB / 2);
    pods = pods.filter(({ metadata }) => !gone.has(metadata.name));
    target = counted(target, pods);
    // The pods are observed to be gone, and their entries with them.
    expect(target['status']).not.toHaveProperty('disruptedPods');
  }
  expect(parts).toEqual([500, 500, 500, 500, 500]);
});

/** Updates of these pods, of which a reconcile sends some, under budgets. */
function updated(budgets: readonly KubeObject[], pods: readonly Pod[]) {
  const patches = pods.map(({ metadata: { name, uid = '' } }): Action => ({
    do: 'patch',
    kind: 'Pod',
    verb: 'update in place',
    name,
    body: { metadata: { uid }, spec: { containers: [{ name: 'main', image: 'web:2' }] } },
    reason: 'a new revision',
  }));
  const of = { rules: budgetInfluence, resource: budgetResource };
  const influences = budgets.map((each) => activeInfluence(of, each, NOW));
  const { decision, isPart, held } = underInfluence(
    { influences: () => influences, target: workload(pods.length), pods, nodes: undefined, now: NOW },
    undefined,
    () => ({ actions: patches, status: {}, explanations: [] }),
  );
  const slots = decision.actions.flatMap((each) =>
    each.do === 'reserve'
      ? Object.keys((each.body as { status: { unavailablePods: object } }).status.unavailablePods)
      : [],
  );
  const sent = decision.actions.flatMap((each) => (each.do === 'patch' ? [each.name] : []));
  return { slots, sent, isPart, held };
}

const numbered = (count: number, app: string): Pod[] =>
  Array.from({ length: count }, (_, index) => pod(`${app}-${index}`, { labels: { app } }));

// A reconcile writes 64 pods, or a fortieth of them.
test.each([
  [1_000, 64],
  [4_000, 100],
  [64, 64],
  [63, 63],
])('an update of %i pods takes slots for the %i that the reconcile writes', (count, most) => {
  const pods = numbered(count, 'web');
  const names = pods.slice(0, most).map(({ metadata }) => metadata.name);
  const found = updated([budget({}, { ...OPEN, unavailableAllowed: count })], pods);
  expect(found).toEqual({ slots: names, sent: names, isPart: most < count, held: undefined });
});

test('pods that wait for one budget leave their places in the batch to those of another', () => {
  const [web, api] = [numbered(100, 'web'), numbered(100, 'api')];
  const used = budget({}, { ...OPEN, unavailableAllowed: 0 });
  const other = budget({ selector: { matchLabels: { app: 'api' } } }, { ...OPEN, unavailableAllowed: 100 });
  const names = api.slice(0, 64).map(({ metadata }) => metadata.name);
  const found = updated([used, other], [...web, ...api]);
  expect(found).toEqual({ slots: names, sent: names, isPart: true, held: undefined });
});

test('a wait for the next part says so', () => {
  expect(limitOf({ unavailableAllowed: 501 })).toMatchObject({
    name: 'PodUnavailableBudget shop/web, which gives at most 500 slots at a time,',
    left: 500,
  });
  expect(limitOf({ unavailableAllowed: 500 })).toMatchObject({
    name: 'PodUnavailableBudget shop/web',
    left: 500,
  });
});

test.each([
  [600, 80],
  [679, 1],
  [680, 0],
  [2_000, 0],
])('beside %i entries of the longest names there is room for %i more', (count, room) => {
  const names = Array.from({ length: count }, (_, index) => [long(index), ago(1)] as const);
  const half = Math.floor(count / 2);
  const status = {
    unavailableAllowed: 1_000,
    disruptedPods: Object.fromEntries(names.slice(0, half)),
    unavailablePods: Object.fromEntries(names.slice(half)),
  };
  expect(limitOf(status)?.left).toBe(room);
});

test('the name of a pod counts in each map that has it', () => {
  const entries = Object.fromEntries(
    Array.from({ length: 999 }, (_, index) => [`x${index}`, ago(1)] as const),
  );
  const status = { unavailableAllowed: 1_000, disruptedPods: entries, unavailablePods: entries };
  expect(limitOf(status)?.left).toBe(2);
});
