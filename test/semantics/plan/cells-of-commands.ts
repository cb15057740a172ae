import type { Progress } from '../../../semantics/plan/memory.ts';
import type { AdvanceInput, Command } from '../../../semantics/plan/advance-input.ts';
import { emptyContext } from '../../../semantics/plan/rollout-context.ts';
import type { RolloutView } from '../../../semantics/plan/rollout-view.ts';
import type { Column, FactName } from '../../../semantics/plan/table.ts';
import { accepted, command, NEWER, OLD, type Outline, planObject, rest, spec } from './rollout.ts';
import { A, answered, B, C, type Cell, columns, createCells, quiet, resting } from './situations.ts';

const { cells, cell } = createCells();

/** A plan that waits for a slot: it is blocked, and its commands are still judged. */
const queued = { context: { ...emptyContext, queued: '10 plans run, and 10 may at once' } };

/** A command in a column; before acceptance the plan object waits. */
function hearing(
  column: Column,
  said: Command,
  progress: Partial<Progress> = {},
  parts: Partial<AdvanceInput> = {},
  more: Partial<RolloutView> = {},
): AdvanceInput {
  return resting(
    column,
    { commands: [said], ...(column === 'Pending' ? queued : {}), ...parts },
    more,
    progress,
  );
}

function waiting(column: Column, outline: Outline): Outline {
  return column === 'Pending' ? { ...outline, blocked: 'Queued' } : outline;
}

/** @param answer part of the answer, where the row has a message of its own */
function refuses(fact: FactName, column: Column, of: AdvanceInput, answer?: string, step?: number): void {
  const outline = waiting(column, answered(column, 'CommandRefused', 'Refused'));
  const at = step === undefined ? {} : { step, writes: [`progress ${A} ${outline.phase} ${step}`] };
  cell(fact, column, of, { ...outline, ...at }, answer, answer);
}

/** A command has no effect in a column, and the answer has the reason. */
function idle(fact: FactName, column: Column, of: AdvanceInput, step?: number): void {
  const outline = waiting(column, answered(column, 'CommandRefused', 'Refused'));
  const at = step === undefined ? {} : { step, writes: [`progress ${A} ${outline.phase} ${step}`] };
  const answer =
    fact === 'resumeAsked' ? `is ${outline.phase}, not paused` : `while the rollout is ${outline.phase}`;
  cell(fact, column, of, { ...outline, ...at }, undefined, answer);
}

const yesterday = '2025-12-31T12:00:00Z';
const inAnHour = '2026-01-01T13:00:00Z';

for (const column of columns) {
  cell(
    'commandExpired',
    column,
    hearing(column, command('Abort', { expires: yesterday })),
    waiting(column, answered(column, 'CommandExpired', 'Expired')),
  );

  refuses(
    'commandElsewhere',
    column,
    hearing(column, command('Abort', { digest: C })),
    `it is for plan ${C}`,
  );

  refuses(
    'commandImpossible',
    column,
    hearing(column, command('Approve', { digest: A })),
    'Approve needs spec.step and spec.digest',
  );
  refuses(
    'commandImpossible',
    column,
    hearing(column, command('BreakGlass')),
    'BreakGlass needs spec.expires',
  );
  refuses(
    'commandImpossible',
    column,
    hearing(column, command('Approve', { digest: A, step: 'canary' })),
    'no step canary',
  );

  cell('breakGlassAsked', column, hearing(column, command('BreakGlass', { expires: inAnHour })), {
    ...answered(column, 'BreakGlass', 'Accepted'),
    blocked: 'BreakGlass',
  });
}

cell(
  'commandElsewhere',
  'Pending',
  resting('Pending', { plans: [], commands: [command('Abort')] }),
  answered('Pending', 'CommandRefused', 'Refused'),
  'there is no plan at all',
  'no plan is active, and none waits',
);

