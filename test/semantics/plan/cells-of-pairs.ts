import type { AdvanceInput } from '../../../semantics/plan/advance-input.ts';
import { emptyContext } from '../../../semantics/plan/rollout-context.ts';
import type { Column, FactName } from '../../../semantics/plan/table.ts';
import { commandCells } from './cells-of-commands.ts';
import { planCells } from './cells-of-plans.ts';
import { stepCells } from './cells-of-steps.ts';
import { targetCells } from './cells-of-targets.ts';
import {
  MINUTE,
  NEWER,
  OLD,
  OLDER,
  UNEXPECTED,
  accepted,
  command,
  limits,
  planObject,
  pods,
  spec,
  type Outline,
} from './rollout.ts';
import { A, answered, B, C, type Cell, quiet, resting } from './situations.ts';

const cells: Cell[] = [];

/** Two facts apply: the upper one decides. */
function both(
  [fact, alsoApplies]: readonly [FactName, FactName],
  column: Column,
  input: AdvanceInput,
  expected: Outline,
  note?: string,
  answer?: string,
): void {
  const details = { ...(note === undefined ? {} : { note }), ...(answer === undefined ? {} : { answer }) };
  cells.push({ fact, alsoApplies, column, input, expected, ...details });
}

/** The recorded state of a situation, and no effect of the other fact. */
function still({ memory }: AdvanceInput): Outline {
  const [kept] = memory;
  if (kept === undefined || kept.progress.phase === 'Pending') return { phase: 'Pending' };
  const { phase, step, reason, goal } = kept.progress;
  return {
    plan: kept.spec.digest,
    phase,
    step,
    ...(reason === undefined ? {} : { reason }),
    ...(goal === undefined ? {} : { goal }),
  };
}

// Below a row that blocks only commands are judged; nothing else has an effect.
const single = [...targetCells, ...planCells, ...commandCells, ...stepCells];
for (const [fact, column] of [
  ['breakGlass', 'active'],
  ['manifestWentBack', 'active'],
  ['planUnverified', 'active'],
  ['duplicatePlans', 'active'],
  ['manifestReturned', 'Reverting'],
  ['newPlanContinues', 'Halted'],
  ['newPlanSameTo', 'Halted'],
  ['newPlanTakesOver', 'active'],
  ['newPlanNeither', 'active'],
  ['planMissing', 'active'],
  ['manifestElsewhere', 'active'],
  ['unlistedPod', 'active'],
  ['beyondMode', 'active'],
  ['paused', 'active'],
  ['predecessor', 'Pending'],
  ['queued', 'Pending'],
  ['acceptable', 'Pending'],
  ['targetPaused', 'active'],
  ['windowMismatch', 'active'],
  ['capacity', 'active'],
  ['stepFailed', 'active'],
  ['stepDone', 'Reverting'],
] as const) {
  const cell = single.find((c) => c.fact === fact && c.column === column);
  if (cell === undefined) throw new Error(`no situation for ${fact} in ${column}`);
  const input = { ...cell.input, view: { ...cell.input.view, unsupported: ['spec.lifecycle'] } };
  both(['targetUnsupported', fact], column, input, { ...still(input), blocked: 'UnsupportedSemantics' });
}

const planA = planObject(spec());
const sameChange = planObject(spec({ digest: B }));
const stranger = planObject(spec({ digest: C, to: { hash: NEWER, bound: {} } }));
const unreadable = { ...planA, refused: { reason: 'Unverified', message: 'edited' } as const };
const breakGlass = {
  ...command('BreakGlass', { expires: '2026-01-01T13:00:00Z' }),
  result: 'Accepted' as const,
};
const refusals = [
  { reason: 'NoCapacity', revision: 'new', message: 'exceeded quota: team-shop, limited: pods=40' } as const,
];

both(
  ['manifestElsewhere', 'verdictStands'],
  'Pending',
  resting('Reverted', { plans: [sameChange] }, { liveHash: UNEXPECTED }),
  { ...quiet('Reverted'), pending: { [sameChange.name]: 'ManifestChanged' } },
);
both(
  ['targetDeleted', 'targetUnsupported'],
  'active',
  resting('active', {}, { deleting: true, unsupported: ['spec.lifecycle'] }),
  { ...quiet('active'), gone: true },
);
both(
  ['breakGlass', 'manifestWentBack'],
  'active',
  resting('active', { commands: [breakGlass] }, { liveHash: OLD }),
  { ...quiet('active'), blocked: 'BreakGlass' },
);
both(
  ['manifestWentBack', 'planUnverified'],
  'active',
  resting('active', { plans: [unreadable] }, { liveHash: OLD }),
  {
    plan: A,
    phase: 'Reverting',
    step: 0,
    reason: 'WentBack',
    goal: OLD,
    pending: { [unreadable.name]: 'Unverified' },
    writes: [`progress ${A} Reverting 0`],
    transitions: ['GoingBack'],
  },
);
both(['planUnverified', 'duplicatePlans'], 'active', resting('active', { plans: [unreadable, stranger] }), {
  ...quiet('active'),
  blocked: 'Unverified',
  pending: { [unreadable.name]: 'Unverified' },
});
both(
  ['planMissing', 'manifestElsewhere'],
  'active',
  resting('active', { plans: [] }, { liveHash: UNEXPECTED }),
  {
    ...quiet('active'),
    blocked: 'PlanMissing',
  },
);
both(
  ['manifestElsewhere', 'unlistedPod'],
  'active',
  resting('active', {}, { liveHash: UNEXPECTED, pods: [...pods(OLD, 4), ...pods(UNEXPECTED, 1)] }),
  { ...quiet('active'), blocked: 'ManifestChanged' },
);
both(
  ['unlistedPod', 'beyondMode'],
  'active',
  resting('active', {}, { modeTo: () => 'Recreate', pods: [...pods(OLD, 4), ...pods(UNEXPECTED, 1)] }),
  {
    plan: A,
    phase: 'Halted',
    step: 0,
    reason: 'UnplannedRevision',
    writes: [`progress ${A} Halted 0`],
    transitions: ['Halted'],
  },
);
both(
  ['beyondMode', 'verdictStands'],
  'Pending',
  resting('Reverted', { plans: [sameChange] }, { modeTo: () => 'Recreate' }),
  { ...quiet('Reverted'), pending: { [sameChange.name]: 'ModeMismatch' } },
);

