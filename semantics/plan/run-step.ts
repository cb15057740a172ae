import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { Accepted } from './memory.ts';
import type { FailedUnit, PodRow, RolloutView, RunView } from './rollout-view.ts';
import { allowedAt, podsAt } from './sizes.ts';
import { inProgress, type StepJudgment, timedOut } from './step.ts';

/**
 * Judges a step of a run. It is done when the run was started on as many nodes as the step leads to, or on every node that
 * fits, and has finished on each of them that still exists. It fails when it fails on a node, unless it tolerates that. There
 * is no deadline but the `timeout` of the step: nobody knows how long a run takes.
 */
export function judgeRun(view: RolloutView, accepted: Accepted, step: Step, now: number): StepJudgment {
  const { progress } = accepted;
  const { run } = view;
  if (run === undefined) return { is: 'underway', waitingOn: 'a target that runs once on each unit' };
  const failure = failedIn(run, accepted, step);
  if (failure !== undefined) return failure;
  const open = unfinished(view, accepted);
  const allowed = allowedAt(view, accepted, progress.step);
  const left = Math.min(Math.max(allowed - run.started, 0), run.waiting);
  // Where no node fits, nothing was proven yet.
  const isEmpty = run.started === 0 && run.waiting === 0;
  if (open.length === 0 && left === 0 && !isEmpty) return { is: 'done' };
  const waitingOn = isEmpty ? 'a node that fits' : progressText(run, open, left);
  return timedOut(step, progress) ?? inProgress(waitingOn, step, progress, now);
}

/** The failure of a step for a node on which the run has failed, or, in a gate, that is worse than before its run. */
export function harmedIn(run: RunView, accepted: Accepted, step: Step): StepJudgment | undefined {
  const failure = failedIn(run, accepted, step);
  if (failure !== undefined) return failure;
  const harm = run.harm();
  if (harm === undefined) return undefined;
  const message = `${harm.unit} is worse than before its run, which fails step ${step.id}: ${harm.message}`;
  return { is: 'failed', reason: 'Breach', message };
}

/** What a run that no longer begins anywhere waits for, as the end of a sentence; '': all of its pods have ended. */
export function runsOut(view: RolloutView, { spec }: Accepted): string {
  const active = podsAt(view, spec.to.hash).filter(({ uid, available }) => uid !== '' && !available);
  const failed = new Set(view.run?.failed.map(({ uid }) => uid));
  const [first] = active.filter(({ uid }) => !failed.has(uid));
  return first === undefined ? '' : `${first.name} on ${first.unit} to end`;
}

/** The failure of a step because the run has failed on a node; undefined: it has not, or tolerates it. */
function failedIn(run: RunView, { progress }: Accepted, { id }: Step): StepJudgment | undefined {
  if (run.toleratesFailure) return undefined;
  const rerun = new Set(progress.rerun);
  const [first, ...more] = run.failed.filter(({ uid }) => !rerun.has(uid));
  if (first === undefined) return undefined;
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  const message = `${id}: pod ${first.pod} failed on ${first.unit}${others} (${first.problem})`;
  return { is: 'failed', reason: 'PodFailed', message };
}

/** The nodes of the run that exist, and on which it neither has finished nor has failed for good. */
function unfinished(view: RolloutView, { spec, progress }: Accepted): readonly PodRow[] {
  const rerun = new Set(progress.rerun);
  const isOver = ({ uid }: FailedUnit): boolean => view.run?.toleratesFailure === true && !rerun.has(uid);
  const over = new Set(view.run?.failed.filter(isOver).map(({ unit }) => unit));
  return podsAt(view, spec.to.hash).filter(({ available, unit }) => !available && !over.has(unit));
}

function progressText(run: RunView, open: readonly PodRow[], left: number): string {
  const [first] = open;
  const problem = first?.problem === undefined ? '' : ` (${first.unit}: ${first.problem})`;
  return `nodes: ${run.finished} of ${run.started + left} have finished${problem}`;
}
