import type { Phase } from './memory.ts';

/** The columns of the table: phases that behave alike share one. */
export const PHASE_COLUMNS = ['Pe', 'active', 'Re', 'Su', 'Ha', 'Rd', 'Ab'] as const;
export type Column = (typeof PHASE_COLUMNS)[number];

/** What a cell says follows, and what that means; the functions behind these names are in outcomes.ts. */
export const OUTCOMES = {
  stay: 'nothing; the next fact is judged',
  wait: 'nothing yet: the plan object waits until the phase is over; the next fact is judged',
  block:
    'blocked, for the reason of the row: nothing new starts, clocks stand; lost pods are made again, and no more come back new than have worked or are there. Commands further down are still answered',
  gone: 'nothing is decided; the memory goes with the target',
  goBack: 'Reverting, to the revision the manifest is at',
  settle: 'the revision with most available pods becomes stable, and the plan object is judged again',
  restart: 'the plan in force begins at step 1; approvals are void',
  continue:
    'the new object is in force at the same step; after Succeeded, at the first step that is not done',
  takeOver: 'the old plan is superseded; the new one is in force at step 1',
  judge:
    'the new object, and what people say to it, is judged by the column Pe, as if none had been accepted; verdicts still stand',
  accept: 'the plan is in force at its step 1; it ends at once when every pod is there already',
  halt: 'Halted: nothing more is taken; lost pods are made again, and no more come back new than have worked or are there',
  fail: 'Halted or Reverting, as the step’s `onFailure` says',
  next: 'the next step; after the last one, Succeeded. When going back: Reverted',
  refuse: 'the command is answered `Refused`, with an Event that says why',
  grant: 'the command is answered `Accepted`; nothing else follows from it here',
  keep: 'the approval is kept for its step',
  abort: 'Aborted: frozen by a person',
  revert: 'Reverting, to stable, by a person’s word',
  pause: 'paused until `Resume`',
  unpause: 'no longer paused',
  resume: 'Running again at the failed step, its clocks at zero',
  never: 'cannot be; reaching it would be a mistake of the program',
} as const;
export type Outcome = keyof typeof OUTCOMES;

export interface Row {
  fact: FactName;
  /** As people say it. */
  label: string;
  cells: Record<Column, Outcome>;
  /** Judged even where a row above it blocks: a person must be heard on the worst night. */
  appliesWhenBlocked: boolean;
}

/**
 * Facts are judged from the top; the first that applies and says more than `stay` or `wait` decides. (Were `stay` to
 * end the judging, a roll-out going back could never be over while its plan object is gone.)
 */
