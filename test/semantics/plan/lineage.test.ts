import { describe, expect, test } from 'vitest';
import type { RolloutPlanSpec } from '../../../schemas/generated/types/rolloutplan.ts';
import { advance } from '../../../semantics/plan/advance.ts';
import { areRelated, inheritedFrom } from '../../../semantics/plan/lineage.ts';
import { drive, activePlanOf } from './drive.ts';
import {
  accepted,
  canary,
  input,
  MINUTE,
  NEW,
  NEWER,
  NOW,
  OLD,
  OLDER,
  outline,
  planObject,
  pods,
  rest,
  spec,
  UNEXPECTED,
  view,
} from './rollout.ts';

const A = spec({ digest: 'h1:aaaa' });
const B = spec({ digest: 'h1:bbbb', supersedes: ['h1:aaaa'] });
const C = spec({ digest: 'h1:cccc', supersedes: ['h1:bbbb', 'h1:aaaa'] });
const other = spec({ digest: 'h1:dddd' });

describe('two plans belong to one history when one was planned on top of the other', () => {
  test.each([
    ['the next one', B, A, true],
    ['the one before', A, B, true],
    ['two plans later', C, A, true],
    ['two plans earlier', A, C, true],
    ['an unrelated one', other, A, false],
    ['itself', A, A, false],
  ])('%s', (_, plan, before, related) => {
    expect(areRelated(plan, before)).toBe(related);
  });
});

describe('what a plan may start from beyond its own list', () => {
  const to = (hash: string, ...from: string[]): Partial<RolloutPlanSpec> => ({
    to: { hash, bound: {} },
    from: from.map((h) => ({ hash: h, mode: 'InPlace' })),
  });

  test('the revision of the plan before, its list, and what that one inherited: each once, in this order', () => {
    const before = accepted(
      { ...A, ...to(NEW, OLD, OLDER) },
      { inherited: [{ hash: UNEXPECTED, mode: 'Recreate' }] },
    );
    expect(inheritedFrom({ ...B, ...to(NEWER, OLD) }, before)).toEqual([
      { hash: NEW, mode: 'Recreate' },
      { hash: OLDER, mode: 'InPlace' },
      { hash: UNEXPECTED, mode: 'Recreate' },
    ]);
  });

  test('on the way back: the mode that was accepted for the way there', () => {
    const before = accepted({ ...B, ...to(NEWER, NEW, OLD) });
    expect(inheritedFrom({ ...A, ...to(NEW, OLD) }, before)).toEqual([{ hash: NEWER, mode: 'InPlace' }]);
  });

  test.each([
    ['no plan before', undefined],
    ['a plan of another history', accepted({ ...other, ...to(NEW, UNEXPECTED) })],
  ])('%s: nothing', (_, before) => {
    expect(inheritedFrom(B, before)).toEqual([]);
  });

  test('twenty revisions and no more', () => {
    const many = Array.from({ length: 30 }, (_, i) => ({ hash: `h1:${i}`, mode: 'InPlace' as const }));
    const inherited = inheritedFrom(B, accepted(A, { inherited: many }));
    expect(inherited).toHaveLength(20);
    expect(inherited.map(({ hash }) => hash)).not.toContain(B.to.hash);
  });
});