const stopped = { paused: { by: 'mona' } };
{
  const kept = resting('Reverted').memory;
  const waits = accepted(sameChange.spec, { seq: 2, phase: 'Pending', ...stopped });
  both(
    ['verdictStands', 'paused'],
    'Pending',
    resting('Reverted', { plans: [sameChange], memory: [...kept, waits] }),
    {
      ...quiet('Reverted'),
      pending: { [sameChange.name]: 'Verdict' },
    },
  );
}
const settling = { ...emptyContext, predecessor: () => 'comes after CloneSet db' };
both(
  ['paused', 'predecessor'],
  'Pending',
  resting('Pending', { memory: [accepted(spec(), { phase: 'Pending', ...stopped })], context: settling }),
  { ...quiet('Pending'), blocked: 'Paused' },
);
both(
  ['predecessor', 'queued'],
  'Pending',
  resting('Pending', { context: { ...settling, queued: '10 plans run, and 10 may at once' } }),
  { ...quiet('Pending'), blocked: 'Predecessor' },
);
const crowd = { replicas: 2_001, pods: pods(OLD, 2_001, { available: false }) };
both(
  ['queued', 'tooManyBroken'],
  'Pending',
  resting('Pending', { context: { ...emptyContext, queued: '10 plans run, and 10 may at once' } }, crowd),
  { ...quiet('Pending'), blocked: 'Queued' },
);
both(
  ['tooManyBroken', 'staleStable'],
  'Pending',
  resting(
    'Pending',
    {},
    {
      ...crowd,
      pods: [...crowd.pods, ...pods(OLDER, 1)],
      stable: UNEXPECTED,
      complete: new Set([UNEXPECTED]),
    },
  ),
  { ...quiet('Pending'), blocked: 'TooManyBroken' },
);
both(
  ['queued', 'staleStable'],
  'Pending',
  resting(
    'Pending',
    { context: { ...emptyContext, queued: '10 plans run, and 10 may at once' } },
    { stable: UNEXPECTED, complete: new Set([UNEXPECTED]) },
  ),
  { ...quiet('Pending'), blocked: 'Queued' },
);

const yesterday = '2025-12-31T12:00:00Z';
both(
  ['acceptable', 'commandExpired'],
  'Pending',
  resting('Pending', { commands: [command('Abort', { expires: yesterday })] }),
  {
    plan: A,
    phase: 'Running',
    step: 0,
    writes: [`accept ${A} Running 0`],
    transitions: ['PlanAccepted', 'CommandExpired'],
    answers: ['Expired'],
  },
);
both(
  ['commandExpired', 'commandElsewhere'],
  'active',
  resting('active', { commands: [command('Abort', { digest: C, expires: yesterday })] }),
  answered('active', 'CommandExpired', 'Expired'),
);
both(
  ['commandElsewhere', 'commandImpossible'],
  'active',
  resting('active', { commands: [command('Approve', { digest: C })] }),
  answered('active', 'CommandRefused', 'Refused'),
  undefined,
  `it is for plan ${C}`,
);
const narrow = { limits: limits(5, { maxUnavailable: 0, maxSurge: 1 }) };
both(
  ['newPlanContinues', 'newPlanSameTo'],
  'Succeeded',
  resting('Succeeded', { plans: [planObject(spec({ digest: B, supersedes: [A] }))] }),
  { ...quiet('Succeeded'), plan: B, writes: [`accept ${B} Succeeded 3`] },
);
both(['targetPaused', 'windowMismatch'], 'active', resting('active', {}, { paused: true, ...narrow }), {
  ...quiet('active'),
  blocked: 'TargetPaused',
});
both(
  ['windowMismatch', 'capacity'],
  'active',
  resting('active', { context: { ...emptyContext, refusals } }, narrow),
  { ...quiet('active'), blocked: 'WindowMismatch' },
);
both(
  ['targetPaused', 'capacity'],
  'active',
  resting('active', { context: { ...emptyContext, refusals } }, { paused: true }),
  { ...quiet('active'), blocked: 'TargetPaused' },
);
both(
  ['capacity', 'stepFailed'],
  'active',
  resting('active', { context: { ...emptyContext, refusals } }, {}, { idleMs: 10 * MINUTE, best: 2 }),
  { ...quiet('active'), blocked: 'NoCapacity' },
  'the deadline stands',
);
export const pairCells: readonly Cell[] = cells;
