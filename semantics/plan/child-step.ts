import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { baselineOf } from './baseline.ts';
import { missingPods } from './breach.ts';
import { reachableIn } from './child-parts.ts';
import type { Accepted } from './memory.ts';
import { onRevisions } from './on-revisions.ts';
import type { PodRow } from './pod-row.ts';
import { podsAt } from './pods-at.ts';
import { problemNote } from './problem.ts';
import { allowedPodsAt, wantedPodsAt } from './revision-sizes.ts';
import type { RolloutView } from './rollout-view.ts';
import { inProgress, type StepJudgment, timedOut, withoutPods } from './step.ts';
import { mostBySubset } from './step-subsets.ts';
import { columnOf } from './table.ts';
import type { ChildRow, ChildUnits } from './units.ts';
import { formatDuration } from '../values/duration.ts';
import { progressDeadlineMs } from './update-step.ts';

type ChildView = RolloutView<ChildUnits>;

/** How many pods may be on `to` after a step: as many as its size allows, less those that no part of the children amounts to. */
export function allowedInChildren(view: ChildView, accepted: Accepted, step: number): number {
  return reachable(view, accepted, step, allowedPodsAt(view, accepted, step));
}

/** How many pods the plan wants on `to` after a step. */
export function wantedOfChildren(view: ChildView, accepted: Accepted, step: number): number {
  return reachable(view, accepted, step, wantedPodsAt(view, accepted, step));
}

function reachable(view: ChildView, accepted: Accepted, step: number, most: number): number {
  const { children } = view.units;
  const within = withinChildren(view, accepted, step);
  if (within !== undefined) return sum([...within.values()]);
  const before = mostBefore(accepted, step, children);
  return Math.min(
    Math.max(reachableIn(most, accepted.spec.to.hash, children), before),
    Math.max(most, before),
  );
}

/**
 * The most pods of each child on `to` after a step by subset, by name; undefined: the step is about all pods. A child beyond the
 * subsets keeps what it has there of what it was given: it gets no more, and loses none.
 */
export function withinChildren(
  { units: { children } }: ChildView,
  { spec, progress }: Accepted,
  step: number,
): ReadonlyMap<string, number> | undefined {
  const most = mostBySubset(spec.steps.slice(0, step + 1), progress.frozenN, children);
  if (most === undefined) return undefined;
  const kept = (child: ChildRow): number =>
    child.given?.goal === spec.to.hash ? Math.min(child.given.allowed, countAt(child, spec.to.hash)) : 0;
  return new Map(
    children.map((child) => {
      const allowed = Math.max(most.get(child.name) ?? 0, kept(child));
      return [child.name, Math.min(allowed, child.size)];
    }),
  );
}

/** How many pods the steps by subset before a step of all pods have given: it takes none of them back. */
function mostBefore({ spec, progress }: Accepted, step: number, children: readonly ChildRow[]): number {
  const last = spec.steps.slice(0, step + 1).findLastIndex(({ update }) => update?.subsets !== undefined);
  const most = last < 0 ? undefined : mostBySubset(spec.steps.slice(0, last + 1), progress.frozenN, children);
  return most === undefined ? 0 : sum([...most.values()]);
}

