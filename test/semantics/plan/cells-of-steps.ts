import { emptyContext } from '../../../semantics/plan/rollout-context.ts';
import { limits, MINUTE, NEW, OLD, pods } from './rollout.ts';
import { A, atRest, type Cell, columns, createCells, quiet, resting } from './situations.ts';

const { cells, cell, blocks } = createCells();
for (const column of columns) {
  // A waiting plan object would be accepted first, and then judged in another column.
  const paused = resting(column, column === 'Pending' ? { plans: [] } : {}, { paused: true });
  if (column === 'active' || column === 'Reverting') blocks('targetPaused', column, paused, 'TargetPaused');
  else cell('targetPaused', column, paused, quiet(column));
}

const apart = { limits: limits(5, { maxUnavailable: 0, maxSurge: 1 }) };
for (const column of ['active', 'Reverting'] as const)
  blocks('windowMismatch', column, resting(column, {}, apart), 'WindowMismatch');

const crowded = '0/9 nodes are available: 9 Insufficient cpu';
for (const column of columns.filter((c) => c !== 'Pending' && c !== 'Succeeded')) {
  const fitsNowhere = pods(NEW, 1, { name: 'new-9', available: false, unschedulable: crowded });
  const there = atRest[column].view.pods ?? pods(OLD, 4);
  const unschedulable = resting(column, {}, { pods: [...there.slice(0, -1), ...fitsNowhere] });
  const quota = resting(column, {
    context: {
      ...emptyContext,
      refusals: [
        { reason: 'NoCapacity', revision: 'new', message: 'exceeded quota: team-shop, limited: pods=40' },
      ],
    },
  });
  for (const [of, note] of [
    [unschedulable, 'no node'],
    [quota, 'a quota'],
  ] as const) {
    const outline = quiet(column);
    cell('capacity', column, of, column === 'active' ? { ...outline, blocked: 'NoCapacity' } : outline, note);
  }
}

cell('stepFailed', 'active', resting('active', {}, {}, { idleMs: 10 * MINUTE, best: 2 }), {
  plan: A,
  phase: 'Halted',
  step: 0,
  reason: 'Timeout',
  writes: [`progress ${A} Halted 0`],
  transitions: ['Halted'],
});
cell('stepDone', 'active', resting('active', {}, { pods: [...pods(NEW, 3), ...pods(OLD, 2)] }), {
  plan: A,
  phase: 'AwaitingApproval',
  step: 1,
  writes: [`progress ${A} AwaitingApproval 1`],
  transitions: ['StepStarted'],
});
cell(
  'stepDone',
  'active',
  resting('active', {}, { pods: pods(NEW, 5) }, { step: 2 }),
  {
    plan: A,
    phase: 'Succeeded',
    step: 3,
    reason: 'Completed',
    writes: [`complete ${NEW}`, `progress ${A} Succeeded 3`],
    transitions: ['PlanSucceeded'],
  },
  'the last one',
);
cell('stepDone', 'Reverting', resting('Reverting', {}, { pods: pods(OLD, 5) }), {
  plan: A,
  phase: 'Reverted',
  step: 0,
  reason: 'Timeout',
  goal: OLD,
  writes: [`progress ${A} Reverted 0`],
  transitions: ['RolledBack'],
});

export const stepCells: readonly Cell[] = cells;
