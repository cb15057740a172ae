import type { Phase } from './phases.ts';

/** The columns of the table. Phases that behave alike share one. */
export const PHASE_COLUMNS = [
  'Pending',
  'active',
  'Reverting',
  'Succeeded',
  'Halted',
  'Reverted',
  'Aborted',
] as const;
export type Column = (typeof PHASE_COLUMNS)[number];

/** The outcomes that a cell can name, and what each does. The functions are in outcomes.ts. */
export const OUTCOMES = {
  stay: 'nothing; the next fact is judged',
  wait: 'nothing yet: the plan object waits until the phase is over; the next fact is judged',
  block:
    'blocked, for the reason of the row: nothing new starts, and clocks stop. Lost pods are replaced, and replacements never raise the updated count above what was available or already exists. Commands further down are still answered',
  gone: 'nothing is decided; the records are deleted with the target',
  goBack: 'Reverting, to the revision the manifest is at',
  settle: 'the revision with most available pods becomes stable, and the plan object is judged again',
  restart: 'the active plan starts again at step 1; approvals are void',
  continue: 'the new plan is active at the same step; after Succeeded, at the first step that is not done',
  carryOn:
    'the new plan is active in the phase of the old one, with its step, clocks, baseline and verdict; approvals are void',
  takeOver: 'the old plan is superseded; the new one is active at step 1',
  judge:
    'the new object, and commands about it, are judged as in phase Pending, as if none had been accepted; verdicts still apply',
  accept: 'the plan is active at its step 1; it ends at once if every pod is on its revision already',
  halt: 'Halted: no further pod is updated. Lost pods are replaced, and replacements never raise the updated count above what was available or already exists',
  fail: 'Halted or Reverting, as the step’s `onFailure` says',
  next: 'the next step; after the last one, Succeeded. When reverting: Reverted',
  refuse: 'the command is answered `Refused`, with an Event that says why',
  grant: 'the command is answered `Accepted`; nothing else follows from it here',
  keep: 'the approval is kept for its step',
  abort: 'Aborted: frozen by a command',
  revert: 'Reverting, to stable, by a command',
  pause: 'paused until `Resume`',
  unpause: 'no longer paused',
  resume: 'Running again at the failed step, its clocks at zero',
  never: 'impossible; reaching it would be a defect of the program',
} as const;
export type Outcome = keyof typeof OUTCOMES;

export interface Row {
  fact: FactName;
  /** Shown in the documentation. */
  label: string;
  cells: Record<Column, Outcome>;
  /** Judged even if a row above blocks, as commands are. */
  appliesWhenBlocked: boolean;
}

/**
 * Facts are judged from the top. The first that applies, and whose outcome is not `stay` or `wait`, decides. (If `stay`
 * ended the evaluation, a reverting rollout could never end while its plan object is missing.)
 */
export const table: readonly Row[] = [
  row('targetDeleted', 'target deleted', 'gone gone gone gone gone gone gone'),
  row(
    'targetUnsupported',
    'the target needs a rule that is not executed',
    'block block block block block block block',
  ),
  row('breakGlass', 'BreakGlass is active', 'block block block block block block block'),
  row(
    'manifestWentBack',
    'manifest is back at `stable` of acceptance, or at `from`',
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
    'manifest is at `to` again after git had reverted it',
    'never stay restart stay stay restart stay',
  ),
  row(
    'newPlanContinues',
    'new plan object that differs in limits, or in steps to come',
    'never carryOn wait carryOn carryOn carryOn carryOn',
  ),
  row(
    'newPlanSameTo',
    'new plan object, same `to`, executed steps equal without `window`',
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
    'a failure or a command has ended a rollout to its `to`',
    'block never never never never never never',
  ),
  row('paused', 'paused by a command', 'block block block never never never never'),
  row('predecessor', 'a target it comes `after` is not settled', 'block never never never never never never'),
  row('queued', 'no slot is free for its pods', 'block block never never never never never'),
  row(
    'tooManyBroken',
    'more pods are broken than can be recorded',
    'block never never never never never never',
  ),
  row(
    'staleStable',
    '`stable` is not listed, and pods are available on what is',
    'settle never never never never never never',
  ),
  row('acceptable', 'acceptable', 'accept never never never never never never'),
  commandRow(
    'commandExpired',
    'a command whose time has passed',
    'refuse refuse refuse refuse refuse refuse refuse',
  ),
  commandRow(
    'commandElsewhere',
    'a command about another plan',
    'refuse refuse refuse refuse refuse refuse refuse',
  ),
  commandRow(
    'commandImpossible',
    'a command that cannot be done to this plan',
    'refuse refuse refuse refuse refuse refuse refuse',
  ),
  commandRow('breakGlassAsked', 'BreakGlass', 'grant grant grant grant grant grant grant'),
  commandRow('abortAsked', 'Abort', 'abort abort abort refuse abort refuse grant'),
  commandRow('revertAsked', 'Revert', 'refuse revert grant refuse revert grant revert'),
  commandRow('pauseAsked', 'Pause', 'pause pause pause refuse refuse refuse refuse'),
  commandRow('unpauseAsked', 'Resume while paused', 'unpause unpause unpause never never never never'),
  commandRow('resumeAsked', 'Resume', 'refuse refuse refuse refuse resume restart restart'),
  commandRow(
    'approveAsked',
    'Approve for this plan and a step to come',
    'keep keep refuse refuse keep refuse refuse',
  ),
  commandRow(
    'approveAheadAsked',
    'Approve for a plan object that waits',
    'keep keep keep never keep never never',
  ),
  row('targetPaused', "target's own `paused`", 'stay block block stay stay stay stay'),
  row(
    'windowMismatch',
    'the lower of the limits of plan and manifest let nothing change',
    'stay block block stay stay stay stay',
  ),
  row('capacity', 'pods wait for cluster capacity', 'stay block stay stay stay stay stay'),
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
  | 'newPlanContinues'
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
  | 'windowMismatch'
  | 'capacity'
  | 'stepFailed'
  | 'stepDone';

function row(fact: FactName, label: string, cells: string, appliesWhenBlocked = false): Row {
  const outcomes = cells.split(' ') as Outcome[];
  return {
    fact,
    label,
    cells: Object.fromEntries(PHASE_COLUMNS.map((column, i) => [column, outcomes[i]])) as Row['cells'],
    appliesWhenBlocked,
  };
}

/** A row about a command: it is judged even if a row above blocks. */
function commandRow(fact: FactName, label: string, cells: string): Row {
  return row(fact, label, cells, true);
}

/** The column of a phase. Undefined, where no plan was accepted, is Pending. */
export function columnOf(phase: Phase | undefined): Column {
  switch (phase) {
    case undefined:
    case 'Pending':
    case 'Stale':
    case 'Superseded':
      return 'Pending';
    case 'Running':
    case 'AwaitingApproval':
    case 'Soaking':
    case 'Checking':
      return 'active';
    case 'Reverting':
      return 'Reverting';
    case 'Succeeded':
      return 'Succeeded';
    case 'Halted':
      return 'Halted';
    case 'Reverted':
      return 'Reverted';
    case 'Aborted':
      return 'Aborted';
  }
}
