import { describe, expect, test } from 'vitest';
import type { Condition, KubeObject } from '../../../schemas/wire/object.ts';
import type { Disruption } from '../../../semantics/limits/slots.ts';
import { budgetInfluence } from '../../../semantics/podunavailablebudget/influence.ts';
import { type EntryMap, entryState } from '../../../semantics/podunavailablebudget/entries.ts';
import { RAISED_ANNOTATION } from '../../../semantics/podunavailablebudget/raised-for.ts';
import { raise } from '../../../semantics/podunavailablebudget/raised.ts';
import { IN_PLACE_READY, type Pod } from '../../../semantics/pod/types.ts';
import { ago, budget, FULL, NOW, OPEN, pod, SELECTOR, SHOP, workload } from './budgets.ts';

const slots = (object: KubeObject) => budgetInfluence.onDisrupt(object, NOW);
const takes = (object: KubeObject, of: Pod, how: Disruption = 'Delete'): boolean | undefined =>
  budgetInfluence.covers(object, of) && slots(object)?.takesSlot(of, how);

describe('whether a pod takes a slot', () => {
  test.each<[string, object, Parameters<typeof pod>[1], Disruption, boolean]>([
    ['a pod that is deleted', {}, {}, 'Delete', true],
    ['a pod that is updated', {}, {}, 'Update', true],
    ['a pod that is resized: only where that is listed (PUB-19)', {}, {}, 'Resize', false],
    ['such a pod where it is listed (PUB-19)', { protectOperations: ['RESIZE'] }, {}, 'Resize', true],
    [
      'an update where deletions alone are protected (PUB-11)',
      { protectOperations: ['DELETE'] },
      {},
      'Update',
      false,
    ],
    ['a pod of other labels', {}, { labels: { app: 'api' } }, 'Delete', false],
    ['a pod that is not ready (PUB-12)', {}, { isReady: false }, 'Delete', false],
    [
      'a pod that a label has taken out (PUB-10)',
      {},
      { labels: { 'unavailable-pod.kruise.io/drain': '' } },
      'Update',
      false,
    ],
    [
      'a pod that says that it needs none (PUB-8)',
      {},
      { annotations: { 'pub.kruise.io/no-protect': 'true' } },
      'Delete',
      false,
    ],
    [
      'a pod that says it in no value that is true (PUB-8)',
      {},
      { annotations: { 'pub.kruise.io/no-protect': 'yes' } },
      'Delete',
      true,
    ],
    [
      'a pod that is left out (PUB-9)',
      { ignoredPodSelector: { matchLabels: { track: 'canary' } } },
      { labels: { track: 'canary' } },
      'Delete',
      false,
    ],
  ])('%s', (_what, spec, parts, how, expected) => {
    expect(takes(budget({ ...spec }, OPEN), pod('a', parts), how)).toBe(expected);
  });

  test.each<[string, object, boolean]>([
    ['just now', { disruptedPods: { a: ago(1) } }, false],
    ['for its update', { unavailablePods: { a: ago(1) } }, false],
    ['so long ago that it may end before the write arrives', { disruptedPods: { a: ago(10) } }, true],
    ['for another pod', { disruptedPods: { b: ago(1) } }, true],
  ])('a pod that has got one %s (PUB-15)', (_what, status, expected) => {
    expect(takes(budget({}, { ...FULL, ...status }), pod('a'))).toBe(expected);
  });
});

test('the selector of a budget is read once, however many pods it is asked about', () => {
  let reads = 0;
  const { spec, ...rest } = budget();
  const object: KubeObject = {
    ...rest,
    get spec() {
      reads += 1;
      return spec;
    },
  };
  const pods = Array.from({ length: 50 }, (_, index) => pod(`web-${index}`));
  expect(pods.every((each) => budgetInfluence.covers(object, each))).toBe(true);
  expect(reads).toBeLessThan(5);
});

describe('how many slots are left', () => {
  const leftOf = (object: KubeObject): number | undefined => slots(object)?.limit.left;

  test('as many as the status says', () => {
    expect([leftOf(budget({}, OPEN)), leftOf(budget({}, FULL))]).toEqual([1, 0]);
  });

  test('none is limited where none has to stay', () => {
    expect(slots(budget({}, { ...OPEN, desiredAvailable: 0 }))).toBeUndefined();
  });

  test('none is known to be left before the pods are counted', () => {
    expect(leftOf(budget())).toBe(0);
    expect(leftOf(budget({}, { ...OPEN, observedGeneration: 1 }, { generation: 2 }))).toBe(0);
    expect(slots(budget())?.limit.name).toBe(
      'PodUnavailableBudget shop/web, whose pods are not counted yet,',
    );
  });

  test('none is known to be left of one that is held, as its pods are not counted meanwhile', () => {
    const held = (reason: string, status = 'True') => {
      const conditions = [{ type: 'plan.kruise.io/Held', status, reason, message: 'x' }];
      return slots(budget({}, { ...OPEN, conditions }))?.limit;
    };
    expect(held('NeedUnseen')).toMatchObject({
      name: 'PodUnavailableBudget shop/web, which is held as NeedUnseen,',
      left: 0,
    });
    expect(held('NeedUnseen', 'False')?.left).toBe(1);
    // The server refuses a link: the pods are counted.
    expect(held('FailedUpdate')?.left).toBe(1);
  });

  test('none is left beyond 2000 entries (PUB-32)', () => {
    const many = (count: number): Record<string, string> =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, ago(1)]));
    expect(leftOf(budget({}, { ...OPEN, disruptedPods: many(1_999) }))).toBe(1);
    expect(leftOf(budget({}, { ...OPEN, disruptedPods: many(2_000) }))).toBe(0);
  });

  test('the limit names the pods that have a slot', () => {
    expect(
      slots(budget({}, { ...FULL, unavailablePods: { b: ago(1) }, disruptedPods: { a: ago(1) } }))?.limit,
    ).toEqual({
      name: 'PodUnavailableBudget shop/web',
      most: 1,
      present: '2 of 3 are available',
      unavailable: ['a', 'b'],
      left: 0,
    });
  });
});