function countAt({ pods }: ChildRow, hash: string): number {
  return sum(pods.map((each) => (each.hash === hash ? each.count : 0)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** How many pods on `to` count for a step: of a child beyond its subsets no more than it keeps. */
function reachedIn(view: ChildView, accepted: Accepted, step: number): number {
  const { hash } = accepted.spec.to;
  const within = withinChildren(view, accepted, step);
  if (within === undefined) return podsAt(view, hash).length;
  return sum(view.units.children.map((child) => Math.min(countAt(child, hash), within.get(child.name) ?? 0)));
}

/** Whether pods are left to be taken at the present step, which its limits bound. */
export function areChildrenMoving(view: ChildView, accepted: Accepted): boolean {
  if (columnOf(accepted.progress.phase) !== 'active') return onRevisions.isMoving(view, accepted);
  const { step } = accepted.progress;
  const there = podsAt(view, accepted.spec.to.hash).length;
  return reachedIn(view, accepted, step) < wantedOfChildren(view, accepted, step) && view.pods.length > there;
}

/**
 * Judges an update step by what the children report. It is done when its size is reached, every pod on `to` that was not broken
 * before the plan is available, and every child has reported its present spec. It fails with the first child that reports a failure
 * while pods of it on `to` are not available.
 */
export function judgeChildren(view: ChildView, accepted: Accepted, step: Step, now: number): StepJudgment {
  const { progress, spec } = accepted;
  const failed = childBreach(view, accepted, step);
  if (failed !== undefined) return failed;
  const wanted = wantedOfChildren(view, accepted, progress.step);
  const rows = podsAt(view, spec.to.hash);
  const { wasBroken } = baselineOf(progress);
  const waiting = rows.filter((row) => !row.available && !wasBroken(row));
  const isLast = spec.steps.findLastIndex(({ update }) => update) === progress.step;
  const surplus = isLast ? Math.max(view.pods.length - rows.length - (view.replicas - wanted), 0) : 0;
  const available = rows.filter((row) => row.available).length;
  const unobserved = unobservedChild(view);
  const isReached =
    reachedIn(view, accepted, progress.step) >= wanted &&
    waiting.length === 0 &&
    available > 0 &&
    surplus === 0;
  if (isReached && unobserved === undefined) return { is: 'done' };

  if (view.replicas === 0) return withoutPods(view);
  const [first] = waiting;
  const at = unobserved ?? first?.name;
  const counted = `pods: ${available} of ${Math.max(wanted, rows.length)} are updated and available`;
  const waitingOn = `${counted}${at === undefined ? '' : ` (${at})`}`;
  return (
    timedOut(step, progress) ??
    stalled(view, accepted, step, first) ??
    inProgress(waitingOn, step, progress, now, progressDeadlineMs(view) - progress.idleMs)
  );
}

function stalled(
  view: ChildView,
  { progress }: Accepted,
  step: Step,
  first: PodRow | undefined,
): StepJudgment | undefined {
  if (step.timeout !== undefined || progress.idleMs < progressDeadlineMs(view)) return undefined;
  const which = first === undefined ? '' : `: a pod of ${first.name} was not available${problemNote(first)}`;
  return {
    is: 'failed',
    reason: 'Timeout',
    message: `no pod became available for ${formatDuration(progressDeadlineMs(view))} in ${step.id}${which}`,
  };
}

/**
 * The failure for a child that reports one, and of which pods on `to` are not available that were before. That they are not available
 * alone is none: a status does not tell a pod that fails from one that replaces another.
 */
export function childBreach(
  view: ChildView,
  { progress, spec }: Accepted,
  step: Step,
): StepJudgment | undefined {
  const { wasBroken, isExcused } = baselineOf(progress);
  const failed = podsAt(view, spec.to.hash).find(
    (row) => row.problem !== undefined && !wasBroken(row) && !isExcused(row),
  );
  if (failed === undefined) return undefined;
  const message = `a pod of ${failed.name} is not available in ${step.id}${problemNote(failed)}`;
  return { is: 'failed', reason: 'Breach', message };
}

/** Why the clock of a gate stands: pods are missing, or a child has yet to report its present spec. */
export function missingInChildren(view: ChildView, accepted: Accepted): StepJudgment | undefined {
  const unobserved = unobservedChild(view);
  if (unobserved !== undefined)
    return { is: 'underway', waitingOn: `${unobserved} to report its present spec` };
  return missingPods(view, accepted, wantedOfChildren(view, accepted, accepted.progress.step), 0);
}

/** The first child whose status is not about its present spec; undefined: there is none. */
export function unobservedChild({ units }: ChildView): string | undefined {
  return units.children.find(({ isObserved }) => !isObserved)?.name;
}
