import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import {
  boundAt,
  boundNow,
  isTakenBack,
  retainedOnTheWayBack,
  recordOf,
  takenBack,
} from '../../../semantics/plan/bound-state.ts';
import {
  ACCEPTED_LABEL,
  parseSnapshot,
  PROGRESS_ANNOTATION,
  progressAnnotation,
} from '../../../semantics/plan/memory.ts';
import { retainedByBound } from '../../../semantics/plan/retained-units.ts';
import type { RolloutView } from '../../../semantics/plan/rollout-view.ts';
import { parseRevisions, stableRevision } from '../../../semantics/revision/revision.ts';
import { leftAt } from '../../../semantics/revision/complete.ts';
import { publishedName } from '../sidecarset/model.ts';
import { accepted, pods, selected, spec, view } from './rollout.ts';

const [A, B, C] = ['a', 'b', 'c'].map((digit) => `h1:${digit.repeat(32)}`) as [string, string, string];
const BLUE = { matchLabels: { track: 'blue' } };
const RED = { matchLabels: { track: 'red' } };
const blue = { labels: { track: 'blue' } };

/** Ten pods of others, of which a plan with `partition: 4` has left four on A. */
const afterPartition: Partial<RolloutView> = {
  replicas: 10,
  liveHash: B,
  stable: B,
  partition: 4,
  pods: [...pods(A, 4), ...pods(B, 4), ...pods(B, 2, { ...blue, name: 'blue' })],
  units: selected({ leftAt: (hash) => (hash === B ? [A, A] : []) }),
};

describe('what holds beyond plans, of ten pods: partition 4, then a selector, then back (kinds.md 2)', () => {
  const toB = spec({ to: { hash: B, bound: { partition: 4 } }, from: [{ hash: A, mode: 'InPlace' }] });
  const toC = spec({
    to: { hash: C, bound: { selector: BLUE } },
    from: [B, A].map((hash) => ({ hash, mode: 'InPlace' })),
    digest: 'h1:cccc',
  });
  const planB = accepted(toB, { phase: 'Succeeded', step: 3, before: { stable: A } });
  const left = { hash: A, n: 4 };
  const first = view({ ...afterPartition, retained: left });

  test('the plan to B leaves four pods on A, by partition', () => {
    expect(retainedByBound(first, B)).toEqual(left);
    const bound = boundNow(planB, first);
    expect(bound).toEqual({ stable: B, left: { by: 'partition', ...left } });
    expect(recordOf(bound)).toEqual({ stable: B });
  });

  const planC = accepted(toC, { phase: 'Succeeded', step: 3, before: { stable: B } });
  const second = view({
    ...afterPartition,
    liveHash: C,
    stable: C,
    partition: 0,
    selector: BLUE,
    pods: [...pods(A, 4), ...pods(B, 4), ...pods(C, 2, { ...blue, name: 'blue' })],
    retained: { hash: A, n: 8 },
  });

  test('the plan to C leaves four on A and four on B, by selector', () => {
    expect(retainedByBound(second, C)).toEqual({ hash: A, n: 8 });
    const bound = boundNow(planC, second);
    expect(bound).toEqual({ stable: C, left: { by: 'selector', selector: BLUE } });
    expect(recordOf(bound)).toEqual({ stable: C, selector: BLUE });
  });

  test('back at B, what held there holds again: the two pods on C go, and the four on A stay', () => {
    const back = { ...second, liveHash: B, partition: 4, selector: undefined };
    expect(boundAt(planC, back, B)).toEqual({ stable: B, left: { by: 'partition', ...left } });
    const isTaken = isTakenBack(takenBack(back, planC, B));
    expect(back.pods.filter((pod) => pod.hash !== B && isTaken(pod)).map(({ hash }) => hash)).toEqual([C, C]);
    const there = { ...back, pods: first.pods };
    expect(retainedOnTheWayBack(there, planC, B)).toEqual(left);
  });

  test('back at A, the pods on B go, too, though they are on record as left by number', () => {
    const back = view({
      ...afterPartition,
      liveHash: A,
      stable: C,
      partition: 0,
      pods: [...pods(A, 2), ...pods(B, 6), ...pods(C, 2, { ...blue, name: 'blue' })],
      retained: { hash: B, n: 8 },
    });
    expect(boundAt(planC, back, A)).toEqual({ stable: A, left: { by: 'nothing' } });
    const isTaken = isTakenBack(takenBack(back, planC, A));
    expect(back.pods.filter((pod) => pod.hash !== A && isTaken(pod))).toHaveLength(8);
  });

  test('back at A, what git has holds: that is on record nowhere', () => {
    const back = { ...second, liveHash: A, selector: RED };
    const going = accepted(toC, {
      phase: 'Reverting',
      goal: A,
      before: { stable: B },
      atGoal: { stable: A, selector: RED },
    });
    expect(boundAt(going, back, A)).toEqual({ stable: A, left: { by: 'selector', selector: RED } });
    // That of an earlier way back says nothing about this one.
    expect(boundAt({ ...going, progress: { ...going.progress, goal: B } }, back, B).left).toMatchObject({
      by: 'partition',
    });
  });
});