const impossible: [
  Column,
  Command,
  Partial<Progress>,
  Partial<RolloutView>,
  string,
  Parameters<typeof spec>[0]?,
][] = [
  ['active', command('Approve', { digest: A, step: 'ok' }), { step: 2 }, {}, 'step ok is done already'],
  ['Halted', command('Approve', { digest: A, step: 'ok' }), { step: 2 }, {}, 'step ok is done already'],
  [
    'active',
    command('Revert'),
    {},
    { stable: 'h1:new' },
    'there is nothing to revert to: the target is complete on the revision of the plan',
  ],
  [
    'Halted',
    command('Revert'),
    {},
    {},
    'a revert is impossible: its data moved on',
    { irreversible: 'its data moved on' },
  ],
  [
    'Aborted',
    command('Revert'),
    {},
    {},
    'a revert is impossible: its data moved on',
    { irreversible: 'its data moved on' },
  ],
  [
    'Reverted',
    command('Resume'),
    { goal: NEWER },
    { liveHash: NEWER },
    'the manifest is not at the revision of the plan',
  ],
  ['Aborted', command('Resume'), {}, { liveHash: NEWER }, 'the manifest is not at the revision of the plan'],
  [
    'Reverting',
    command('Abort'),
    { cause: 'git' },
    { liveHash: OLD },
    'the manifest requests the revert; Pause stops it, or change the manifest',
  ],
];
for (const [column, said, progress, more, why, of] of impossible) {
  const own =
    of === undefined
      ? {}
      : { plans: [planObject(spec(of))], memory: [accepted(spec(of), quietProgress(column))] };
  const outline = answered(column, 'CommandRefused', 'Refused');
  const step = progress.step ?? outline.step ?? 0;
  cell(
    'commandImpossible',
    column,
    hearing(column, said, progress, own, more),
    {
      ...outline,
      step,
      ...(progress.goal === undefined ? {} : { goal: progress.goal }),
      writes: [`progress ${A} ${outline.phase} ${step}`],
    },
    why,
    why,
  );
}

function quietProgress(column: Column): Partial<Progress> {
  return resting(column).memory[0]?.progress ?? {};
}

/** The effect of a command, where it has one. */
function follows(
  fact: FactName,
  column: Column,
  said: Command,
  outline: Outline,
  progress: Partial<Progress> = {},
): void {
  cell(fact, column, hearing(column, said, progress), { ...outline, answers: ['Accepted'] });
}

const abort = command('Abort');
const aborted = (step: number, goal?: string): Outline => ({
  plan: A,
  phase: 'Aborted',
  step,
  reason: 'Aborted',
  ...(goal === undefined ? {} : { goal }),
  writes: [`progress ${A} Aborted ${step}`],
  transitions: ['Aborted'],
});
follows('abortAsked', 'Pending', abort, { ...aborted(0, OLD), writes: [`accept ${A} Aborted 0`] });
follows('abortAsked', 'active', abort, aborted(0));
follows('abortAsked', 'Reverting', abort, aborted(0, OLD));
follows('abortAsked', 'Halted', abort, aborted(2));
follows('abortAsked', 'Aborted', abort, answered('Aborted', undefined, 'Accepted'));
for (const column of ['Succeeded', 'Reverted'] as const) idle('abortAsked', column, hearing(column, abort));

const revert = command('Revert');
for (const column of ['active', 'Halted', 'Aborted'] as const) {
  const step = quiet(column).step ?? 0;
  follows('revertAsked', column, revert, {
    plan: A,
    phase: 'Reverting',
    step,
    reason: 'RevertAsked',
    goal: OLD,
    writes: [`progress ${A} Reverting ${step}`],
    transitions: ['GoingBack'],
  });
}
for (const column of ['Reverting', 'Reverted'] as const)
  follows('revertAsked', column, revert, answered(column, undefined, 'Accepted'));
for (const column of ['Pending', 'Succeeded'] as const) idle('revertAsked', column, hearing(column, revert));

const pause = command('Pause');
const resume = command('Resume');
const stopped = { paused: { by: 'mona' } };
for (const column of ['Pending', 'active', 'Reverting'] as const) {
  const { phase } = quiet(column);
  const write = column === 'Pending' ? `accept ${A} ${phase} 0` : `progress ${A} ${phase} 0`;
  follows('pauseAsked', column, pause, {
    ...quiet(column),
    blocked: 'Paused',
    writes: [`${write} paused`],
    transitions: ['Paused'],
  });

  const memory = [
    accepted(spec(), {
      ...(column === 'Pending' ? { phase: 'Pending' } : quietProgress(column)),
      ...stopped,
    }),
  ];
  // At a later step, so that continuing differs from restarting.
  const step = column === 'active' ? 2 : 0;
  const later = memory.map((m) => ({ ...m, progress: { ...m.progress, step } }));
  cell('paused', column, resting(column, { memory }), { ...quiet(column), blocked: 'Paused' });
  cell(
    'unpauseAsked',
    column,
    hearing(column, resume, {}, { memory: later }),
    waiting(column, {
      ...answered(column, 'Resumed', 'Accepted'),
      ...(column === 'Pending' ? {} : { step }),
      writes: [`progress ${A} ${phase} ${step}`],
    }),
  );
  idle('resumeAsked', column, hearing(column, resume));
}
for (const column of ['Succeeded', 'Halted', 'Reverted', 'Aborted'] as const)
  idle('pauseAsked', column, hearing(column, pause));
