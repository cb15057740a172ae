import { describe, expect, test } from 'vitest';
import { advance } from '../../../semantics/plan/advance.ts';
import { heldReason } from '../../../semantics/plan/held.ts';
import { type Accepted, removableRecords } from '../../../semantics/plan/memory.ts';
import type { Command } from '../../../semantics/plan/advance-input.ts';
import { type Drive, drive, activePlanOf, sendCommand, state } from './drive.ts';
import { type Commit, commitOn, createFleet } from './fleet.ts';
import {
  accepted,
  canary,
  command,
  input,
  MINUTE,
  NEW,
  NEWER,
  NOW,
  OLD,
  ok,
  planObject,
  pods,
  rest,
  spec,
  view,
} from './rollout.ts';

const HOUR = 60 * MINUTE;
const until = (ms: number): string => new Date(ms).toISOString();

/** A plan to NEW that has failed, on its n-th attempt. */
function failed(attempt: number, seq = attempt): Accepted {
  const digest = `h1:b${attempt}`;
  const end = { phase: 'Reverted', cause: 'failure', reason: 'Breach', goal: OLD } as const;
  return accepted(spec({ digest, attempt }), { ...end, seq });
}

/** A plan to another revision that has succeeded since. */
function elsewhere(seq: number, hash = NEWER): Accepted {
  const plan = spec({ digest: `h1:c${seq}`, to: { hash, bound: {} } });
  return accepted(plan, { phase: 'Succeeded', seq, step: plan.steps.length });
}

describe('attempts are counted as in git', () => {
  /** NEW failed three times; git requests it again from the present revision. */
  function again(attempt: number, memory: Accepted[], digest = `h1:d${attempt}`): Drive {
    const at = memory.at(-1)?.spec.to.hash === NEWER ? NEWER : OLD;
    const plan = spec({ digest, attempt, from: [{ hash: at, mode: 'InPlace' }] });
    const self = drive({
      view: view({ stable: at, complete: new Set([OLD, at]), pods: pods(at, 5) }),
      plans: [planObject(plan)],
      memory,
    });
    self.reconcile();
    return self;
  }
  const thrice = [failed(1), failed(2), failed(3)];

  // `kruise plan --again` writes attempt 2 on top of an unrelated plan in between: three reviews had no effect.
  test.each([
    ['the first again is refused', 1, [...thrice, elsewhere(4)], false],
    ['the second is accepted after another plan', 2, [...thrice, elsewhere(4)], true],
    ['the third is refused without one', 3, thrice, false],
    ['the fourth is accepted', 4, thrice, true],
  ])('%s (attempt %i)', (_, attempt, memory, taken) => {
    expect(state(again(attempt, memory)) === 'Running canary').toBe(taken);
  });

  test('a plan that has failed itself is never accepted again, whatever came in between', () => {
    const self = again(3, [...thrice, elsewhere(4)], 'h1:b3');
    expect(activePlanOf(self)?.spec.digest).toBe('h1:c4');
    expect(heldReason(self.view, self.reconcile(), self.plans)?.message).toContain('kruise plan --again');
  });
});

describe('a verdict is recorded', () => {
  const verdicts = (n: number, seq: number): Accepted[] =>
    Array.from({ length: n }, (_, i) => {
      const plan = spec({ digest: `h1:v${i}`, to: { hash: `h1:bad${i}`, bound: {} } });
      return accepted(plan, { phase: 'Halted', cause: 'failure', reason: 'Timeout', seq: seq + i });
    });
  const forgotten = (memory: Accepted[]): string[] => removableRecords(memory).map((m) => m.spec.digest);

  // Ten rollouts of one day displaced it, and the failed change was accepted again.
  test('although eleven rollouts have succeeded since, and thirty', () => {
    const busy = Array.from({ length: 30 }, (_, i) => elsewhere(i + 2, `h1:t${i}`));
    expect(forgotten([failed(1), ...busy.slice(0, 11)])).not.toContain('h1:b1');
    expect(forgotten([failed(1), ...busy])).not.toContain('h1:b1');
  });

  test('ten of them besides the active plan; the oldest are deleted', () => {
    const memory = [...verdicts(12, 1), elsewhere(13)];
    expect(forgotten(memory)).toEqual(['h1:v0', 'h1:v1']);
  });

  test('early commands about plans that never arrived displace no verdict, and are deleted', () => {
    const early = Array.from({ length: 20 }, (_, i) =>
      accepted(spec({ digest: `h1:e${i}` }), { phase: 'Pending', seq: 20 + i }),
    );
    const gone = forgotten([...verdicts(10, 1), elsewhere(11), ...early]);
    expect(gone).toEqual(early.slice(0, 15).map((m) => m.spec.digest));
  });
});

describe('in Auto a verdict outlives the active plan', () => {
  // Another plan was active, so the failed image was rolled out at once, and even marked complete.
  test('NEW failed, NEWER is rolled out, NEW is committed without a plan: no pod is updated, and the message says why', () => {
    const self = drive({
      policy: 'Auto',
      view: view({ stable: NEWER, complete: new Set([OLD, NEWER]), pods: pods(NEWER, 5) }),
      plans: [planObject(elsewhere(2).spec)],
      memory: [failed(1), elsewhere(2)],
    });
    self.reconcile();
    const result = self.wait(HOUR);
    expect(result.envelope).toMatchObject({ goal: NEWER, moving: false });
    expect(heldReason(self.view, result, self.plans)).toMatchObject({ reason: 'Verdict' });
    self.view = { ...self.view, pods: pods(NEW, 5) };
    self.reconcile();
    expect(self.view.stable).toBe(NEWER);
  });
});

