import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { drive } from './drive.ts';
import { MINUTE, NEW, OLD, ok, planObject, pods, rest, spec, view } from './rollout.ts';

const percent = (id: string, to: string): Step => ({ id, update: { to, atLeast: 1 } });

/** How many pods may be on `to` after each number of replicas, in one step. */
function allowedAfter(step: Step, sizes: readonly number[]): (number | 'unbounded')[] {
  const [first = 0] = sizes;
  const self = drive({
    view: view({ replicas: first, pods: pods(OLD, first) }),
    plans: [planObject(spec({ steps: [step, rest] }))],
  });
  return sizes.map((replicas) => {
    self.view = { ...self.view, replicas, pods: pods(OLD, replicas) };
    return self.reconcile().envelope.allowed;
  });
}

describe('N freezes when an update step starts, and follows scale-in down', () => {
  test.each([
    ['50%', [10, 4, 12], [5, 2, 2]],
    ['50%', [10, 2, 12], [5, 1, 1]],
    ['5%', [10, 4, 12], [1, 1, 1]],
    ['5%', [10, 2, 12], [1, 1, 1]],
    ['50%', [10, 40], [5, 5]],
    ['99%', [10, 40], [9, 9]],
    ['100%', [10, 40, 4, 10], [10, 40, 4, 10]],
    ['50%', [10, 0, 10], [5, 5, 5]],
    ['50%', [10, 0, 4], [5, 5, 2]],
    ['50%', [0, 10], [0, 5]],
  ] as const)('%s while the autoscaler sets %j: %j', (to, sizes, expected) => {
    expect(allowedAfter(percent('part', to), sizes)).toEqual(expected);
  });

  test('it is frozen anew at the next update step, and at no gate', () => {
    const self = drive({
      view: view({ replicas: 10, pods: pods(OLD, 10) }),
      plans: [planObject(spec({ steps: [percent('half', '50%'), ok, rest] }))],
    });
    self.reconcile();
    self.view = { ...self.view, replicas: 20, pods: [...pods(NEW, 5), ...pods(OLD, 15)] };
    expect(self.reconcile().envelope.allowed).toBe(5);
    expect(self.memory[0]?.progress).toMatchObject({ phase: 'AwaitingApproval', frozenN: 10 });
    const progress = self.memory[0]?.progress;
    if (progress !== undefined) progress.approved = ['ok'];
    expect(self.reconcile().envelope.allowed).toBe(20);
  });

  test('pods that a scale-out adds in the last step, or in a soak after it, are updated, too', () => {
    const self = drive({
      view: view({ replicas: 4, pods: pods(OLD, 4) }),
      plans: [planObject(spec({ steps: [rest, { id: 'soak', soak: { for: '1m' } }] }))],
    });
    self.reconcile();
    self.view = { ...self.view, replicas: 6, pods: [...pods(NEW, 4), ...pods(OLD, 2)] };
    expect(self.reconcile().envelope).toMatchObject({ allowed: 6, moving: true });
    self.view = { ...self.view, pods: pods(NEW, 6) };
    self.reconcile();
    self.view = { ...self.view, replicas: 9 };
    // The gate updates what the step before it allows, and no more.
    expect(self.reconcile().envelope).toMatchObject({ allowed: 9, moving: true });
    self.view = { ...self.view, pods: pods(NEW, 9) };
    expect(self.reconcile().envelope).toMatchObject({ allowed: 9, moving: false });
    self.wait(2 * MINUTE);
    expect(self.memory[0]?.progress.phase).toBe('Succeeded');
    expect(self.view.retained).toBeUndefined();
  });

  test('a rollout that is halted in the last step stays frozen: added pods are created on the stable revision', () => {
    const self = drive({
      view: view({ replicas: 4, pods: [...pods(NEW, 2), ...pods(OLD, 2)] }),
      plans: [planObject(spec({ steps: [rest] }))],
    });
    self.wait(10 * MINUTE);
    self.view = { ...self.view, replicas: 6 };
    expect(self.reconcile().envelope).toMatchObject({ goal: NEW, stable: OLD, allowed: 2, moving: false });
  });
});

