import { describe, expect, test } from 'vitest';
import type { Progress } from '../../../semantics/plan/memory.ts';
import type { PodRow } from '../../../semantics/plan/pod-row.ts';
import type { RolloutView } from '../../../semantics/plan/rollout-view.ts';
import { judgeStep } from '../../../semantics/plan/steps.ts';
import { emptyContext } from '../../../semantics/plan/rollout-context.ts';
import { accepted, MINUTE, NEW, NOW, OLD, owned, pods, spec, view } from './rollout.ts';

const text = 'waits for hook inPlaceUpdate, label a/b=c: kubectl label pod old-0 -n shop a/b-';
const units = owned({
  hookWaits: () => [
    { pod: 'old-0', text },
    { pod: 'old-1', text: text.replace('old-0', 'old-1') },
  ],
});
const judge = (rows: PodRow[], parts: Partial<RolloutView> = {}, progress: Partial<Progress> = {}) =>
  judgeStep(view({ pods: rows, ...parts }), accepted(spec(), progress), emptyContext, NOW);

describe('pods that wait at a hook', () => {
  test('a step names the first of them, whatever its revision is', () => {
    expect(judge(pods(OLD, 5), { units })).toMatchObject({
      is: 'underway',
      waitingOn: `pods: 0 of 3 are updated and available (old-0 and 1 more: ${text})`,
    });
  });

  test('different hooks are named each, with the first pod that waits at it', () => {
    const at = (pod: string, hook: string) => ({
      pod,
      text: `waits for hook ${hook}: kubectl label pod ${pod} a/b-`,
    });
    const several = owned({
      hookWaits: () => [at('old-0', 'preDelete'), at('old-1', 'inPlaceUpdate'), at('old-2', 'preDelete')],
    });
    const [first, second] = [at('old-0', 'preDelete'), at('old-1', 'inPlaceUpdate')].map(
      ({ text: each }) => each,
    );
    expect(judge(pods(OLD, 5), { units: several })).toMatchObject({
      waitingOn: `pods: 0 of 3 are updated and available (old-0 and 1 more: ${first}; old-1: ${second})`,
    });
  });

  test('of more than three the others are counted', () => {
    const many = owned({
      hookWaits: () => [0, 1, 2, 3, 4].map((n) => ({ pod: `old-${n}`, text: `waits for ${n}` })),
    });
    expect(judge(pods(OLD, 5), { units: many })).toMatchObject({
      waitingOn: expect.stringMatching(
        /\(old-0: waits for 0; old-1: .*; old-2: waits for 2; 2 more wait for others\)$/,
      ),
    });
  });

  test('a pod on the new revision that waits comes first', () => {
    const hook = 'waits for hook preNormal';
    const rows = [...pods(OLD, 4), ...pods(NEW, 1, { available: false, hook, problem: 'is pulled' })];
    expect(judge(rows, { units })).toMatchObject({
      waitingOn: 'pods: 0 of 3 are updated and available (new-0: waits for hook preNormal)',
    });
  });

  test('a hook that never ends fails the step, which names it', () => {
    expect(judge(pods(OLD, 5), { units }, { idleMs: 10 * MINUTE })).toEqual({
      is: 'failed',
      reason: 'Timeout',
      message: `no pod became available for 10m in canary (old-0 and 1 more: ${text})`,
    });
  });

  test('the way back names it, too', () => {
    const back = accepted(spec(), { phase: 'Reverting', goal: OLD });
    const rows = [...pods(OLD, 4), ...pods(NEW, 1)];
    const target = view({ pods: rows, units });
    const waitsFor = (at: RolloutView) => at.rules(back.spec).backWaitsFor(at, back);
    expect(waitsFor(target)).toBe(`1 more to be reverted (old-0 and 1 more: ${text})`);
    expect(waitsFor(view({ pods: pods(OLD, 4), units }))).toBe(
      `1 more to be created (old-0 and 1 more: ${text})`,
    );
  });
});