describe('a plan replaces one of its own history', () => {
  // The fix did not list OLDER, which most pods were on: it was refused, and so was everything after it.
  const fix = planObject(
    spec({
      digest: 'h1:bbbb',
      supersedes: ['h1:aaaa'],
      to: { hash: NEWER, bound: {} },
      from: [{ hash: NEW, mode: 'InPlace' }],
    }),
  );
  const situation = (parts: Parameters<typeof view>[0] = {}) =>
    input({
      view: view({ liveHash: NEWER, pods: [...pods(NEW, 3), ...pods(OLDER, 2)], ...parts }),
      plans: [fix],
      memory: [accepted(spec())],
    });

  test('although most pods are on a revision that only the plan before it listed', () => {
    const result = advance(situation());
    expect(outline(result)).toMatchObject({ plan: 'h1:bbbb', phase: 'Running', step: 0 });
    expect(result.accepted?.progress.inherited?.map(({ hash }) => hash)).toEqual([OLD, OLDER]);
  });

  test('not where a pod is on a revision that neither of them listed', () => {
    const result = advance(situation({ pods: [...pods(NEW, 3), ...pods(UNEXPECTED, 2)] }));
    expect(result.accepted?.spec.digest).toBe('h1:aaaa');
    expect(result.writes.filter((write) => write.do === 'accept')).toEqual([]);
  });

  test('inherited modes apply: the envelope allows the most disruptive of all listed', () => {
    const steps = [canary, rest];
    const from = [{ hash: OLD, mode: 'InPlace' as const }];
    const inForceNow = (inherited: { hash: string; mode: 'InPlace' | 'Recreate' }[]) =>
      advance(
        input({
          view: view({ pods: pods(OLDER, 5), modeTo: () => 'InPlace' }),
          plans: [planObject(spec({ ...A, from, steps }))],
          memory: [accepted({ ...A, from, steps }, { phase: 'Running', inherited })],
        }),
      ).envelope.mode;
    expect(inForceNow([{ hash: OLDER, mode: 'InPlace' }])).toBe('InPlace');
    expect(inForceNow([{ hash: OLDER, mode: 'Recreate' }])).toBe('Recreate');
  });

  test('inherited revisions are recorded: the next reconcile does not halt', () => {
    const self = drive({ view: view(), plans: [planObject(spec())] });
    self.reconcile();
    self.view = { ...self.view, liveHash: NEWER, pods: [...pods(NEW, 3), ...pods(OLDER, 2)] };
    self.plans = [fix];
    self.reconcile();
    self.crash();
    const result = self.wait(2 * MINUTE);
    expect(outline(result)).toMatchObject({ plan: 'h1:bbbb', phase: 'Running' });
  });

  test('back to the plan before, which never ended: it starts at its first step', () => {
    const self = drive({ view: view(), plans: [planObject(spec())] });
    self.reconcile();
    self.view = { ...self.view, liveHash: NEWER, pods: [...pods(NEW, 3), ...pods(OLD, 2)] };
    self.plans = [fix];
    self.reconcile();
    self.view = { ...self.view, liveHash: NEW, pods: [...pods(NEWER, 2), ...pods(OLD, 3)] };
    self.plans = [planObject(spec())];
    const result = self.reconcile();
    expect(outline(result)).toMatchObject({ plan: 'h1:aaaa', phase: 'Running', step: 0 });
    expect(activePlanOf(self)?.progress.seq).toBe(3);
  });
});

describe('a continuation', () => {
  const bounded = spec({ steps: [canary, rest], to: { hash: NEW, bound: { partition: 1 } } });
  const loosened = spec({ digest: 'h1:bbbb', supersedes: ['h1:aaaa'], steps: [canary, rest] });
  const broken = pods(NEW, 1, { name: 'broken', available: false, createdAt: NOW });

  // What the change had broken became the baseline of the continuing plan: the rollout ignored a broken pod.
  test('at the same step has the baseline of the plan that it continues, and fails for what broke under that one', () => {
    const old = pods(OLD, 5);
    const lame = { ...old[4]!, available: false };
    const self = drive({
      view: view({ partition: 1, pods: [...old.slice(0, 4), lame] }),
      plans: [planObject(bounded)],
    });
    self.reconcile();
    const before = activePlanOf(self)?.progress.baseline;
    expect(before?.unavailable).toEqual([lame.uid]);
    self.view = { ...self.view, pods: [...pods(NEW, 2), ...broken, old[0]!, lame] };
    self.wait(3 * MINUTE);
    self.view = { ...self.view, partition: 0 };
    self.plans = [planObject(loosened)];
    self.reconcile();
    expect(activePlanOf(self)?.spec.digest).toBe('h1:bbbb');
    expect(activePlanOf(self)?.progress).toMatchObject({ phase: 'Running', step: 0, baseline: before });
    expect(outline(self.wait(11 * MINUTE))).toMatchObject({
      plan: 'h1:bbbb',
      phase: 'Halted',
      reason: 'Timeout',
    });
  });

  test('of a plan that has ended takes a new baseline', () => {
    const self = drive({
      view: view({ stable: NEW, pods: [...pods(NEW, 3), ...broken, ...pods(OLD, 1)] }),
      plans: [planObject(loosened)],
      memory: [accepted(bounded, { phase: 'Succeeded', step: 2 })],
    });
    self.reconcile();
    expect(activePlanOf(self)?.spec.digest).toBe('h1:bbbb');
    expect(activePlanOf(self)?.progress.baseline.unavailable).toEqual(['uid-broken']);
  });
});
