import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { type CheckResult, emptyContext } from '../../../semantics/plan/rollout-context.ts';
import { type Drive, drive, swap } from './drive.ts';
import { canary, MINUTE, NEW, OLD, planObject, pods, rest, spec, view } from './rollout.ts';

const named: Step = { id: 'errors', check: { use: 'error-rate', args: { service: 'web' }, for: '5m' } };
const three = [...pods(NEW, 3), ...pods(OLD, 2)];

/** Three pods are updated, and the check after them has started. */
function checking(step: Step = named, parts: Partial<Drive> = {}): Drive {
  const self = drive({
    view: view({ pods: three }),
    plans: [planObject(spec({ steps: [canary, step, rest] }))],
    ...parts,
  });
  self.reconcile();
  return self;
}

function report(self: Drive, is: CheckResult['is'], parts: Partial<CheckResult> = {}): void {
  const check = { digest: 'h1:aaaa', step: 'errors', at: self.now, is, message: `it is ${is}`, ...parts };
  self.context = { ...emptyContext, check };
}

function state(self: Drive): string {
  const { phase = 'Pending', reason } = self.memory[0]?.progress ?? {};
  return reason === undefined ? phase : `${phase} ${reason}`;
}

describe('a named check', () => {
  test('requests a result, with everything that the check needs', () => {
    const result = checking().reconcile();
    expect(result.check).toEqual({
      digest: 'h1:aaaa',
      step: 'errors',
      use: 'error-rate',
      args: { service: 'web' },
      namespace: 'shop',
    });
    expect(result.waitingOn).toBe('an answer of the check error-rate');
    expect(result.envelope.moving).toBe(false);
  });

  test('passes when it has passed for its time', () => {
    const self = checking();
    report(self, 'pass');
    expect(self.wait(5 * MINUTE - 1000).waitingOn).toBe('the check error-rate to pass for 5m');
    expect(state(self)).toBe('Checking');
    self.wait(1000);
    expect(state(self)).toBe('Running');
  });

  test('without `for`, passing once is enough', () => {
    const self = checking({ id: 'errors', check: { use: 'error-rate' } });
    report(self, 'pass');
    self.reconcile();
    expect(state(self)).toBe('Running');
  });

  test('only passing time counts, and the count is retained', () => {
    const self = checking();
    report(self, 'pass');
    self.wait(3 * MINUTE);
    report(self, 'unknown');
    self.wait(9 * MINUTE);
    report(self, 'pass');
    self.wait(2 * MINUTE - 1000);
    expect(state(self)).toBe('Checking');
    self.wait(1000);
    expect(state(self)).toBe('Running');
  });

  test('a crash loses at most 30 seconds of it', () => {
    const self = checking();
    report(self, 'pass');
    self.wait(3 * MINUTE + 29_000);
    self.crash();
    self.wait(MINUTE + 31_000 - 1000);
    expect(state(self)).toBe('Checking');
    self.wait(31_000);
    expect(state(self)).toBe('Running');
  });

  test('fails at once when the check fails, with its message', () => {
    const self = checking();
    report(self, 'pass');
    self.wait(4 * MINUTE);
    report(self, 'fail', { message: '3.1 % of requests fail, allowed is 1 %' });
    self.reconcile();
    expect(state(self)).toBe('Halted CheckFailed');
    expect(self.memory[0]?.progress.message).toBe('errors: 3.1 % of requests fail, allowed is 1 %');
  });

  test('reverts if the update before it has onFailure Revert', () => {
    const self = drive({
      view: view({ pods: three }),
      plans: [planObject(spec({ steps: [{ ...canary, onFailure: 'Revert' }, named, rest] }))],
    });
    self.reconcile();
    report(self, 'fail');
    self.reconcile();
    expect(state(self)).toBe('Reverting CheckFailed');
  });

  test.each([
    ['there is no result', undefined],
    ['the result is unknown', {}],
    ['the result is of another step', { step: 'other', is: 'pass' as const }],
    ['the result is of another plan', { digest: 'h1:bbbb', is: 'fail' as const }],
  ])('%s for ten minutes: it fails', (_, answer) => {
    const self = checking();
    if (answer !== undefined) report(self, 'unknown', answer);
    self.wait(10 * MINUTE - 1000);
    expect(state(self)).toBe('Checking');
    self.wait(1000);
    expect(state(self)).toBe('Halted CheckUnanswered');
  });

  test('a passing result restarts the ten minutes', () => {
    const self = checking({ ...named, check: { use: 'error-rate', for: '1h' } });
    self.wait(9 * MINUTE);
    report(self, 'pass');
    self.wait(MINUTE);
    report(self, 'unknown');
    self.wait(10 * MINUTE - 30_000);
    expect(state(self)).toBe('Checking');
    self.wait(MINUTE);
    expect(state(self)).toBe('Halted CheckUnanswered');
  });

  test('its own timeout counts the whole time', () => {
    const self = checking({ ...named, timeout: '4m' });
    report(self, 'pass');
    self.wait(4 * MINUTE - 1000);
    expect(state(self)).toBe('Checking');
    self.wait(1000);
    expect(state(self)).toBe('Halted Timeout');
  });

  test.each([
    ['a pod at `to` restarts', { restarts: 1 }],
    ['a pod at `to` becomes unavailable', { available: false }],
  ])('the pods are watched during it: %s', (_, parts) => {
    const self = checking();
    report(self, 'pass');
    self.wait(MINUTE);
    swap(self, 'new-1', parts);
    self.reconcile();
    expect(state(self)).toBe('Halted Breach');
  });

  test('its clock stops while a wanted pod is missing', () => {
    const self = checking();
    report(self, 'pass');
    self.wait(4 * MINUTE);
    self.view = { ...self.view, pods: self.view.pods.filter((pod) => pod.name !== 'new-1') };
    expect(self.wait(30 * MINUTE).waitingOn).toBe('1 of 3 to become available again');
    self.view = { ...self.view, pods: three };
    self.wait(MINUTE - 1000);
    expect(state(self)).toBe('Checking');
    self.wait(1000);
    expect(state(self)).toBe('Running');
  });
});

