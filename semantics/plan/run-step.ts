import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { allowedPods } from './allowed.ts';
import type { Accepted, Progress } from './memory.ts';
import type { EarlierPod, FailedUnit, RunUnits } from './units.ts';
import type { PodRow } from './pod-row.ts';
import type { RolloutView } from './rollout-view.ts';
import { podsAt } from './pods-at.ts';
import { failureNote } from './problem.ts';
import { sizeAt } from './sizes.ts';
import { inProgress, type StepJudgment, timedOut } from './step.ts';

/**
 * Judges a step of a run. It is done when the run was started on as many nodes as the step leads to, or on every node that
 * fits, and has finished on each of them that still exists. It fails when it fails on a node, unless it tolerates that. There
 * is no deadline but the `timeout` of the step: nobody knows how long a run takes.
 */
export function judgeRun(
  view: RolloutView<RunUnits>,
  accepted: Accepted,
  step: Step,
  now: number,
): StepJudgment {
  const { progress } = accepted;
  const { units: run } = view;
  const failure = failedIn(run, accepted, step);
  if (failure !== undefined) return failure;
  const open = unfinished(view, accepted);
  const allowed = nodesAt(accepted, progress.step);
  const left = Math.min(Math.max(allowed - run.started, 0), run.waiting);
  // Where no node fits, or none did until now, nothing was proven yet.
  const isEmpty = run.started === 0 && (run.waiting === 0 || progress.frozenN === 0);
  if (open.length === 0 && left === 0 && !isEmpty) return { is: 'done' };
  const earlier = left > 0 && run.earlier.length > 0 ? ` (${earlierText(run.earlier)})` : '';
  const waitingOn = isEmpty ? 'a node that fits' : `${progressText(run, open, left)}${earlier}`;
  return late(step, progress, open) ?? inProgress(waitingOn, step, progress, now);
}

/** The failure of a step whose `timeout` has passed, with the first node that it waited for. */
function late(step: Step, progress: Progress, [open]: readonly PodRow[]): StepJudgment | undefined {
  const failure = timedOut(step, progress);
  if (failure?.is !== 'failed' || open === undefined) return failure;
  const which = open.name === open.unit ? open.unit : `${open.name} on ${open.unit}`;
  return { ...failure, message: `${failure.message}: ${which} had not finished${failureNote(open)}` };
}

/**
 * On how many nodes a run may have been started after a step: its size, of the frozen number of nodes. `100%` of an active plan
 * is every node, also those that join. Another attempt runs only what is left, and its percentages are of that.
 *
 * Example: 10 nodes, of which the first attempt has finished on 4. A step `50%` of the second attempt allows 4 + 3 = 7.
 */
export function nodesAt(accepted: Accepted, step: number): number {
  const found = sizeAt(accepted, step);
  if (found === undefined) return 0;
  if (found.isAll) return Infinity;
  const { frozenN, finishedBefore = 0 } = accepted.progress;
  return finishedBefore + allowedPods(found.size, Math.max(frozenN - finishedBefore, 0));
}

/** So many pods of earlier runs are named. */
const NAMED = 3;

/** Pods of earlier runs that have not ended, as a clause. */
function earlierText(earlier: readonly EarlierPod[]): string {
  const named = earlier.slice(0, NAMED).map(({ pod, unit, run, isLeaving }) => {
    const of = run === undefined ? 'no run on record' : `the earlier run ${run}`;
    return `pod ${pod} of ${of} on ${unit}${isLeaving ? ', which is being deleted,' : ''}`;
  });
  const more = earlier.length - named.length;
  const all = more === 0 ? named : [...named, `${more} more`];
  const list = [all.slice(0, -1).join(', '), ...all.slice(-1)].filter((part) => part !== '').join(' and ');
  return `${list} ${earlier.length === 1 ? 'has' : 'have'} not ended`;
}

/**
 * Why a run begins on no node though its step allows it, and what to do: pods of earlier runs hold nodes or the parallelism.
 * Undefined: it is under way, or waits for something else.
 */
export function waitsForEarlier(view: RolloutView, { spec, progress }: Accepted): string | undefined {
  const { units: run, namespace } = view;
  if (run.of !== 'run') return undefined;
  const [first] = run.earlier;
  const isRunning = spec.steps[progress.step]?.run !== undefined && progress.phase === 'Running';
  if (first === undefined || !isRunning || run.waiting === 0) return undefined;
  const isUnderWay = podsAt(view, spec.to.hash).some(({ uid, available }) => uid !== '' && !available);
  if (isUnderWay) return undefined;
  return `${earlierText(run.earlier)}, and this run waits for that. Let it end, or end it: kubectl delete pod -n ${namespace} ${first.pod}`;
}

/** The failure of a step for a node on which the run has failed, or, in a gate, that is worse than before its run. */
export function harmedIn(run: RunUnits, accepted: Accepted, step: Step): StepJudgment | undefined {
  const failure = failedIn(run, accepted, step);
  if (failure !== undefined) return failure;
  const harm = run.harm(accepted.progress.judgedFrom ?? 0, toleratedRestarts(accepted));
  if (harm === undefined) return undefined;
  const message = `${harm.unit} is worse than before its run, which fails step ${step.id}: ${harm.message}`;
  return { is: 'failed', reason: 'Breach', message };
}

/** How many restarts of a pod on a node its plan tolerates after a run: as many as a check `nodes` of it says. */
function toleratedRestarts({ spec }: Accepted): number {
  const counts = spec.steps.map(({ check }) =>
    check?.use === 'nodes' ? Number(check.args?.['restarts'] ?? '0') : 0,
  );
  return Math.max(0, ...counts);
}

/** What a run that no longer begins anywhere waits for, as the end of a sentence; '': all of its pods have ended. */
export function runsOut(view: RolloutView<RunUnits>, { spec }: Accepted): string {
  const active = podsAt(view, spec.to.hash).filter(({ uid, available }) => uid !== '' && !available);
  const failed = new Set(view.units.failed.map(({ uid }) => uid));
  const [first] = active.filter(({ uid }) => !failed.has(uid));
  return first === undefined ? '' : `${first.name} on ${first.unit} to end`;
}

/** The failure of a step because the run has failed on a node; undefined: it has not, or tolerates it. */
function failedIn(run: RunUnits, { progress }: Accepted, { id }: Step): StepJudgment | undefined {
  if (run.toleratesFailure) return undefined;
  const rerun = new Set(progress.rerun);
  const [first, ...more] = run.failed.filter(({ uid }) => !rerun.has(uid));
  if (first === undefined) return undefined;
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  const message = `${id}: pod ${first.pod} failed on ${first.unit}${others} (${first.problem})`;
  return { is: 'failed', reason: 'PodFailed', message };
}

/** The nodes of the run that exist, and on which it neither has finished nor has failed for good. */
function unfinished(view: RolloutView<RunUnits>, { spec, progress }: Accepted): readonly PodRow[] {
  const { failed, toleratesFailure } = view.units;
  const rerun = new Set(progress.rerun);
  const isOver = ({ uid }: FailedUnit): boolean => toleratesFailure && !rerun.has(uid);
  const over = new Set(failed.filter(isOver).map(({ unit }) => unit));
  return podsAt(view, spec.to.hash).filter(({ available, unit }) => !available && !over.has(unit));
}

function progressText(run: RunUnits, open: readonly PodRow[], left: number): string {
  const [first] = open;
  const problem = first?.problem === undefined ? '' : ` (${first.unit}: ${first.problem})`;
  return `nodes: ${run.finished} of ${run.started + left} have finished${problem}`;
}
