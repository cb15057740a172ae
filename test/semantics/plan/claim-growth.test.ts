import { describe, expect, test } from 'vitest';
import type { RolloutPlanSpec } from '../../../schemas/generated/types/rolloutplan.ts';
import { type Advance, advance } from '../../../semantics/plan/advance.ts';
import { heldReason } from '../../../semantics/plan/held.ts';
import type { Accepted, Progress } from '../../../semantics/plan/memory.ts';
import type { AdvanceInput } from '../../../semantics/plan/advance-input.ts';
import type { RolloutView } from '../../../semantics/plan/rollout-view.ts';
import { accepted, input, NEW, OLD, outline, owned, planObject, pods, spec, view } from './rollout.ts';

const names = Array.from({ length: 5 }, (_, n) => `uid-new-${n}`);
/** Five pods at the revision of git, of which these have claims that have yet to grow to `hash`. */
const grown = (hash: string, pending: readonly string[], parts: Partial<RolloutView> = {}): RolloutView =>
  view({
    stable: NEW,
    pods: pods(NEW, 5),
    units: owned({ growth: { hash, pending: new Set(pending) } }),
    ...parts,
  });
const plan = (claims: string, parts: Partial<RolloutPlanSpec> = {}): RolloutPlanSpec =>
  spec({ to: { hash: NEW, bound: {}, claims }, from: [], ...parts });
const running = (to: RolloutPlanSpec, parts: Partial<Progress> = {}): Accepted =>
  accepted(to, { before: { stable: NEW }, ...parts });

function look(target: RolloutView, to: RolloutPlanSpec | undefined, more: Partial<AdvanceInput> = {}) {
  const plans = to === undefined ? [] : [planObject(to)];
  const result = advance(input({ view: target, plans, ...more }));
  return { result, held: heldReason(target, result, plans)?.reason, grows: growing(result) };
}

function growing({ envelope }: Advance): number | 'unbounded' | undefined {
  return envelope.growsClaims === true ? envelope.allowed : undefined;
}

describe('a plan that only grows claims', () => {
  test('without one nothing grows, and the target is held', () => {
    expect(look(grown('2Gi', names), undefined)).toMatchObject({ held: 'NoPlan', grows: undefined });
    expect(look(grown('2Gi', []), undefined).held).toBe(undefined);
  });

  test('in Auto claims grow without one', () => {
    expect(look(grown('2Gi', names), undefined, { policy: 'Auto' })).toMatchObject({
      held: undefined,
      grows: 'unbounded',
    });
  });

  test('its first step allows as many pods as it names', () => {
    const { result, grows } = look(grown('2Gi', names), plan('2Gi'));
    expect(outline(result)).toMatchObject({ phase: 'Running', step: 0 });
    expect(grows).toBe(3);
  });

  test('a step is done once so many have grown, and a gate grows none', () => {
    const { result, grows } = look(grown('2Gi', names.slice(3)), plan('2Gi'), {
      memory: [running(plan('2Gi'))],
    });
    expect(outline(result)).toMatchObject({ phase: 'AwaitingApproval', step: 1 });
    expect(grows).toBe(undefined);
  });

  test('it names the first pod that it waits for', () => {
    const { result } = look(grown('2Gi', names), plan('2Gi'), { memory: [running(plan('2Gi'))] });
    expect(result.waitingOn).toBe(
      'pods: 0 of 3 are updated and available (new-0 and 4 more: claims have yet to grow)',
    );
  });

  test('it waits for its manifest', () => {
    const { result } = look(grown('1Gi', []), plan('2Gi'));
    expect(outline(result)).toMatchObject({ phase: 'Pending', blocked: 'ManifestChanged' });
  });

  test('no claim grows to a size that another commit brought', () => {
    const { result, held, grows } = look(grown('3Gi', names), plan('2Gi'), {
      memory: [running(plan('2Gi'))],
    });
    expect(outline(result)).toMatchObject({ phase: 'Running', blocked: 'ManifestChanged' });
    expect(held).toBe('ManifestChanged');
    expect(grows).toBe(undefined);
  });

  test('a plan without claims, as an earlier version wrote it, grows none', () => {
    const { result, grows } = look(grown('2Gi', names), spec({ from: [] }));
    expect(outline(result)).toMatchObject({ phase: 'Pending', blocked: 'ManifestChanged' });
    expect(grows).toBe(undefined);
  });

  test('after it the rest may grow: a claim that got its volume late', () => {
    const memory = [running(plan('2Gi'), { phase: 'Succeeded', step: 3 })];
    expect(look(grown('2Gi', names.slice(4)), plan('2Gi'), { memory })).toMatchObject({
      held: undefined,
      grows: 'unbounded',
    });
    expect(look(grown('3Gi', names), plan('2Gi'), { memory })).toMatchObject({
      held: 'NoPlan',
      grows: undefined,
    });
  });

  test('restarts of before do not count against it', () => {
    const restarted = { pods: pods(NEW, 5, { restarts: 2, restartedWhenAvailable: true }) };
    const first = look(grown('2Gi', names, restarted), plan('2Gi')).result;
    expect(first.accepted?.progress.baseline.restarts).toMatchObject({ 'uid-new-0': 2 });
    const memory = [accepted(plan('2Gi'), first.accepted?.progress)];
    const { result } = look(grown('2Gi', names.slice(2), restarted), plan('2Gi'), { memory });
    expect(outline(result)).toMatchObject({ phase: 'Running', step: 0 });
  });
});

