import { expect, test } from 'vitest';
import { statusesOf } from '../../../cli/status/read.ts';
import { statusTable } from '../../../cli/status/table.ts';
import { statusTree, stepsOf } from '../../../cli/status/tree.ts';
import type { RolloutPlanStatus } from '../../../schemas/generated/types/rolloutplan.ts';
import { NOW, plan, statusObjects, target } from './objects.ts';

const drawing = { paint: (_: unknown, text: string): string => text, now: NOW, columns: undefined };

function shown(parts: RolloutPlanStatus): { status: ReturnType<typeof statusesOf>[number]; lines: string[] } {
  const all = statusObjects({ targets: [target('web')], plans: [plan('web', parts)] });
  const [status] = statusesOf(all);
  if (status === undefined) throw new Error('there is one');
  return { status, lines: statusTree(status, all, drawing) };
}

test.each(['Reverting', 'Reverted', 'Aborted'] as const)('no step is to come once a plan is %s', (phase) => {
  const { status } = shown({ phase, step: 'soak-1', approved: ['approve-1'] });
  if (status.plan === undefined) throw new Error('there is one');
  const steps = stepsOf(status, status.plan);
  expect(steps.slice(3).map(({ state }) => state)).toEqual(['not done', 'not done', 'not done']);
  expect(steps.flatMap(({ command = [] }) => command)).toEqual([]);
});

test('steps after the one that halted are to come: the plan may be resumed', () => {
  const { status } = shown({ phase: 'Halted', step: 'soak-1' });
  if (status.plan === undefined) throw new Error('there is one');
  expect(stepsOf(status, status.plan).at(-1)?.state).toBe('to come');
});

test('a plan that somebody has paused is shown as Paused, whatever its phase', () => {
  const { status, lines } = shown({ phase: 'Running', step: 'batch-1', pausedBy: 'jane' });
  expect(lines[0]).toBe('CloneSet/web in shop: Paused');
  expect(statusTable([status], drawing)[1]).toMatch(/^shop +CloneSet\/web +Paused /);
});

test('the age in the table is that of the target: its plan is replaced with every change', () => {
  const { status } = shown({ phase: 'Running', step: 'batch-1' });
  const [head = '', row = ''] = statusTable([status], drawing);
  expect(row.slice(head.indexOf('AGE')).trim()).toMatch(/^25h/);
});
