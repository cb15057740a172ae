import { command, MINUTE, NEW, OLD, type Outline, pods } from './rollout.ts';
import { A, C, type Cell, columns, createCells, pauseRefused, quiet, resting } from './situations.ts';

const { cells, cell, blocks } = createCells();
for (const column of columns) {
  const answered = (reason: string, message: string): Outline => {
    const outline = quiet(column);
    const writes =
      outline.plan === undefined ? {} : { writes: [`progress ${A} ${outline.phase} ${outline.step ?? 0}`] };
    return { ...outline, ...writes, turns: [reason], answers: [message] };
  };
  // A plan that is being accepted has no commands to answer yet: without a plan object they are answered alone.
  const plans = column === 'Pe' ? { plans: [] } : {};
  if (column !== 'Pe' && column !== 'Su') {
    const fits = resting(
      column,
      { commands: [command('Approve', { step: 'ok', digest: A })] },
      {},
      { step: 0 },
    );
    const kept = column === 'active' || column === 'Ha';
    const { phase } = quiet(column);
    cell('approve', column, fits, {
      ...(kept
        ? answered('Approved', 'kept: mona approved ok')
        : answered('CommandRefused', `refused: mona approved ok, and the roll-out is ${phase}`)),
      step: 0,
      writes: [`progress ${A} ${phase} 0`],
    });
  }
  const foreign = command('Approve', { step: 'ok', digest: C });
  const inForce = column === 'Pe' ? 'no plan is in force' : `in force is ${A}`;
  cell(
    'approveOther',
    column,
    resting(column, { ...plans, commands: [foreign] }),
    answered('CommandRefused', `refused: it approves step ok of ${C}; ${inForce}`),
  );
  cell(
    'otherCommand',
    column,
    resting(column, { ...plans, commands: [command('Pause')] }),
    answered('CommandRefused', pauseRefused),
  );
  const paused = resting(column, plans, { paused: true });
  if (column === 'active' || column === 'Re') blocks('targetPaused', column, paused, 'TargetPaused');
  else cell('targetPaused', column, paused, quiet(column));
}

cell('stepFailed', 'active', resting('active', {}, {}, { idleMs: 10 * MINUTE, best: 2 }), {
  plan: A,
  phase: 'Halted',
  step: 0,
  reason: 'Timeout',
  writes: [`progress ${A} Halted 0`],
  turns: ['Halted'],
});
cell('stepDone', 'active', resting('active', {}, { pods: [...pods(NEW, 3), ...pods(OLD, 2)] }), {
  plan: A,
  phase: 'AwaitingApproval',
  step: 1,
  writes: [`progress ${A} AwaitingApproval 1`],
  turns: ['StepStarted'],
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
    turns: ['PlanSucceeded'],
  },
  'the last one',
);
cell('stepDone', 'Re', resting('Re', {}, { pods: pods(OLD, 5) }), {
  plan: A,
  phase: 'Reverted',
  step: 0,
  reason: 'Timeout',
  goal: OLD,
  writes: [`progress ${A} Reverted 0`],
  turns: ['RolledBack'],
});

export const stepCells: readonly Cell[] = cells;