describe('the manifest goes back to smaller claims', () => {
  test('the plan ends, whatever plan is present', () => {
    for (const to of [plan('2Gi'), undefined]) {
      const { result, held } = look(grown('1Gi', []), to, { memory: [running(plan('2Gi'), { step: 1 })] });
      expect(outline(result)).toMatchObject({ phase: 'Reverted', reason: 'WentBack' });
      expect(held).toBe(undefined);
    }
  });

  test('it comes back, and the plan starts at its step 1', () => {
    const memory = [running(plan('2Gi'), { phase: 'Reverted', step: 1, cause: 'git', goal: NEW })];
    const { result, grows } = look(grown('2Gi', names), plan('2Gi'), { memory });
    expect(outline(result)).toMatchObject({ phase: 'Running', step: 0, transitions: ['Restarted'] });
    expect(grows).toBe(3);
    expect(outline(look(grown('1Gi', []), plan('2Gi'), { memory }).result).phase).toBe('Reverted');
  });

  test('a plan that also updates pods goes on', () => {
    const both = plan('2Gi', { from: [{ hash: OLD, mode: 'InPlace' }] });
    const memory = [running(both, { before: { stable: OLD } })];
    const target = grown('1Gi', [], { stable: OLD, pods: [...pods(OLD, 4), ...pods(NEW, 1)] });
    expect(outline(look(target, both, { memory }).result)).toMatchObject({ phase: 'Running' });
  });
});

describe('a plan for other claims follows', () => {
  const next = plan('3Gi', { digest: 'h1:bbbb', supersedes: ['h1:aaaa'] });

  test('it starts at its step 1 while the one before runs', () => {
    const memory = [running(plan('2Gi'), { step: 2 })];
    const { result, grows } = look(grown('3Gi', names), next, { memory });
    expect(outline(result)).toMatchObject({ plan: 'h1:bbbb', phase: 'Running', step: 0 });
    expect(grows).toBe(3);
  });

  test('a failure of the one before says nothing of it', () => {
    const memory = [running(plan('2Gi'), { phase: 'Halted', cause: 'failure', reason: 'Timeout', step: 0 })];
    expect(outline(look(grown('3Gi', names), next, { memory }).result)).toMatchObject({
      plan: 'h1:bbbb',
      phase: 'Running',
    });
    const same = plan('2Gi', { digest: 'h1:bbbb', supersedes: ['h1:aaaa'] });
    expect(outline(look(grown('2Gi', names), same, { memory }).result)).toMatchObject({
      plan: 'h1:bbbb',
      phase: 'Halted',
    });
  });

  test('it waits for its manifest', () => {
    const memory = [running(plan('2Gi'), { step: 2 })];
    const { result } = look(grown('2Gi', names), next, { memory });
    expect(outline(result)).toMatchObject({ plan: 'h1:aaaa', blocked: 'ManifestChanged' });
  });
});
