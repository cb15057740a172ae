import { expect, test } from 'vitest';
import { advance } from '../../../semantics/plan/advance.ts';
import type { Command } from '../../../semantics/plan/advance-input.ts';
import { accepted, command, input, NEW, OLD, planObject, pods, spec, view } from './rollout.ts';

const plan = spec();
const named = (c: Command, n: number): Command => ({ ...c, uid: `uid-${n}`, name: `c-${n}` });
const flood = [
  command('Resume', { digest: plan.digest }),
  ...Array.from({ length: 25 }, () => command('Approve', { digest: plan.digest, step: 'nowhere' })),
  command('Abort', { digest: plan.digest }),
].map(named);

/** What a runtime does with many commands, if it may lose every answer but no progress. */
test('of many commands none is executed twice, though every first answer is lost', () => {
  let memory = [accepted(plan, { phase: 'Halted', cause: 'failure', reason: 'Timeout' })];
  let commands = flood;
  const resumed: number[] = [];
  for (let look = 0; look < 20; look++) {
    const result = advance(
      input({
        view: view({ pods: [...pods(NEW, 2), ...pods(OLD, 3)] }),
        plans: [planObject(plan)],
        memory,
        commands,
      }),
    );
    if (result.transitions.some((turn) => turn.reason === 'Resumed')) resumed.push(look);
    const { accepted: kept } = result;
    if (kept !== undefined) memory = [kept];
    // The answers of every second reconcile are lost.
    const answers = new Map(look % 2 === 0 ? [] : result.answered.map((a) => [a.uid, a.result]));
    commands = commands.map((c) => ({ ...c, result: c.result ?? answers.get(c.uid) }));
  }
  expect(resumed).toEqual([0]);
  expect(memory[0]?.progress.phase).toBe('Aborted');
  expect(commands.map((c) => c.result)).toEqual([
    'Accepted',
    ...Array<string>(25).fill('Refused'),
    'Accepted',
  ]);
});