idle('resumeAsked', 'Succeeded', hearing('Succeeded', resume));
follows('resumeAsked', 'Halted', resume, {
  plan: A,
  phase: 'Running',
  step: 2,
  writes: [`progress ${A} Running 2`],
  transitions: ['Resumed'],
});
for (const column of ['Reverted', 'Aborted'] as const) {
  const again: Outline = {
    plan: A,
    phase: 'Running',
    step: 0,
    writes: [`progress ${A} Running 0`],
    transitions: ['Resumed'],
  };
  follows('resumeAsked', column, resume, again, { approved: ['ok'] });
}

const approve = command('Approve', { step: 'ok', digest: A });
for (const column of columns) {
  const { phase } = quiet(column);
  const of = hearing(column, approve, { step: 0 });
  if (column === 'Pending' || column === 'active' || column === 'Halted') {
    const write = column === 'Pending' ? `accept ${A} ${phase} 0` : `progress ${A} ${phase} 0`;
    cell('approveAsked', column, of, {
      ...waiting(column, answered(column, 'Approved', 'Accepted')),
      ...(column === 'Pending' ? {} : { step: 0 }),
      writes: [`${write} approved ok`],
    });
  } else idle('approveAsked', column, of, 0);
}

{
  // A plan object while the active one has ended: its commands are judged as if it were alone.
  const waits = planObject(
    spec({
      digest: B,
      to: { hash: NEWER, bound: {} },
      from: [{ hash: 'h1:new', mode: 'InPlace' }],
      steps: [{ id: 'ok', approve: {} }, rest],
    }),
  );
  const beside = (said: Command): AdvanceInput =>
    hearing('Succeeded', said, {}, { ...queued, plans: [waits] }, { liveHash: NEWER });
  const pending = { [waits.name]: 'Queued' };
  cell(
    'approveAsked',
    'Pending',
    beside(command('Approve', { step: 'ok', digest: B })),
    {
      ...answered('Succeeded', 'Approved', 'Accepted'),
      pending,
      writes: [`accept ${B} Pending 0 approved ok`],
    },
    'of a plan that waits while the active one has ended',
  );
  cell(
    'pauseAsked',
    'Pending',
    beside(command('Pause', { digest: B })),
    {
      ...answered('Succeeded', 'Paused', 'Accepted'),
      pending: { [waits.name]: 'Paused' },
      writes: [`accept ${B} Pending 0 paused`],
    },
    'of a plan that waits while the active one has ended',
  );
  cell(
    'predecessor',
    'Pending',
    resting('Pending', { context: { ...emptyContext, predecessor: () => 'comes after db' } }),
    {
      ...quiet('Pending'),
      blocked: 'Predecessor',
    },
  );
  cell('queued', 'Pending', resting('Pending', queued), { ...quiet('Pending'), blocked: 'Queued' });
  cell('queued', 'active', resting('active', queued), { ...quiet('active'), blocked: 'Queued' });
  cell(
    'queued',
    'Pending',
    resting('Succeeded', { ...queued, plans: [waits] }, { liveHash: NEWER }),
    { ...quiet('Succeeded'), pending },
    'of a plan that waits while the active one has ended',
  );
}

{
  // A plan object besides the active plan, or besides another object: its approvals are recorded.
  const ahead = planObject(
    spec({
      digest: B,
      to: { hash: NEWER, bound: {} },
      from: [{ hash: OLD, mode: 'InPlace' }],
      steps: [{ id: 'ok', approve: {} }, rest],
    }),
  );
  const said = command('Approve', { step: 'ok', digest: B });
  const kept = `accept ${B} Pending 0 approved ok`;
  const pending = { [ahead.name]: 'ManifestChanged' };
  for (const column of ['active', 'Reverting', 'Halted'] as const)
    cell('approveAheadAsked', column, resting(column, { plans: [ahead], commands: [said] }), {
      ...answered(column, 'Approved', 'Accepted'),
      ...(column === 'Reverting' ? { pending } : { pending, blocked: 'ManifestChanged' }),
      writes: [kept],
    });
  const own = planObject(spec());
  cell('approveAheadAsked', 'Pending', resting('Pending', { plans: [own, ahead], commands: [said] }), {
    ...answered('Pending', 'Approved', 'Accepted'),
    blocked: 'DuplicateTarget',
    writes: [kept],
  });
}

export const commandCells: readonly Cell[] = cells;
