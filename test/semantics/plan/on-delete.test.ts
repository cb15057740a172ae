import { describe, expect, test } from 'vitest';
import { advance } from '../../../semantics/plan/advance.ts';
import { heldReason } from '../../../semantics/plan/held.ts';
import type { Progress } from '../../../semantics/plan/memory.ts';
import { planStatus } from '../../../semantics/plan/plan-status.ts';
import type { RolloutView } from '../../../semantics/plan/rollout-view.ts';
import {
  accepted,
  input,
  MINUTE,
  NEW,
  NOW,
  OLD,
  outline,
  planObject,
  pods,
  rest,
  spec,
  UNEXPECTED,
  view,
} from './rollout.ts';

const one = spec({ steps: [rest] });

function look(target: Partial<RolloutView>, progress: Partial<Progress> = {}, plan = spec()) {
  const seen = view({ onDelete: true, ...target });
  const memory = [accepted(plan, progress)];
  const result = advance(input({ view: seen, plans: [planObject(plan)], memory }));
  const status = planStatus({
    view: seen,
    result,
    plan: planObject(plan),
    before: undefined,
    generation: 1,
    memory,
    now: NOW,
  });
  return { result, status, held: heldReason(seen, result, [planObject(plan)]) };
}

describe('a plan for a target whose strategy is OnDelete (CS-11)', () => {
  test('a step waits for a user, without a clock, a slot or a warning', () => {
    const { result, status, held } = look({}, { idleMs: 60 * MINUTE, clockMs: 60 * MINUTE });
    expect(outline(result)).toMatchObject({ phase: 'Running', step: 0 });
    expect(result).toMatchObject({ boundedBy: 'OnDelete', waitingOn: 'a user to delete 3 pods' });
    expect(result.progressClock?.counting).toBe(undefined);
    expect(result.requeueAt).toBe(undefined);
    expect(status).toMatchObject({ phase: 'Running', waitingOn: 'Bound', boundedBy: 'OnDelete' });
    expect(status.conditions).toMatchObject([{ type: 'Ready', status: 'True', reason: 'OnDelete' }]);
    expect(held?.reason).toBe('OnDelete');
    expect(held?.message).toContain('kubectl delete pod -n shop');
  });

  test('its own timeout does not end it either', () => {
    const timed = spec({ steps: [{ ...rest, timeout: '5m' }] });
    const { result } = look({}, { clockMs: 60 * MINUTE }, timed);
    expect(outline(result)).toMatchObject({ phase: 'Running' });
  });

  test('new pods are judged as usual: one that does not become available in time halts it', () => {
    const fresh = [...pods(OLD, 4), ...pods(NEW, 1, { available: false })];
    const running = look({ pods: fresh });
    expect(running.result).toMatchObject({ boundedBy: undefined });
    expect(running.result.progressClock?.counting).toBe('step');
    const late = look({ pods: fresh }, { idleMs: 11 * MINUTE });
    expect(outline(late.result)).toMatchObject({ phase: 'Halted', reason: 'Timeout' });
  });

  test('a pod that is deleted and not recreated yet needs no user', () => {
    expect(look({ pods: pods(OLD, 4) }).result.boundedBy).toBe(undefined);
  });

  test('a step is done when as many pods as it allows were deleted and recreated, the last step when all were', () => {
    const three = [...pods(OLD, 2), ...pods(NEW, 3)];
    expect(outline(look({ pods: three }, { best: 3 }).result)).toMatchObject({ step: 1 });
    expect(outline(look({ pods: pods(NEW, 5) }, { best: 5 }, one).result)).toMatchObject({
      phase: 'Succeeded',
    });
    expect(outline(look({ pods: three }, {}, one).result)).toMatchObject({ phase: 'Running' });
  });

  test('pods on other revisions block no plan, as they are not updated', () => {
    const unexpected = [...pods(OLD, 3), ...pods(UNEXPECTED, 2)];
    const seen = view({ onDelete: true, pods: unexpected, modeTo: () => 'Recreate' });
    expect(outline(advance(input({ view: seen })))).toMatchObject({ phase: 'Running' });
  });

  test('the manifest goes back: the revert is done at once, and its message names the remaining pods', () => {
    const target = { liveHash: OLD, pods: [...pods(OLD, 3), ...pods(NEW, 2)] };
    const { result } = look(target, { best: 2 });
    expect(outline(result)).toMatchObject({ phase: 'Reverted' });
    expect(result.transitions.at(-1)?.message).toBe(
      'new pods are created at old again; 2 stay as they are until they are deleted',
    );
    expect(result.envelope.goal).toBe(OLD);
    expect(outline(look({ ...target, pods: target.pods.slice(1) }).result)).toMatchObject({
      phase: 'Reverting',
    });
  });
});
