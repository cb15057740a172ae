import { describe, expect, test } from 'vitest';
import type { RolloutPlanSpec, Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { advance } from '../../../semantics/plan/advance.ts';
import { heldReason } from '../../../semantics/plan/held.ts';
import type { AdvanceInput } from '../../../semantics/plan/advance-input.ts';
import {
  accepted,
  canary,
  input,
  limits,
  NEW,
  OLD,
  ok,
  planObject,
  pods,
  rest,
  spec,
  view,
} from './rollout.ts';

const halfway = [...pods(NEW, 2), ...pods(OLD, 3)];
const live = (maxUnavailable: number | string, maxSurge: number | string = 0) =>
  limits(5, { maxUnavailable, maxSurge });

/** A plan that runs, and a manifest with these limits. */
function running(own: ReturnType<typeof live>, parts: Partial<AdvanceInput> = {}, phase = {}): AdvanceInput {
  return input({ view: view({ pods: halfway, limits: own }), memory: [accepted(spec(), phase)], ...parts });
}

const withWindow = (window: object) => [
  { ...canary, update: { to: 3, window } },
  ok,
  { ...rest, update: { to: '100%', window } },
];

describe('the lower of the limits of plan and manifest', () => {
  test.each<
    [string, steps: object[] | undefined, own: [number | string, number?], down: number, extra: number]
  >([
    ['a plan without window is held to what it was accepted with', undefined, ['100%', 3], 1, 0],
    ['a window that allows more, too', withWindow({ maxUnavailable: 3 }), ['100%', 3], 3, 0],
    ['a manifest that allows less holds at once', withWindow({ maxUnavailable: 3 }), [2], 2, 0],
  ])('%s', (_, steps, own, down, extra) => {
    const planSpec = spec(steps === undefined ? {} : { steps: steps as ReturnType<typeof withWindow> });
    const { envelope } = advance(
      running(live(...own), { plans: [planObject(planSpec)], memory: [accepted(planSpec)] }),
    );
    const lower = live(...own).lower(envelope.window);
    expect([lower.maxUnavailable?.count, lower.maxSurge?.count]).toEqual([down, extra]);
  });

  test('a record of an older runtime is held to what this one sees first', () => {
    const { recorded: _none, ...progress } = accepted(spec()).progress;
    const before = { ...accepted(spec()), progress };
    const { writes, accepted: now } = advance(running(live(2), { memory: [before] }));
    expect(writes).toHaveLength(1);
    expect(now?.progress.recorded?.limits).toEqual({ maxUnavailable: 2, maxSurge: 0 });
    const later = advance(running(live('100%'), { memory: now === undefined ? [] : [now] }));
    expect([later.writes, later.envelope.window]).toEqual([[], { maxUnavailable: 2, maxSurge: 0 }]);
  });

  test('an invalid manifest is not recorded: it would hold what git corrects', () => {
    const { recorded: _none, ...progress } = accepted(spec()).progress;
    const memory = [{ ...accepted(spec()), progress }];
    const own = live(2);
    const invalid = advance(input({ view: view({ limits: own, invalid: ['it is wrong'] }), memory }));
    expect([invalid.writes, invalid.blocked?.reason]).toEqual([[], 'InvalidTarget']);
    expect(advance(running(own, { memory })).writes).toHaveLength(1);
  });
});

test('limits that let nothing change together block it, with the command', () => {
  const own = live(0, 1);
  const { blocked, envelope, progressClock } = advance(running(own));
  expect([blocked?.reason, progressClock?.counting]).toEqual(['WindowMismatch', undefined]);
  const lower = own.lower(envelope.window);
  expect([lower.maxUnavailable?.count, lower.maxSurge?.count]).toEqual([0, 0]);
  // A pod that is made gets what the step says: limits bound updates alone.
  expect(envelope.allowed).toBe(3);
  expect(blocked?.message).toBe(
    'the plan allows maxUnavailable 1 and maxSurge 0, the manifest maxUnavailable 0 and maxSurge 1, and the lower of both let nothing change. Set the limits of the manifest back, or commit a plan with them: kruise plan --continue',
  );
});

test('a target whose own limits let nothing change is not blocked by its plan', () => {
  expect(advance(running(live(0, 0))).blocked).toBeUndefined();
});

test('who approves reads what the plan keeps where the manifest was loosened', () => {
  const atGate = running(live('100%'), {}, { phase: 'AwaitingApproval', step: 1 });
  const result = advance({ ...atGate, view: { ...atGate.view, pods: [...pods(NEW, 3), ...pods(OLD, 2)] } });
  const message = heldReason(atGate.view, result, atGate.plans)?.message ?? '';
  expect(message).toContain(
    '; the plan that runs keeps 1 at a time (kruise plan --continue widens it): kruise approve',
  );
  const untouched = advance(running(live(1), {}, { phase: 'AwaitingApproval', step: 1 }));
  expect(untouched.narrowed).toBeUndefined();
});

describe('a plan that differs in limits alone', () => {
  const wider = planObject(
    spec({ digest: 'h1:bbbb', supersedes: ['h1:aaaa'], steps: withWindow({ maxUnavailable: 4 }) }),
  );

  test('keeps clocks, baseline and step, and asks again at a gate', () => {
    const before = {
      best: 2,
      clockMs: 5_000,
      idleMs: 4_000,
      baseline: { unavailable: ['x'], restarts: { y: 2 } },
    };
    const { accepted: now, envelope } = advance(running(live('100%'), { plans: [wider] }, before));
    expect(now?.progress).toMatchObject({ ...before, seq: 2, step: 0, phase: 'Running', approved: [] });
    expect(live('100%').lower(envelope.window).maxUnavailable?.count).toBe(4);
  });

  test.each([
    [
      'Halted',
      { phase: 'Halted', step: 2, cause: 'failure', reason: 'Timeout', message: 'it took too long' },
    ],
    [
      'Aborted',
      { phase: 'Aborted', step: 2, cause: 'person', reason: 'Aborted', message: 'mona aborted it' },
    ],
  ] as const)('a verdict stays: %s, and Resume names the new plan', (phase, progress) => {
    const of = running(live(1), { plans: [wider] }, progress);
    const first = advance(of);
    expect(first.accepted?.progress).toMatchObject(progress);
    const memory = [...of.memory, ...(first.accepted === undefined ? [] : [first.accepted])];
    const held = heldReason(of.view, advance({ ...of, memory }), of.plans);
    expect(held?.reason).toBe(phase);
    expect(held?.message).toContain('kruise resume CloneSet/web -n shop --digest h1:bbbb');
  });

  test('a higher attempt runs the failed step again', () => {
    const again = planObject({ ...wider.spec, attempt: 2 });
    const failed = { phase: 'Halted', step: 2, cause: 'failure', reason: 'Timeout' } as const;
    expect(advance(running(live(1), { plans: [again] }, failed)).accepted?.progress.phase).toBe('Running');
  });

  test('a plan that pulls to more nodes at a time goes on at its step, too', () => {
    const pulling = (parallelism?: number): Step => ({
      id: 'pull',
      pull: { images: ['nginx:1.27'], ...(parallelism !== undefined && { parallelism }) },
    });
    const before = spec({ steps: [pulling(), canary, ok, rest] });
    const after = { ...wider.spec, steps: [pulling(5), canary, ok, rest] };
    const memory = [accepted(before, { step: 3, clockMs: 5_000 })];
    const { accepted: now } = advance(running(live(1), { plans: [planObject(after)], memory }));
    expect(now?.progress).toMatchObject({ seq: 2, step: 3, clockMs: 5_000 });
  });

  test('other executed steps start anew', () => {
    const other = planObject({ ...wider.spec, steps: [{ id: 'canary', update: { to: 4 } }, ok, rest] });
    const { accepted: now } = advance(running(live(1), { plans: [other] }, { step: 2, clockMs: 5_000 }));
    expect(now?.progress).toMatchObject({ step: 0, clockMs: 0 });
  });
});

test.each<[string, RolloutPlanSpec['to']['bound'], Step]>([
  ['a looser bound', {}, rest],
  ['other limits', { partition: 1 }, { id: 'rest', update: { to: '100%', window: { maxUnavailable: 3 } } }],
])(
  'a continuation at a gate keeps the size of the step before it, though pods were added: %s',
  (_what, bound, last) => {
    const half: Step = { id: 'half', update: { to: '50%' } };
    const before = spec({ to: { hash: NEW, bound: { partition: 1 } }, steps: [half, ok, rest] });
    const after = spec({
      to: { hash: NEW, bound },
      steps: [half, ok, last],
      digest: 'h1:bbbb',
      supersedes: ['h1:aaaa'],
    });
    // The step was of ten pods, so that it is five. Another ten were added since.
    const scaled = view({
      replicas: 20,
      partition: bound.partition ?? 0,
      pods: [...pods(NEW, 5), ...pods(OLD, 15)],
      limits: limits(20),
    });
    const memory = [accepted(before, { phase: 'AwaitingApproval', step: 1, frozenN: 10, best: 5 })];
    const { accepted: now, envelope } = advance(input({ view: scaled, plans: [planObject(after)], memory }));
    expect([now?.spec.digest, now?.progress.phase, envelope.allowed]).toEqual([
      'h1:bbbb',
      'AwaitingApproval',
      5,
    ]);
  },
);

describe('a way back', () => {
  const reverting = { phase: 'Reverting', cause: 'git', goal: OLD, reason: 'WentBack' } as const;
  const two = withWindow({ maxUnavailable: 1 }).map((step, n) =>
    n === 2 ? { ...rest, update: { to: '100%', window: { maxUnavailable: '40%' } } } : step,
  );
  const back = planObject(
    spec({
      digest: 'h1:cccc',
      to: { hash: OLD, bound: {} },
      from: [{ hash: NEW, mode: 'InPlace' }],
      steps: withWindow({ maxUnavailable: 3 }),
    }),
  );

  test.each<[string, own: number | string, plans: 'own' | 'back', most: number]>([
    ['is as wide as the widest step', '100%', 'own', 2],
    ['is no wider than the target', 1, 'own', 1],
    ['is as wide as the plan object that leads there', '100%', 'back', 3],
  ])('%s', (_, own, which, most) => {
    const planSpec = spec({ steps: two });
    const at = view({ pods: halfway, liveHash: OLD, limits: live(own) });
    const plans = which === 'back' ? [back] : [planObject(planSpec)];
    const { envelope } = advance(input({ view: at, plans, memory: [accepted(planSpec, reverting)] }));
    expect(live(own).lower(envelope.window).maxUnavailable?.count).toBe(most);
  });
});