test('back from a plan with another partition, what an earlier one had left is on record again', () => {
  const toC = spec({
    to: { hash: C, bound: { partition: 8 } },
    from: [B, A].map((hash) => ({ hash, mode: 'InPlace' })),
  });
  const there = { pods: [...pods(A, 3), ...pods(B, 7)], liveHash: B, stable: C, retained: { hash: B, n: 8 } };
  const back = view({ ...afterPartition, ...there });
  const planC = accepted(toC, { phase: 'Reverting', goal: B, before: { stable: B } });
  expect(retainedOnTheWayBack(back, planC, B)).toEqual({ hash: A, n: 3 });
  const own = view({ ...there, replicas: 10 });
  expect(retainedOnTheWayBack(own, planC, B)).toBe(undefined);
});

test('back from a plan that has failed, pods on every revision that a bound had left are on record', () => {
  const D = `h1:${'d'.repeat(32)}`;
  const toD = spec({
    to: { hash: D, bound: { partition: 8 } },
    from: [C, B, A].map((hash) => ({ hash, mode: 'InPlace' })),
  });
  const there = view({
    replicas: 10,
    pods: [...pods(A, 3), ...pods(B, 5), ...pods(C, 2)],
    liveHash: D,
    stable: C,
    partition: 8,
    retained: { hash: B, n: 8 },
    units: selected({ leftAt: (hash) => (hash === C ? [B, A] : []) }),
  });
  const back = accepted(toD, { phase: 'Reverting', cause: 'failure', goal: C, before: { stable: C } });
  expect(retainedOnTheWayBack(there, back, C)).toEqual({ hash: B, n: 8 });
  expect(boundAt(back, there, C).left).toEqual({ by: 'partition', hash: B, n: 8 });
});