describe('what is recorded', () => {
  const recorded = (object: KubeObject, disrupted: readonly [name: string, how: Disruption][]) =>
    budgetInfluence.record(
      object,
      { disrupted: disrupted.map(([name, how]) => ({ pod: pod(name), how })), created: [] },
      NOW,
    );
  const wide = budget({ maxUnavailable: 3 }, { ...OPEN, unavailableAllowed: 3 });

  test('the slots of all pods of one decision, in one write (PUB-14)', () => {
    expect(
      recorded(wide, [
        ['a', 'Delete'],
        ['b', 'Update'],
        ['c', 'Resize'],
      ]),
    ).toEqual({
      status: {
        unavailableAllowed: 0,
        currentAvailable: 0,
        disruptedPods: { a: ago(0) },
        unavailablePods: { b: ago(0), c: ago(0) },
      },
    });
  });

  test('a pod that has an older entry is counted once', () => {
    const object = budget({}, { ...OPEN, disruptedPods: { a: ago(15) } });
    expect(recorded(object, [['a', 'Delete']])).toEqual({
      status: { unavailableAllowed: 1, currentAvailable: 3, disruptedPods: { a: ago(0) } },
    });
  });
});

describe('an entry counts for the next change, whoever has the clock that is behind', () => {
  const withGate = (seconds: number): Pod => {
    const made = pod('a', { createdAt: ago(seconds) });
    const conditions: Condition[] = [
      { type: 'Ready', status: 'True' },
      { type: IN_PLACE_READY, status: 'True', lastTransitionTime: ago(seconds) },
    ];
    return { ...made, status: { ...made.status, conditions } };
  };
  const hows: [Disruption, EntryMap][] = [
    ['Delete', 'disruptedPods'],
    ['Update', 'unavailablePods'],
    ['Resize', 'unavailablePods'],
  ];
  const cases = hows.flatMap((how) => [0, 1, 3, 9, 60].map((behind) => [...how, behind] as const));
  const guard: KubeObject = {
    ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'web', namespace: SHOP } },
    spec: { selector: SELECTOR, maxUnavailable: 1 },
  };
  const taken = (how: Disruption, of: Pod, now: number): unknown =>
    budgetInfluence.record(budget({}, OPEN), { disrupted: [{ pod: of, how }], created: [] }, now);

  // The gate was opened now, by the clock of the runtime.
  test.each(cases)('%s: %s, %s seconds', (how, map, behind) => {
    const now = NOW - behind * 1000;
    const of = withGate(0);
    expect(taken(how, of, now)).toEqual({
      status: { unavailableAllowed: 0, currentAvailable: 2, [map]: { a: ago(0) } },
    });
    expect(raise(budget({}, OPEN), guard, [{ pod: of, how }], now)).toMatchObject({
      metadata: { annotations: { [RAISED_ANNOTATION]: JSON.stringify({ a: ago(0) }) } },
    });
    expect(entryState(map, ago(0), of, { now: NOW, watchedSince: 0 })).toBe('open');
  });

  test('a time of a pod that is far ahead keeps no entry for ever', () => {
    expect(taken('Update', withGate(-86_400), NOW)).toEqual({
      status: { unavailableAllowed: 0, currentAvailable: 2, unavailablePods: { a: ago(-60) } },
    });
  });
});

test('new pods are linked as they are created (PUB-29)', () => {
  const other = pod('b', { labels: { app: 'api' } });
  const linked = pod('c', { annotations: { 'pub.kruise.io/related-pub': 'older' } });
  const present = { pods: [], nodes: undefined };
  const made = budgetInfluence
    .onCreate(budget(), workload(3), [pod('a'), other, linked], NOW, present)
    .flatMap((each) => ('later' in each ? [] : [each]));
  expect(made.map(({ pod: { metadata } }) => metadata.annotations)).toEqual([
    { 'pub.kruise.io/related-pub': 'web', 'kruise.io/related-pub': 'web' },
    {},
    { 'pub.kruise.io/related-pub': 'older' },
  ]);
  expect(made.some(({ isRecorded }) => isRecorded)).toBe(false);
});