describe('the built-in checks in a step', () => {
  const pods2: Step = {
    id: 'pods',
    check: { use: 'pods', args: { available: '2', restarts: '1' }, for: '5m' },
  };

  test('`pods` has its own limits: fewer pods, and a restart', () => {
    const self = checking(pods2);
    swap(self, 'new-0', { available: false });
    swap(self, 'new-1', { restarts: 1 });
    self.wait(5 * MINUTE - 1000);
    expect(state(self)).toBe('Checking');
    self.wait(1000);
    expect(state(self)).toBe('Running');
  });

  test.each([
    ['one restart too many', 'new-1', { restarts: 2 }],
    ['one too few', 'new-1', { available: false }],
  ])('`pods` fails on %s', (_, name, parts) => {
    const self = checking(pods2);
    swap(self, 'new-0', { available: false });
    self.wait(MINUTE);
    swap(self, name, parts);
    self.reconcile();
    expect(state(self)).toBe('Halted CheckFailed');
  });

  test('no result is requested: the rules judge the pods themselves', () => {
    expect(checking(pods2).reconcile().check).toBeUndefined();
  });

  test('`nodes` judges the nodes that pods at `to` run on', () => {
    const step: Step = { id: 'nodes', check: { use: 'nodes', for: '1m' } };
    const placed = [...pods(NEW, 3, {}).map((pod) => ({ ...pod, node: 'a' })), ...pods(OLD, 2)];
    const nodes = (status: string) => ({
      ...emptyContext,
      nodes: new Map([['a', { conditions: { Ready: status } }]]),
    });
    const self = checking(step, { view: view({ pods: placed }), context: nodes('True') });
    self.wait(30_000);
    expect(state(self)).toBe('Checking');
    self.context = nodes('Unknown');
    self.reconcile();
    expect(state(self)).toBe('Halted CheckFailed');
  });
});
