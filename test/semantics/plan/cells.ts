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

/** Cells whose fact cannot be so in that column, whatever the input; what they say is never read. */
export const unreachable: readonly (readonly [FactName, readonly Column[], string])[] = [
  ['manifestWentBack', ['Pending'], 'it speaks of an accepted plan'],
  ['manifestReturned', ['Pending'], 'it speaks of an accepted plan'],
  ['newPlanSameTo', ['Pending'], 'it speaks of an accepted plan'],
  ['newPlanTakesOver', ['Pending'], 'it speaks of an accepted plan'],
  ['newPlanNeither', ['Pending'], 'it speaks of an accepted plan'],
  ['planMissing', ['Pending'], 'without a plan object nothing is pending'],
  [
    'verdictStands',
    ['active', 'Reverting', 'Succeeded', 'Halted', 'Reverted', 'Aborted'],
    'it is judged before acceptance only',
  ],
  ['paused', ['Succeeded', 'Halted', 'Reverted', 'Aborted'], 'what has ended is not paused'],
  [
    'predecessor',
    ['active', 'Reverting', 'Succeeded', 'Halted', 'Reverted', 'Aborted'],
    'it is judged before acceptance only',
  ],
  [
    'queued',
    ['Reverting', 'Succeeded', 'Halted', 'Reverted', 'Aborted'],
    'going back waits for no slot, and what has ended moves no pods',
  ],
  [
    'tooManyBroken',
    ['active', 'Reverting', 'Succeeded', 'Halted', 'Reverted', 'Aborted'],
    'it is judged before acceptance only',
  ],
  [
    'staleStable',
    ['active', 'Reverting', 'Succeeded', 'Halted', 'Reverted', 'Aborted'],
    'it is judged before acceptance only',
  ],
  [
    'acceptable',
    ['active', 'Reverting', 'Succeeded', 'Halted', 'Reverted', 'Aborted'],
    'it is judged before acceptance only',
  ],
  ['unpauseAsked', ['Succeeded', 'Halted', 'Reverted', 'Aborted'], 'what has ended is not paused'],
  [
    'approveAheadAsked',
    ['Succeeded', 'Reverted', 'Aborted'],
    'a plan object beside one that has ended is judged by itself, with what is said to it',
  ],
  ['capacity', ['Pending', 'Succeeded'], 'no step is under way'],
  [
    'stepFailed',
    ['Pending', 'Reverting', 'Succeeded', 'Halted', 'Reverted', 'Aborted'],
    'no step is under way',
  ],
  ['stepDone', ['Pending', 'Succeeded', 'Halted', 'Reverted', 'Aborted'], 'no step is under way'],
];

/** Changes of a cell that change nothing, and why: another cell says the same. */
export const equivalent: readonly (readonly [string, string])[] = [
  ['newPlanSameTo in Reverting: wait → stay', 'newPlanNeither applies too, waits too, and its words stand'],
  ['newPlanSameTo in Reverted: judge → stay', 'newPlanNeither applies too, and judges'],
  ['newPlanSameTo in Aborted: judge → stay', 'newPlanNeither applies too, and judges'],
  ['newPlanTakesOver in Succeeded: judge → stay', 'newPlanNeither applies too, and judges'],
  ['newPlanTakesOver in Reverted: judge → stay', 'newPlanNeither applies too, and judges'],
  ['newPlanTakesOver in Aborted: judge → stay', 'newPlanNeither applies too, and judges'],
  ['unpauseAsked in Pending: unpause → resume', 'before acceptance nothing but a pause can be taken back'],
  ['unpauseAsked in Pending: unpause → revert', 'before acceptance nothing but a pause can be taken back'],
  ['targetPaused in Pending: stay → halt', 'there is nothing to halt'],
];

/** Rows for which it does not matter whether they are judged below one that blocks, and why. */
export const blockless: readonly (readonly [FactName, string])[] = [
  ['targetDeleted', 'no row above it blocks'],
  ['targetUnsupported', 'no row above it blocks'],
];

/** Neighbouring rows whose order does not matter, and why. */
export const commuting: readonly (readonly [string, string])[] = [
  [
    'duplicatePlans and manifestReturned',
    'what begins again is blocked by two plan objects in the same look',
  ],
  [
    'manifestReturned and newPlanSameTo',
    'another plan to the same `to` keeps the one in force from restarting',
  ],
  ['newPlanNeither and planMissing', 'there is a plan object, or there is none'],
  ['breakGlassAsked and abortAsked', 'one command is judged at a time, and says one thing'],
  ['abortAsked and revertAsked', 'one command is judged at a time, and says one thing'],
  ['revertAsked and pauseAsked', 'one command is judged at a time, and says one thing'],
  ['pauseAsked and unpauseAsked', 'one command is judged at a time, and says one thing'],
  ['resumeAsked and approveAsked', 'one command is judged at a time, and says one thing'],
  ['approveAsked and approveAheadAsked', 'one command is judged at a time, and is about one plan'],
  ['approveAheadAsked and targetPaused', 'an approval is heard below a row that blocks, too'],
  ['stepFailed and stepDone', 'a step is judged once, and is one of the two'],
];