describe('when an update step is done', () => {
  const done = (
    replicas: number,
    there: ReturnType<typeof pods>,
    step: Step,
    bound = 0,
    partition = 0,
  ): string => {
    const self = drive({
      view: view({ replicas, pods: there, partition }),
      plans: [planObject(spec({ to: { hash: NEW, bound: { partition: bound } }, steps: [step] }))],
    });
    const result = self.reconcile();
    return result.boundedBy ?? self.memory[0]?.progress.phase ?? '';
  };
  const some = (n: number, old: number) => [...pods(NEW, n), ...pods(OLD, old)];
  const broken = pods(NEW, 1, { name: 'broken', available: false, createdAt: 0 });

  test.each([
    ['all are updated', 5, some(5, 0), rest, 0, 0, 'Succeeded'],
    ['one is missing', 5, some(4, 1), rest, 0, 0, 'Running'],
    ['one old pod is left beyond the bound (surge)', 5, some(5, 1), rest, 0, 0, 'Running'],
    ['two old surge pods are left', 10, some(10, 2), rest, 0, 0, 'Running'],
    ['with a bound of two', 10, some(8, 2), rest, 2, 2, 'Succeeded'],
    ['with a bound, one too few', 10, some(7, 3), rest, 2, 2, 'Running'],
    ["the target's own partition is tighter", 10, some(5, 5), rest, 2, 5, 'partition'],
    ['all pods are retained', 5, some(0, 5), rest, 5, 5, 'partition'],
    ['a percentage of one pod is none', 1, some(0, 1), { id: 'x', update: { to: '5%' } }, 0, 0, 'Running'],
    ['a percentage of one pod, at least one', 1, some(1, 0), percent('x', '5%'), 0, 0, 'Succeeded'],
    ['a count beyond the replicas', 3, some(3, 0), { id: 'x', update: { to: 30 } }, 0, 0, 'Succeeded'],
  ] as [string, number, ReturnType<typeof pods>, Step, number, number, string][])(
    '%s',
    (_, replicas, there, step, bound, partition, expected) => {
      expect(done(replicas, there, step, bound, partition)).toBe(expected);
    },
  );

  test('not while a pod at `to` that was available before is unavailable', () => {
    const self = drive({ plans: [planObject(spec({ steps: [rest] }))] });
    self.reconcile();
    self.view = { ...self.view, pods: [...pods(NEW, 4), ...broken] };
    expect(self.reconcile().waitingOn).toBe('pods: 4 of 5 are updated and available');
  });

  test('not while more pods than the step allows are at `to` and one of them is unavailable', () => {
    const self = drive({ plans: [planObject(spec({ steps: [{ id: 'first', update: { to: 1 } }, rest] }))] });
    self.reconcile();
    self.view = { ...self.view, pods: [...pods(NEW, 2, { available: false }), ...pods(OLD, 3)] };
    expect(self.reconcile().waitingOn).toBe('pods: 0 of 2 are updated and available');
  });

  test('the message has the first pod by name with a problem; starting containers are none', () => {
    const self = drive({ plans: [planObject(spec({ steps: [rest] }))] });
    self.reconcile();
    const waiting = (name: string, problem?: string) =>
      pods(NEW, 1, { name, available: false, ...(problem === undefined ? {} : { problem }) });
    const crashing = waiting('c', 'main: CrashLoopBackOff, 4 restarts');
    const there = [...waiting('a'), ...waiting('b', 'main: ContainerCreating'), ...crashing];
    self.view = { ...self.view, pods: [...there, ...pods(OLD, 2)] };
    const none = 'pods: 0 of 5 are updated and available';
    expect(self.reconcile().waitingOn).toBe(`${none} (c: main: CrashLoopBackOff, 4 restarts)`);
    self.view = {
      ...self.view,
      pods: [...crashing, ...waiting('aa', 'x: ErrImagePull y:1'), ...pods(OLD, 3)],
    };
    expect(self.reconcile().waitingOn).toBe(`${none} (aa and 1 more: x: ErrImagePull y:1)`);
  });

  test('the message has how many are updated and available, whether the others are updated yet or not', () => {
    const self = drive({ plans: [planObject(spec({ steps: [rest] }))] });
    self.reconcile();
    self.view = { ...self.view, pods: [...pods(NEW, 2), ...pods(OLD, 3)] };
    expect(self.reconcile().waitingOn).toBe('pods: 2 of 5 are updated and available');
  });

  test('not while no pod at `to` is available, baseline or not', () => {
    const self = drive({
      view: view({ replicas: 1, pods: pods(OLD, 1, { available: false }) }),
      plans: [planObject(spec({ steps: [rest] }))],
    });
    self.reconcile();
    self.view = { ...self.view, pods: pods(NEW, 1, { name: 'old-0', available: false }) };
    self.wait(MINUTE);
    expect(self.memory[0]?.progress.phase).toBe('Running');
    self.view = { ...self.view, pods: pods(NEW, 1, { name: 'old-0' }) };
    self.wait(1000);
    expect(self.memory[0]?.progress.phase).toBe('Succeeded');
  });
});
