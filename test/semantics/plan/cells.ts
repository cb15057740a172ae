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
  ['manifestWentBack', ['Pe'], 'it speaks of an accepted plan'],
  ['manifestReturned', ['Pe'], 'it speaks of an accepted plan'],
  ['newPlanSameTo', ['Pe'], 'it speaks of an accepted plan'],
  ['newPlanTakesOver', ['Pe'], 'it speaks of an accepted plan'],
  ['newPlanNeither', ['Pe'], 'it speaks of an accepted plan'],
  ['planMissing', ['Pe'], 'without a plan object nothing is pending'],
  ['verdictStands', ['active', 'Re', 'Su', 'Ha', 'Rd', 'Ab'], 'it is judged before acceptance only'],
  ['paused', ['Su', 'Ha', 'Rd', 'Ab'], 'what has ended is not paused'],
  ['predecessor', ['active', 'Re', 'Su', 'Ha', 'Rd', 'Ab'], 'it is judged before acceptance only'],
  [
    'queued',
    ['Re', 'Su', 'Ha', 'Rd', 'Ab'],
    'going back waits for no slot, and what has ended moves no pods',
  ],
  ['tooManyBroken', ['active', 'Re', 'Su', 'Ha', 'Rd', 'Ab'], 'it is judged before acceptance only'],
  ['staleStable', ['active', 'Re', 'Su', 'Ha', 'Rd', 'Ab'], 'it is judged before acceptance only'],
  ['acceptable', ['active', 'Re', 'Su', 'Ha', 'Rd', 'Ab'], 'it is judged before acceptance only'],
  ['unpauseAsked', ['Su', 'Ha', 'Rd', 'Ab'], 'what has ended is not paused'],
  [
    'approveAheadAsked',
    ['Su', 'Rd', 'Ab'],
    'a plan object beside one that has ended is judged by itself, with what is said to it',
  ],
  ['capacity', ['Pe', 'Su'], 'no step is under way'],
  ['stepFailed', ['Pe', 'Re', 'Su', 'Ha', 'Rd', 'Ab'], 'no step is under way'],
  ['stepDone', ['Pe', 'Su', 'Ha', 'Rd', 'Ab'], 'no step is under way'],
];

/** Changes of a cell that change nothing, and why: another cell says the same. */
export const equivalent: readonly (readonly [string, string])[] = [
  ['newPlanSameTo in Re: wait → stay', 'newPlanNeither applies too, waits too, and its words stand'],
  ['newPlanSameTo in Rd: judge → stay', 'newPlanNeither applies too, and judges'],
  ['newPlanSameTo in Ab: judge → stay', 'newPlanNeither applies too, and judges'],
  ['newPlanTakesOver in Su: judge → stay', 'newPlanNeither applies too, and judges'],
  ['newPlanTakesOver in Rd: judge → stay', 'newPlanNeither applies too, and judges'],
  ['newPlanTakesOver in Ab: judge → stay', 'newPlanNeither applies too, and judges'],
  ['unpauseAsked in Pe: unpause → resume', 'before acceptance nothing but a pause can be taken back'],
  ['unpauseAsked in Pe: unpause → revert', 'before acceptance nothing but a pause can be taken back'],
  ['targetPaused in Pe: stay → halt', 'there is nothing to halt'],
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
