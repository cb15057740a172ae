import type { Column, FactName } from '../../../semantics/plan/table.ts';
import { commandCells } from './cells-of-commands.ts';
import { pairCells } from './cells-of-pairs.ts';
import { planCells } from './cells-of-plans.ts';
import { stepCells } from './cells-of-steps.ts';
import { targetCells } from './cells-of-targets.ts';
import type { Cell } from './situations.ts';

/** Each cell of the table by itself. */
export const tableCells: readonly Cell[] = [...targetCells, ...planCells, ...commandCells, ...stepCells];

/** Two facts that apply at once. */
export const besides: readonly Cell[] = pairCells;

/** Cells whose fact cannot apply in that column, whatever the input. */
export const unreachable: readonly (readonly [FactName, readonly Column[], string])[] = [
  ['manifestWentBack', ['Pending'], 'it is about an accepted plan'],
  ['manifestReturned', ['Pending'], 'it is about an accepted plan'],
  ['newPlanContinues', ['Pending'], 'it is about an accepted plan'],
  ['newPlanSameTo', ['Pending'], 'it is about an accepted plan'],
  ['newPlanTakesOver', ['Pending'], 'it is about an accepted plan'],
  ['newPlanNeither', ['Pending'], 'it is about an accepted plan'],
  ['planMissing', ['Pending'], 'without a plan object nothing is pending'],
  [
    'verdictStands',
    ['active', 'Reverting', 'Succeeded', 'Halted', 'Reverted', 'Aborted'],
    'it is only judged before acceptance',
  ],
  ['paused', ['Succeeded', 'Halted', 'Reverted', 'Aborted'], 'a plan that has ended is not paused'],
  [
    'predecessor',
    ['active', 'Reverting', 'Succeeded', 'Halted', 'Reverted', 'Aborted'],
    'it is only judged before acceptance',
  ],
  [
    'queued',
    ['Reverting', 'Succeeded', 'Halted', 'Reverted', 'Aborted'],
    'a revert needs no slot, and a plan that has ended updates no pods',
  ],
  [
    'tooManyBroken',
    ['active', 'Reverting', 'Succeeded', 'Halted', 'Reverted', 'Aborted'],
    'it is only judged before acceptance',
  ],
  [
    'staleStable',
    ['active', 'Reverting', 'Succeeded', 'Halted', 'Reverted', 'Aborted'],
    'it is only judged before acceptance',
  ],
  [
    'acceptable',
    ['active', 'Reverting', 'Succeeded', 'Halted', 'Reverted', 'Aborted'],
    'it is only judged before acceptance',
  ],
  ['unpauseAsked', ['Succeeded', 'Halted', 'Reverted', 'Aborted'], 'a plan that has ended is not paused'],
  [
    'approveAheadAsked',
    ['Succeeded', 'Reverted', 'Aborted'],
    'a plan object is judged by itself, with its commands, if the active plan has ended',
  ],
  [
    'windowMismatch',
    ['Pending', 'Succeeded', 'Halted', 'Reverted', 'Aborted'],
    'no step is in progress, and nothing goes back',
  ],
  ['capacity', ['Pending', 'Succeeded'], 'no step is in progress'],
  [
    'stepFailed',
    ['Pending', 'Reverting', 'Succeeded', 'Halted', 'Reverted', 'Aborted'],
    'no step is in progress',
  ],
  ['stepDone', ['Pending', 'Succeeded', 'Halted', 'Reverted', 'Aborted'], 'no step is in progress'],
];

/** Changes of a cell that have no effect, and why: another cell has the same outcome. */
export const equivalent: readonly (readonly [string, string])[] = [
  [
    'newPlanContinues in active: carryOn → stay',
    'newPlanSameTo applies, too, and only the clocks tell them apart (continuations.test.ts)',
  ],
  [
    'newPlanContinues in Reverting: wait → stay',
    'newPlanNeither applies, too, waits, too, and has the message',
  ],
  ['newPlanSameTo in Reverting: wait → stay', 'newPlanNeither applies, too, waits, too, and has the message'],
  ['newPlanSameTo in Reverted: judge → stay', 'newPlanNeither applies, too, and judges'],
  ['newPlanSameTo in Aborted: judge → stay', 'newPlanNeither applies, too, and judges'],
  ['newPlanTakesOver in Succeeded: judge → stay', 'newPlanNeither applies, too, and judges'],
  ['newPlanTakesOver in Reverted: judge → stay', 'newPlanNeither applies, too, and judges'],
  ['newPlanTakesOver in Aborted: judge → stay', 'newPlanNeither applies, too, and judges'],
  ['unpauseAsked in Pending: unpause → resume', 'before acceptance only a pause can be resumed'],
  ['unpauseAsked in Pending: unpause → revert', 'before acceptance only a pause can be resumed'],
  ['targetPaused in Pending: stay → halt', 'there is nothing to halt'],
];

/** Rows for which it does not matter whether they are judged below one that blocks, and why. */
export const blockless: readonly (readonly [FactName, string])[] = [
  ['targetDeleted', 'no row above it blocks'],
  ['targetUnsupported', 'no row above it blocks'],
];

/** Neighboring rows whose order does not matter, and why. */
export const commuting: readonly (readonly [string, string])[] = [
  ['duplicatePlans and manifestReturned', 'a restart is blocked by two plan objects in the same reconcile'],
  [
    'manifestReturned and newPlanContinues',
    'another plan to the same `to` prevents the active one from restarting',
  ],
  ['newPlanNeither and planMissing', 'there is a plan object, or there is none'],
  ['breakGlassAsked and abortAsked', 'one command is judged at a time, and has one action'],
  ['abortAsked and revertAsked', 'one command is judged at a time, and has one action'],
  ['revertAsked and pauseAsked', 'one command is judged at a time, and has one action'],
  ['pauseAsked and unpauseAsked', 'one command is judged at a time, and has one action'],
  ['resumeAsked and approveAsked', 'one command is judged at a time, and has one action'],
  ['approveAsked and approveAheadAsked', 'one command is judged at a time, and is about one plan'],
  ['approveAheadAsked and targetPaused', 'an approval is also judged below a row that blocks'],
  ['stepFailed and stepDone', 'a step is judged once, and is one of the two'],
];
