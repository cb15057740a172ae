import type { Column, FactName } from '../../../semantics/plan/table.ts';
import { planCells } from './cells-of-plans.ts';
import { stepCells } from './cells-of-steps.ts';
import { targetCells } from './cells-of-targets.ts';
import type { Cell } from './situations.ts';

export const tableCells: readonly Cell[] = [...targetCells, ...planCells, ...stepCells];

/** Cells whose fact cannot be so in that column, whatever the input; what they say is never read. */
export const unreachable: readonly (readonly [FactName, readonly Column[], string])[] = [
  ['manifestWentBack', ['Pe'], 'it speaks of an accepted plan'],
  ['manifestReturned', ['Pe'], 'it speaks of an accepted plan'],
  ['newPlanSameTo', ['Pe'], 'it speaks of an accepted plan'],
  ['newPlanTakesOver', ['Pe'], 'it speaks of an accepted plan'],
  ['newPlanNeither', ['Pe'], 'it speaks of an accepted plan'],
  ['planMissing', ['Pe'], 'without a plan object nothing is pending'],
  ['verdictStands', ['active', 'Re', 'Su', 'Ha', 'Rd', 'Ab'], 'it is judged before acceptance only'],
  ['acceptable', ['active', 'Re', 'Su', 'Ha', 'Rd', 'Ab'], 'it is judged before acceptance only'],
  ['approve', ['Pe'], 'no step of a plan that is not accepted can be approved'],
  ['approve', ['Su'], 'no step is left to approve'],
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
  ['verdictStands in Pe: block → never', 'whatever is not accepted is pending'],
  ['targetPaused in Pe: stay → halt', 'there is nothing to halt'],
];
