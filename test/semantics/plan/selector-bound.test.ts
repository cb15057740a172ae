import { describe, expect, test } from 'vitest';
import type { PlanBound } from '../../../schemas/generated/types/rolloutplan.ts';
import { advance, type Advance } from '../../../semantics/plan/advance.ts';
import { heldReason } from '../../../semantics/plan/held.ts';
import type { Progress } from '../../../semantics/plan/memory.ts';
import type { Policy } from '../../../semantics/policy.ts';
import type { RolloutView } from '../../../semantics/plan/rollout-view.ts';
import { reachable } from '../../../semantics/plan/selector-bound.ts';
import {
  accepted,
  input,
  MINUTE,
  NEW,
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

const track = (name: string): { matchLabels: Record<string, string> } => ({ matchLabels: { track: name } });
const CANARY = track('canary');

/** Pods with a label, on a revision. */
const of = (name: string, hash: string, n: number): RolloutView['pods'] =>
  pods(hash, n, { labels: { track: name } }).map((row, at) => ({ ...row, name: `${name}-${hash}-${at}` }));

const planned = (bound: PlanBound) => spec({ to: { hash: NEW, bound }, steps: [rest] });

/** A plan in its only step, which leads to all pods. */
function look(
  target: Partial<RolloutView>,
  bound: PlanBound,
  progress: Partial<Progress> = {},
  policy: Policy = 'Required',
): { result: Advance; held: ReturnType<typeof heldReason> } {
  const seen = view({ replicas: target.pods?.length ?? 0, ...target });
  const plan = planned(bound);
  const memory = [accepted(plan, { frozenN: seen.replicas, ...progress })];
  const result = advance(input({ view: seen, plans: [planObject(plan)], memory, policy }));
  return { result, held: heldReason(seen, result, [planObject(plan)]) };
}

describe('a selector in the bound of a plan (kinds.md, rule 5.13)', () => {
  test.each<[what: string, RolloutView['pods'], selectors: Parameters<typeof reachable>[2], number]>([
    ['no selector', of('canary', OLD, 2), [undefined], Infinity],
    ['one', [...of('canary', OLD, 2), ...of('main', OLD, 3)], [CANARY], 2],
    ['units that are there already count', [...of('canary', OLD, 2), ...of('main', NEW, 3)], [CANARY], 5],
    ['two that exclude each other', of('canary', OLD, 2), [CANARY, track('main')], 0],
    ['units without labels', pods(OLD, 2), [CANARY], 0],
  ])('reachable: %s', (_what, rows, selectors, expected) => {
    expect(reachable(view({ pods: rows }), NEW, selectors)).toBe(expected);
  });

  const rows = (canary: string): RolloutView['pods'] => [...of('canary', canary, 2), ...of('main', OLD, 3)];

  test('the last step is done when every selected unit is updated', () => {
    const before = look({ pods: rows(OLD), selector: CANARY }, { selector: CANARY });
    expect(outline(before.result)).toMatchObject({ phase: 'Running', step: 0 });
    expect(before.result.waitingOn).toContain('0 of 2 are updated');
    expect(before.result.envelope).toMatchObject({ selector: CANARY, allowed: 5, moving: true });
    const { result } = look({ pods: rows(NEW), selector: CANARY }, { selector: CANARY });
    expect(outline(result)).toMatchObject({
      phase: 'Succeeded',
      writes: expect.arrayContaining([`complete ${NEW} (3 at ${OLD})`]) as string[],
    });
  });

  test('without a selected unit it waits without a clock, and does not fail', () => {
    const bound = { selector: track('none') };
    const { result } = look({ pods: rows(OLD) }, bound, { clockMs: 60 * MINUTE, idleMs: 60 * MINUTE });
    expect(outline(result)).toMatchObject({ phase: 'Running' });
    expect(result).toMatchObject({ boundedBy: 'selector', waitingOn: 'a pod that the selector selects' });
  });

  test('a narrower selector of the target holds the step open', () => {
    const { result, held } = look({ pods: rows(NEW), selector: CANARY }, {});
    expect(result).toMatchObject({ boundedBy: 'selector', waitingOn: "the target's own selector" });
    expect(held).toEqual({
      reason: 'Bound',
      message: expect.stringContaining('the selector of CloneSet shop/web retains the other pods') as string,
    });
  });

  const ended: Partial<Progress> = { phase: 'Succeeded', step: 1 };
  const after = { pods: rows(NEW), stable: NEW, retained: { hash: OLD, n: 3 } };

  test('once it has ended, later units with the labels may follow, and no others', () => {
    const { result, held } = look({ ...after, selector: CANARY }, { selector: CANARY }, ended);
    expect(result.envelope).toMatchObject({
      goal: NEW,
      selector: CANARY,
      moving: true,
      allowed: 'unbounded',
    });
    expect(held).toMatchObject({ reason: 'Bound' });
  });

  test('a selector that changes in git needs a plan', () => {
    const { held } = look({ ...after, selector: undefined }, { selector: CANARY }, ended);
    expect(held).toMatchObject({
      reason: 'NoPlan',
      message: expect.stringContaining('the selector of CloneSet shop/web selects other pods now') as string,
    });
  });

  test('a strategy that updates no pod any more needs no plan', () => {
    const { held } = look({ ...after, selector: undefined, onDelete: true }, { selector: CANARY }, ended);
    expect(held).toMatchObject({ reason: 'Bound' });
  });

  test('in Auto it needs none, and only pods that it does not select stay', () => {
    const wider = look({ ...after, selector: undefined }, { selector: CANARY }, ended, 'Auto');
    expect(wider.result.envelope).toMatchObject({ ownStrategy: true, moving: true });
    expect(wider.result.envelope.selector).toBe(undefined);
    expect(wider.held).toBe(undefined);
    const same = look({ ...after, selector: CANARY }, { selector: CANARY }, ended, 'Auto');
    expect(same.result.envelope).toMatchObject({ ownStrategy: true, selector: CANARY });
    expect(same.held).toMatchObject({ reason: 'Bound' });
  });

  test.each<[what: string, target: Partial<RolloutView>, bound: PlanBound]>([
    ['selector', { selector: undefined }, { selector: CANARY }],
    ['partition', { partition: 1 }, { partition: 3 }],
  ])('in Auto a loosened %s waits ten seconds for its plan object', (_what, target, bound) => {
    const loosened = { ...after, ...target, boundSince: NOW - 4_000 };
    const { result } = look(loosened, bound, ended, 'Auto');
    expect(result.envelope).toMatchObject({ goal: NEW, stable: NEW });
    expect(result.envelope).not.toHaveProperty('ownStrategy');
    expect(result.envelope.selector).toEqual(bound.selector);
    expect(result.requeueAt).toBe(NOW + 6_000);
    const later = look({ ...loosened, boundSince: NOW - 10_000 }, bound, ended, 'Auto');
    expect(later.result.envelope).toMatchObject({ ownStrategy: true, moving: true });
    const unchanged = look({ ...loosened, ...bound }, bound, ended, 'Auto');
    expect(unchanged.result.envelope).toMatchObject({ ownStrategy: true });
  });

  test('a plan with a wider one continues at the first step that is not done', () => {
    const before = accepted(planned({ selector: CANARY }), { ...ended, frozenN: 5 });
    const wider = { ...planned({}), supersedes: [before.spec.digest], digest: 'h1:bbbb' };
    const plan = planObject(wider);
    const result = advance(input({ view: view({ ...after, replicas: 5 }), plans: [plan], memory: [before] }));
    expect(outline(result)).toMatchObject({ plan: 'h1:bbbb', phase: 'Running', step: 0 });
    expect(result.envelope.selector).toBe(undefined);
  });

  test('units that it does not select may be on any revision', () => {
    const strange = [...of('canary', OLD, 2), ...of('main', UNEXPECTED, 3)];
    const { result } = look({ pods: strange, selector: CANARY }, { selector: CANARY });
    expect(outline(result)).toMatchObject({ phase: 'Running' });
    const all = look({ pods: strange }, {});
    expect(outline(all.result)).toMatchObject({ phase: 'Halted', reason: 'UnplannedRevision' });
  });

  test('a revert is not bound by that of the target, and takes what the plan may have moved', () => {
    const { result, held } = look({ ...after, liveHash: OLD, selector: CANARY }, { selector: CANARY }, ended);
    expect(outline(result)).toMatchObject({ phase: 'Reverting', goal: OLD });
    expect(held).toBe(undefined);
    expect(result.envelope).toMatchObject({
      obeyPartition: false,
      back: { taken: { left: [], planned: [NEW, OLD, OLDER], selector: CANARY } },
    });
    const there = look(
      { ...after, liveHash: OLD, pods: [...of('canary', OLD, 2), ...of('main', UNEXPECTED, 3)] },
      { selector: CANARY },
      { phase: 'Reverting', cause: 'git', goal: OLD },
    );
    expect(outline(there.result)).toMatchObject({ phase: 'Reverted' });
    expect(there.result.transitions.at(-1)?.message).toContain('every pod that the plan has moved is at');
  });
});
