import type { Phase } from './memory.ts';

/** The columns of the table: phases that behave alike share one. */
export type Column = 'Pe' | 'active' | 'Re' | 'Su' | 'Ha' | 'Rd' | 'Ab';

/** What a cell says follows; the functions behind these names are in outcomes.ts. */
export type Outcome =
  /** Nothing follows from it here; the next row is judged. */
  | 'stay'
  /** The plan object waits until the phase is over; the next row is judged. */
  | 'wait'
  /** The target is going: no envelope, no memory. */
  | 'gone'
  /** Stays, blocked by the reason the row names: nothing new starts, clocks stand. */
  | 'block'
  /** Turns back to the revision the manifest went back to. */
  | 'goBack'
  /** Begins again at step 1, approvals void. */
  | 'restart'
  /** A plan object replaces the one in force at the same step. */
  | 'continue'
  /** Takes over: the plan in force is superseded, the new one begins at step 1. */
  | 'takeOver'
  /** The plan object present is judged by the column Pe, as if none had been accepted; else stays. */
  | 'judge'
  /** Accepted: begins at step 1, or ends at once when there is nothing to do. */
  | 'accept'
  /** Freezes: nothing more is taken, lost pods are made as before. */
  | 'halt'
  /** Halts or goes to `stable`, as the step's onFailure says. */
  | 'fail'
  /** The next step, or the end. */
  | 'next'
  /** The command is kept for its step. */
  | 'keep'
  /** The command is refused, with an Event that says why. */
  | 'refuse'
  /** Cannot be: reaching it is our mistake. */
  | 'never';

export type FactName =
  | 'targetDeleted'
  | 'planUnverified'
  | 'duplicatePlans'
  | 'targetUnsupported'
  | 'manifestWentBack'
  | 'manifestReturned'
  | 'newPlanSameTo'
  | 'newPlanTakesOver'
  | 'newPlanNeither'
  | 'planMissing'
  | 'manifestElsewhere'
  | 'unlistedPod'
  | 'beyondMode'
  | 'verdictStands'
  | 'acceptable'
  | 'approve'
  | 'approveOther'
  | 'otherCommand'
  | 'targetPaused'
  | 'stepFailed'
  | 'stepDone';

export interface Row {
  fact: FactName;
  /** As people say it. */
  label: string;
  cells: Record<Column, Outcome>;
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
  row('planUnverified', 'plan fails digest, format or semantics', 'block block wait wait wait wait wait'),
  row(
    'duplicatePlans',
    'two plans with different digests for the target',
    'block block wait wait block wait wait',
  ),
  row(
    'manifestWentBack',
    'manifest went back to a revision the target was complete on',
    'never goBack goBack goBack goBack goBack goBack',
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
  row('planMissing', 'plan object missing', 'gone block stay stay stay stay stay'),
  row('manifestElsewhere', 'live hash is not `to`', 'block block stay stay stay stay stay'),
  row('unlistedPod', 'a pod on a revision that is not listed', 'block halt stay stay stay stay stay'),
  row('beyondMode', "a pod's change is more than `mode`", 'block halt stay stay stay stay stay'),
  row(
    'verdictStands',
    'a verdict of a failure or a person stands for its `to`',
    'block never never never never never never',
  ),
  row('acceptable', 'acceptable', 'accept never never never never never never'),
  row('approve', 'Approve for this digest and step', 'refuse keep refuse refuse keep refuse refuse'),
  row(
    'approveOther',
    'Approve for another digest or step',
    'refuse refuse refuse refuse refuse refuse refuse',
  ),
  row(
    'otherCommand',
    'a command that is not executed yet',
    'refuse refuse refuse refuse refuse refuse refuse',
  ),
  row('targetPaused', "target's own `paused`", 'stay block block stay stay stay stay'),
  row('stepFailed', 'step failed', 'never fail stay stay stay stay stay'),
  row('stepDone', 'step done', 'never next next stay stay stay stay'),
];

function row(fact: FactName, label: string, cells: string): Row {
  const [Pe, active, Re, Su, Ha, Rd, Ab] = cells.split(' ') as Outcome[] as [
    Outcome,
    Outcome,
    Outcome,
    Outcome,
    Outcome,
    Outcome,
    Outcome,
  ];
  return { fact, label, cells: { Pe, active, Re, Su, Ha, Rd, Ab } };
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