export const table: readonly Row[] = [
  row('targetDeleted', 'target deleted', 'gone gone gone gone gone gone gone'),
  row(
    'targetUnsupported',
    'the target asks for a rule that is not executed',
    'block block block block block block block',
  ),
  row('breakGlass', 'BreakGlass is in force', 'block block block block block block block'),
  row(
    'manifestWentBack',
    'manifest went back to `stable` at acceptance, or to `from`',
    'never goBack goBack goBack goBack goBack goBack',
  ),
  row('planUnverified', 'plan fails digest, format or semantics', 'block block wait wait wait wait wait'),
  row(
    'duplicatePlans',
    'two plans with different digests for the target',
    'block block wait wait block wait wait',
  ),
  row(
    'manifestReturned',
    'manifest returned to `to` after git had turned it back',
    'never stay restart stay stay restart stay',
  ),
  row(
    'newPlanSameTo',
    'new plan object, same `to`, executed steps equal',
    'never continue wait continue continue judge judge',
  ),
  row(
    'newPlanTakesOver',
    'new plan object that takes over',
    'never takeOver takeOver judge takeOver judge judge',
  ),
  row('newPlanNeither', 'new plan object, neither', 'never block wait judge block judge judge'),
  row('planMissing', 'plan object missing', 'never block stay stay stay stay stay'),
  row('manifestElsewhere', 'live hash is not `to`', 'block block stay stay stay stay stay'),
  row(
    'unlistedPod',
    'a pod, or `stable` before acceptance, is not listed',
    'block halt stay stay stay stay stay',
  ),
  row('beyondMode', "a pod's change is more than `mode`", 'block halt stay stay stay stay stay'),
  row(
    'verdictStands',
    'a verdict of a failure or a person stands for its `to`',
    'block never never never never never never',
  ),
  row('paused', 'a person has paused it', 'block block block never never never never'),
  row('predecessor', 'a target it comes `after` is not settled', 'block never never never never never never'),
  row('queued', 'no slot is free for its pods', 'block block never never never never never'),
  row(
    'tooManyBroken',
    'more pods are broken than are remembered',
    'block never never never never never never',
  ),
  row(
    'staleStable',
    '`stable` is not listed, and pods are available on what is',
    'settle never never never never never never',
  ),
  row('acceptable', 'acceptable', 'accept never never never never never never'),
  heard(
    'commandExpired',
    'a command whose time has passed',
    'refuse refuse refuse refuse refuse refuse refuse',
  ),
  heard(
    'commandElsewhere',
    'a command about another plan',
    'refuse refuse refuse refuse refuse refuse refuse',
  ),
  heard(
    'commandImpossible',
    'a command that cannot be done to this plan',
    'refuse refuse refuse refuse refuse refuse refuse',
  ),
  heard('breakGlassAsked', 'BreakGlass', 'grant grant grant grant grant grant grant'),
  heard('abortAsked', 'Abort', 'abort abort abort refuse abort refuse grant'),
  heard('revertAsked', 'Revert', 'refuse revert grant refuse revert grant revert'),
  heard('pauseAsked', 'Pause', 'pause pause pause refuse refuse refuse refuse'),
  heard('unpauseAsked', 'Resume while paused', 'unpause unpause unpause never never never never'),
  heard('resumeAsked', 'Resume', 'refuse refuse refuse refuse resume restart restart'),
  heard(
    'approveAsked',
    'Approve for this plan and a step to come',
    'keep keep refuse refuse keep refuse refuse',
  ),
  heard('approveAheadAsked', 'Approve for a plan object that waits', 'keep keep keep never keep never never'),
  row('targetPaused', "target's own `paused`", 'stay block block stay stay stay stay'),
  row('capacity', 'pods wait for room in the cluster', 'stay block stay stay stay stay stay'),
  row('stepFailed', 'step failed', 'never fail never never never never never'),
  row('stepDone', 'step done', 'never next next never never never never'),
];

export type FactName =
  | 'targetDeleted'
  | 'targetUnsupported'
  | 'breakGlass'
  | 'manifestWentBack'
  | 'planUnverified'
  | 'duplicatePlans'
  | 'manifestReturned'
  | 'newPlanSameTo'
  | 'newPlanTakesOver'
  | 'newPlanNeither'
  | 'planMissing'
  | 'manifestElsewhere'
  | 'unlistedPod'
  | 'beyondMode'
  | 'verdictStands'
  | 'paused'
  | 'predecessor'
  | 'queued'
  | 'tooManyBroken'
  | 'staleStable'
  | 'acceptable'
  | 'commandExpired'
  | 'commandElsewhere'
  | 'commandImpossible'
  | 'breakGlassAsked'
  | 'abortAsked'
  | 'revertAsked'
  | 'pauseAsked'
  | 'unpauseAsked'
  | 'resumeAsked'
  | 'approveAsked'
  | 'approveAheadAsked'
  | 'targetPaused'
  | 'capacity'
  | 'stepFailed'
  | 'stepDone';

function row(fact: FactName, label: string, cells: string, evenBlocked = false): Row {
  const outcomes = cells.split(' ') as Outcome[];
  return {
    fact,
    label,
    cells: Object.fromEntries(PHASE_COLUMNS.map((column, i) => [column, outcomes[i]])) as Row['cells'],
    appliesWhenBlocked: evenBlocked,
  };
}

/** A row about what a person said. */
function heard(fact: FactName, label: string, cells: string): Row {
  return row(fact, label, cells, true);
}

/** The column of a phase; no accepted plan is Pending. */
export function columnOf(phase: Phase | undefined): Column {
  switch (phase) {
    case undefined:
    case 'Pending':
    case 'Stale':
    case 'Superseded':
      return 'Pe';
    case 'Running':
    case 'AwaitingApproval':
    case 'Soaking':
    case 'Checking':
      return 'active';
    case 'Reverting':
      return 'Re';
    case 'Succeeded':
      return 'Su';
    case 'Halted':
      return 'Ha';
    case 'Reverted':
      return 'Rd';
    case 'Aborted':
      return 'Ab';
  }
}
