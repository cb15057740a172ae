import { describe, expect, test } from 'vitest';
import type { RolloutPlanStatus, Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { planStatus } from '../../../semantics/plan/plan-status.ts';
import { emptyContext } from '../../../semantics/plan/rollout-context.ts';
import { drive, type Drive, sendCommand } from './drive.ts';
import { accepted, canary, MINUTE, NEW, ok, OLD, planObject, pods, rest, spec, view } from './rollout.ts';

/** The status of the one plan object now. */
function shown(self: Drive): RolloutPlanStatus {
  const result = self.reconcile();
  const [plan] = self.plans;
  if (plan === undefined) throw new Error('there is a plan object');
  const { memory, now } = self;
  return planStatus({ view: self.view, result, plan, before: undefined, generation: 1, memory, now });
}

/** A plan of these steps after a first step of three pods, which are available. */
function during(steps: Step[], parts: Partial<Drive> = {}): Drive {
  const planned = spec({ steps: [canary, ...steps, { ...rest, timeout: '4m' }] });
  return drive({
    view: view({ pods: [...pods(NEW, 3), ...pods(OLD, 2)] }),
    plans: [planObject(planned)],
    memory: [accepted(planned, { phase: 'Soaking', step: 1, best: 3 })],
    ...parts,
  });
}

/** A plan of one step, with two pods of five updated. */
function updating(step: Partial<Step>, context = emptyContext): Drive {
  const planned = spec({ steps: [{ ...rest, ...step }] });
  return drive({
    view: view({ pods: [...pods(NEW, 2), ...pods(OLD, 3)] }),
    plans: [planObject(planned)],
    memory: [accepted(planned, { best: 2 })],
    context,
  });
}

const at = (self: Drive, ms: number): string => new Date(self.now + ms).toISOString().replace(/\.\d+Z$/, 'Z');

test('UPDATED counts against the replicas, as kruise status does, whatever the step allows', () => {
  expect(shown(updating({ update: { to: 3 } })).updated).toBe('2/5');
});

describe('the clocks of a plan', () => {
  test('the status has the end of a soak, the same in every reconcile, and none while it is paused', () => {
    const self = during([{ id: 'soak', soak: { for: '10m' }, timeout: '30m' }]);
    const { until, deadline } = shown(self);
    expect([until, deadline]).toEqual([at(self, 10 * MINUTE), at(self, 30 * MINUTE)]);
    for (let look = 0; look < 20; look++) {
      self.wait(13_000);
      expect(shown(self)).toMatchObject({
        until,
        deadline,
        waitingOn: 'Soak',
        message: 'waits for 10m of soak',
      });
    }
    sendCommand(self, 'Pause', { digest: 'h1:aaaa' });
    const paused = shown(self);
    expect(paused).toMatchObject({ waitingOn: 'Paused', pausedBy: 'mona' });
    expect(paused).not.toHaveProperty('until');
    expect(paused).not.toHaveProperty('deadline');
    self.wait(7 * MINUTE);
    sendCommand(self, 'Resume', { digest: 'h1:aaaa' });
    const resumed = shown(self);
    expect(Date.parse(resumed.until ?? '') - Date.parse(until ?? '')).toBe(7 * MINUTE);
    expect(resumed).not.toHaveProperty('pausedBy');
  });

  test('the status has the time when an update fails: its timeout, or the progress deadline', () => {
    const slow = updating({});
    expect(shown(slow)).toMatchObject({ deadline: at(slow, 10 * MINUTE), waitingOn: 'Pods' });
    expect(shown(slow)).not.toHaveProperty('until');
    const limited = updating({ timeout: '4m' });
    expect(shown(limited).deadline).toBe(at(limited, 4 * MINUTE));
  });

  test('the status has the time when a step fails for lack of capacity', () => {
    const refused = { revision: 'new', message: 'exceeded quota: team', reason: 'NoCapacity' } as const;
    const context = { ...emptyContext, refusals: [refused] };
    const self = updating({}, context);
    const { deadline } = shown(self);
    expect(deadline).toBe(at(self, 30 * MINUTE));
    self.wait(5 * MINUTE);
    expect(shown(self)).toMatchObject({ deadline, waitingOn: 'NoCapacity' });
  });
});

describe('commands about a plan', () => {
  test('an early approval is shown', () => {
    const self = during([{ id: 'soak', soak: { for: '10m' } }, ok]);
    expect(shown(self)).not.toHaveProperty('approved');
    sendCommand(self, 'Approve', { step: 'ok', digest: 'h1:aaaa' });
    expect(shown(self)).toMatchObject({ approved: ['ok'], step: 'soak' });
  });

  test('so are an approval and a pause of a plan that is not active yet', () => {
    const context = { ...emptyContext, predecessor: () => 'comes after db' };
    const self = drive({ plans: [planObject(spec())], context });
    sendCommand(self, 'Approve', { step: 'ok', digest: 'h1:aaaa' });
    sendCommand(self, 'Pause', { digest: 'h1:aaaa' });
    expect(shown(self)).toMatchObject({ phase: 'Pending', approved: ['ok'], pausedBy: 'mona' });
  });
});

test('a reverting plan has its reason in its conditions, so that a command is not mistaken for a failure', () => {
  const self = updating({});
  sendCommand(self, 'Revert', { digest: 'h1:aaaa' });
  const { phase, conditions = [] } = shown(self);
  expect(phase).toBe('Reverting');
  expect(conditions.map(({ type, status, reason }) => [type, status, reason])).toEqual([
    ['Ready', 'False', 'RevertAsked'],
    ['Reconciling', 'True', 'RevertAsked'],
  ]);
});