describe('BreakGlass', () => {
  const glass = (expires: string, uid = 'glass'): Command => ({
    ...command('BreakGlass', { expires }),
    uid,
    createdAt: NOW,
  });

  // For one moment all pods of the image that had just been halted were available: it became stable, and `kruise revert`
  // was refused.
  test('a revision with a verdict is not complete because all of its pods were available for a moment; Revert works', () => {
    const plan = spec();
    const bad = { phase: 'Halted', cause: 'failure', reason: 'Breach', step: 1 } as const;
    const self = drive({
      view: view({ pods: [...pods(NEW, 3), ...pods(OLD, 2)] }),
      plans: [planObject(plan)],
      memory: [accepted(plan, bad)],
      commands: [glass(until(NOW + MINUTE))],
    });
    self.reconcile();
    self.view = { ...self.view, pods: pods(NEW, 5) };
    self.wait(30_000);
    self.view = { ...self.view, pods: pods(NEW, 5, { available: false }) };
    self.wait(5 * MINUTE);
    expect([self.view.stable, state(self)]).toEqual([OLD, 'Halted ok Breach']);
    expect(sendCommand(self, 'Revert', { digest: plan.digest })).toBe('Accepted');
    expect(self.reconcile().envelope).toMatchObject({ goal: OLD, moving: true });
  });

  test('a change without a verdict is complete as usual', () => {
    const self = drive({ commands: [glass(until(NOW + MINUTE))], view: view({ pods: pods(NEW, 5) }) });
    self.reconcile();
    expect(self.view.stable).toBe(NEW);
  });

  // The status named the one that was found first, and deleting it had no effect.
  test.each([
    ['the longer one came last', [HOUR, 3 * HOUR]],
    ['the longer one came first', [3 * HOUR, HOUR]],
  ])('of several, the one that lasts longest is named: %s', (_, lengths) => {
    const commands = lengths.map((ms, i) => glass(until(NOW + ms), `glass-${i}`));
    const { blocked } = drive({ plans: [planObject(spec())], commands }).reconcile();
    expect(blocked?.message).toContain(`used BreakGlass until ${until(NOW + 3 * HOUR)}`);
  });

  test.each([
    [7, 'Accepted', true],
    [8, 'Refused', false],
    [365 * 1000, 'Refused', false],
  ] as const)('for %i days it is %s', (days, result, broken) => {
    const self = drive();
    expect(sendCommand(self, 'BreakGlass', { expires: until(NOW + days * 24 * HOUR) })).toBe(result);
    expect(self.reconcile().blocked?.fact === 'breakGlass').toBe(broken);
    expect(self.reconcile().envelope.moving).toBe(broken);
  });
});

describe('a verdict applies in the same reconcile', () => {
  const steps = [{ ...canary, update: { to: '30%', atLeast: 1 } }, ok, rest];

  // The stored records did not have it yet: the change that was just reverted was accepted again.
  test.each([0, 1, 2, 3, 4, 5, 6])(
    'git goes to another revision and back to the reverted one, %i reconciles after the command',
    (looks) => {
      const fleet = createFleet(6);
      let head: Commit = { manifest: { template: 0, partition: 0 }, plan: undefined };
      const commit = (template: number): void => {
        head = commitOn(head, { template, partition: 0 }, steps);
        fleet.applyPlan(head.plan);
        fleet.apply(head.manifest);
      };
      const pass = (times: number): void => {
        for (let i = 0; i < times; i++) {
          fleet.advanceClock(1000);
          fleet.reconcile();
        }
      };
      commit(3);
      pass(5);
      expect(fleet.counts().pods[3]).toBeGreaterThan(0);
      expect(sendCommand(fleet.drive, 'Revert')).toBe('Accepted');
      pass(looks);
      commit(1);
      commit(3);
      pass(30);
      expect(fleet.counts().pods).toEqual([6, 0, 0, 0]);
      expect(activePlanOf(fleet.drive)?.progress.phase).toBe('Reverted');
    },
  );
});

describe('commands that could not be answered yet', () => {
  const plan = spec();
  const named = (c: Command, n: number): Command => ({ ...c, uid: `uid-${n}`, name: `c-${n}` });
  const flood = [
    command('Resume', { digest: plan.digest }),
    ...Array.from({ length: 25 }, () => command('Approve', { digest: plan.digest, step: 'nowhere' })),
  ].map(named);

  // Sixteen executed and unanswered commands used up the limit: the Abort after them waited for their answers.
  test('an Abort after twenty-six of them is executed while no answer can be written', () => {
    let memory = [accepted(plan, { phase: 'Halted', cause: 'failure', reason: 'Timeout' })];
    let commands = flood;
    let resumed = 0;
    const look = (): void => {
      const there = view({ pods: [...pods(NEW, 2), ...pods(OLD, 3)] });
      const result = advance(input({ view: there, plans: [planObject(plan)], memory, commands }));
      resumed += result.transitions.filter((turn) => turn.reason === 'Resumed').length;
      if (result.accepted !== undefined) memory = [result.accepted];
    };
    for (let i = 0; i < 5; i++) look();
    expect(memory[0]?.progress.phase).toBe('Running');
    commands = [...commands, { ...command('Abort', { digest: plan.digest }), uid: 'abort', name: 'abort' }];
    look();
    expect(memory[0]?.progress.phase).toBe('Aborted');
    for (let i = 0; i < 20; i++) look();
    expect([memory[0]?.progress.phase, resumed]).toEqual(['Aborted', 1]);
  });
});