describe('the records of bounds, which older runtimes have written and may continue', () => {
  const plan = spec({
    to: { hash: C, bound: { selector: RED } },
    from: [{ hash: B, mode: 'InPlace' }],
    digest: C,
  });
  /** A record as its text is in a cluster. */
  const recordWith = (bounds: string): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: 'log-plan-cccccccc',
      labels: { [ACCEPTED_LABEL]: 'true' },
      annotations: {
        [PROGRESS_ANNOTATION]: `{"seq":3,"phase":"Reverting","step":1,"frozenN":10,"clockMs":0,"idleMs":0,"best":2,"stepSince":1767225600000,"baseline":{"unavailable":[],"restarts":{}},${bounds}"recorded":{"limits":{"maxUnavailable":2}},"inherited":[{"hash":"${A}","mode":"InPlace"}],"approved":[],"consumed":[]}`,
      },
    },
    data: plan,
    revision: 3,
  });

  test.each([
    ['without a selector', `"stable":"${B}",`, { before: { stable: B } }],
    [
      'with the selector that held before the plan',
      `"stable":"${B}","standing":{"matchLabels":{"track":"blue"}},`,
      { before: { stable: B, selector: BLUE } },
    ],
    [
      'with that of an earlier revision that it goes back to',
      `"stable":"${B}","standing":{"matchLabels":{"track":"blue"}},"goal":"${A}","goalSelector":{"matchLabels":{"track":"red"}},`,
      { before: { stable: B, selector: BLUE }, goal: A, atGoal: { stable: A, selector: RED } },
    ],
    ['of a version that recorded none', '', {}],
  ])('%s', (_, bounds, expected) => {
    const { goal, before, atGoal, ...rest } = parseSnapshot(recordWith(bounds))?.progress ?? {};
    expect({ goal, before, atGoal }).toEqual({
      goal: undefined,
      before: undefined,
      atGoal: undefined,
      ...expected,
    });
    expect(rest).toMatchObject({
      phase: 'Reverting',
      recorded: { limits: { maxUnavailable: 2 } },
      inherited: [{ hash: A, mode: 'InPlace' }],
    });
    for (const field of ['stable', 'standing', 'goalSelector']) expect(rest).not.toHaveProperty(field);
  });

  test('are written with the same fields', () => {
    const bounds = {
      before: { stable: B, selector: BLUE },
      goal: A,
      atGoal: { stable: A, selector: RED },
    };
    const { [PROGRESS_ANNOTATION]: text = '' } = progressAnnotation(accepted(plan, bounds).progress);
    expect(JSON.parse(text)).toMatchObject({ stable: B, standing: BLUE, goal: A, goalSelector: RED });
    expect(text).not.toMatch(/"before"|"atGoal"/);
    const without = progressAnnotation(accepted(plan, { before: { stable: B } }).progress);
    expect(without[PROGRESS_ANNOTATION]).toContain(`"stable":"${B}"`);
    expect(without[PROGRESS_ANNOTATION]).not.toMatch(/"standing"|"goalSelector"/);
  });

  test.each([
    `"stable":5,`,
    `"stable":"${B}","standing":{"matchLabels":{"track":5}},`,
    `"goal":"${A}","goalSelector":[],`,
  ])('one that cannot be read counts as none: %s', (bounds) => {
    expect(parseSnapshot(recordWith(bounds))).toBe(undefined);
  });

  const set: KubeObject = {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'SidecarSet',
    metadata: { name: 'log', uid: 'set' },
  };
  const revision = (image: string, number: number, annotations: Record<string, string>): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `log-${number}`,
      annotations,
      ownerReferences: [
        { apiVersion: set.apiVersion, kind: set.kind, name: 'log', uid: 'set', controller: true },
      ],
    },
    data: { spec: { template: { $patch: 'replace', spec: { containers: [{ name: 'log', image }] } } } },
    revision: number,
  });

  test('revisions have what was stable and left, and what new pods get', () => {
    const older = revision('log:1', 1, {
      'plan.kruise.io/complete': '1',
      'plan.kruise.io/unselected-new-pods': '{"matchLabels":{"track":"blue"}}',
    });
    const { hash: first = '' } = parseRevisions([older])[0] ?? {};
    const newer = revision('log:2', 2, {
      'plan.kruise.io/complete': '2',
      'plan.kruise.io/held': `4 at ${first}`,
    });
    const revisions = parseRevisions([older, newer]);
    const stable = stableRevision({ revisions });
    expect(stable).toMatchObject({ name: 'log-2', complete: 2, retained: { hash: first, n: 4 } });
    expect(leftAt({ revisions }, stable?.hash ?? '')).toEqual([first, first]);
    const given = (track: string): string =>
      publishedName(set, [older, newer], {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'new', labels: { track } },
      });
    expect([given('blue'), given('green')]).toEqual(['log-2', 'log-1']);
  });
});
