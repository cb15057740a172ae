import { describe, expect, test } from 'vitest';
import type { RolloutPlanStatus } from '../../../schemas/generated/types/rolloutplan.ts';
import { planStatus } from '../../../semantics/plan/plan-status.ts';
import { type Drive, drive } from './drive.ts';
import { accepted, MINUTE, NEW, NOW, OLD, planObject, pods, rest, selected, spec, view } from './rollout.ts';

const toNewPods = [{ hash: OLD, mode: 'NewPodsOnly' as const }];
const half = { id: 'half', update: { to: '50%' } };
const forNewPods: Parameters<typeof view>[0] = { modeTo: () => 'NewPodsOnly', units: selected() };
const empty = { replicas: 0, pods: [] };

/** A plan that has begun, of a target like this. */
function begun(target: Parameters<typeof view>[0], parts: Parameters<typeof spec>[0] = {}): Drive {
  const planned = spec({ steps: [rest], ...parts });
  return drive({ view: view(target), plans: [planObject(planned)], memory: [accepted(planned, {})] });
}

/** The status of its plan a while later. */
function shownAfter(self: Drive, ms: number): RolloutPlanStatus {
  const result = self.wait(ms);
  const [plan] = self.plans;
  if (plan === undefined) throw new Error('there is a plan object');
  const { memory, now } = self;
  return planStatus({ view: self.view, result, plan, before: undefined, generation: 1, memory, now });
}

/** The same after its first step. */
function soaking(target: Parameters<typeof view>[0]): Drive {
  const planned = spec({ steps: [half, { id: 'soak', soak: { for: '1h' } }, rest] });
  const memory = [accepted(planned, { phase: 'Soaking', step: 1 })];
  return drive({ view: view(target), plans: [planObject(planned)], memory });
}

const conditionsOf = ({ conditions = [] }: RolloutPlanStatus): (string | undefined)[][] =>
  conditions.map(({ type, status, reason }) => [type, status, reason]);

/** kstatus takes an object with this condition, and neither of Reconciling and Stalled, for Current. */
const ready = (reason: string): string[][] => [['Ready', 'True', reason]];

describe('a plan that only somebody else can continue is Ready, and says what ends the wait', () => {
  test.each<[string, Drive, reason: string, message: string]>([
    [
      'selected pods, none of which has the containers',
      begun({ ...empty, units: selected({ missed: 3 }) }),
      'AwaitingPods',
      'waits for a pod: no pod has its containers; 3 pods that it selects have none, and get them when recreated',
    ],
    ['no replicas', begun(empty), 'AwaitingPods', 'waits for a pod: replicas is 0'],
    [
      'a soak whose pods are all gone',
      soaking({ ...empty, units: selected() }),
      'AwaitingPods',
      'waits for a pod: no pod has its containers',
    ],
    [
      'a change for new pods, of which there is none yet',
      begun(forNewPods, { from: toNewPods, steps: [half, rest] }),
      'AwaitingPods',
      'waits for new pods: 0 of 1 are available',
    ],
    [
      'a partition that retains every pod',
      begun({ partition: 5 }, { to: { hash: NEW, bound: { partition: 5 } } }),
      'Bound',
      'waits for a lower partition',
    ],
  ])('%s', (_what, self, reason, message) => {
    const status = shownAfter(self, 60 * MINUTE);
    expect(['Running', 'Soaking']).toContain(status.phase);
    expect(status.message).toBe(message);
    expect(conditionsOf(status)).toEqual(ready(reason));
  });

  test('such a wait is not written again and again', () => {
    const self = begun(forNewPods, { from: toNewPods, steps: [half, rest] });
    self.reconcile();
    const before = structuredClone(self.memory);
    self.wait(60 * MINUTE);
    expect(self.memory).toEqual(before);
    expect(self.reconcile().requeueAt).toBeUndefined();
  });
});

describe('it is in progress', () => {
  test.each<[string, Drive, reason: string]>([
    ['as soon as there is a pod', begun({ replicas: 1, pods: pods(OLD, 1), units: selected() }), 'Running'],
    [
      'while a new pod is not available yet',
      begun(
        { ...forNewPods, pods: [...pods(OLD, 4), ...pods(NEW, 1, { available: false, createdAt: NOW })] },
        { from: toNewPods, steps: [half, rest] },
      ),
      'Running',
    ],
    [
      'while new pods come with a timeout, which ends the step',
      begun(forNewPods, { from: toNewPods, steps: [{ ...half, timeout: '2h' }, rest] }),
      'Running',
    ],
    ['while its target is paused', begun({ ...empty, paused: true }), 'TargetPaused'],
  ])('%s', (_what, self, reason) => {
    expect(conditionsOf(shownAfter(self, MINUTE))).toEqual([
      ['Ready', 'False', reason],
      ['Reconciling', 'True', reason],
    ]);
  });
});
