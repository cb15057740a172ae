import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { baselineOf } from './baseline.ts';
import { missingPods } from './breach.ts';
import { reachableIn } from './child-parts.ts';
import type { Accepted, Progress } from './memory.ts';
import { onRevisions } from './on-revisions.ts';
import type { PodRow } from './pod-row.ts';
import { podsAt } from './pods-at.ts';
import { problemNote } from './problem.ts';
import { allowedPodsAt, wantedPodsAt } from './revision-sizes.ts';
import type { RolloutView } from './rollout-view.ts';
import { inProgress, type StepJudgment, timedOut, withoutPods } from './step.ts';
import { mostBySubset, partsAfter, wholeSubsets } from './step-subsets.ts';
import { columnOf } from './table.ts';
import type { ChildRow, ChildUnits } from './units.ts';
import { formatDuration } from '../values/duration.ts';
import { progressDeadlineMs } from './update-step.ts';
import { isBySubset, type Partition, retainedInSubset } from '../values/partition.ts';
import { memberOf } from '../values/read.ts';
import { statedPartition } from './stated-partition.ts';

type ChildView = RolloutView<ChildUnits>;

/** How many pods may be on `to` after a step: as many as its size allows, less those that no part of the children amounts to. */
export function allowedInChildren(view: ChildView, accepted: Accepted, step: number): number {
  return reachable(view, accepted, step, allowedPodsAt(view, accepted, step));
}

/** How many pods the plan wants on `to` after a step. Partitions of subsets are judged for each: what one has beyond its own, others need not keep. */
export function wantedOfChildren(view: ChildView, accepted: Accepted, step: number): number {
  const most = isBySubset(statedPartition(accepted.spec.to.bound))
    ? Math.min(allowedPodsAt(view, accepted, step), view.replicas)
    : wantedPodsAt(view, accepted, step);
  return reachable(view, accepted, step, most);
}

function reachable(view: ChildView, accepted: Accepted, step: number, most: number): number {
  const { spec } = accepted;
  const within = countedWithin(view, accepted, step, [statedPartition(spec.to.bound)]);
  const areOfSubsets = stepWithin(view, accepted, step) !== undefined;
  if (within !== undefined && areOfSubsets) return sum([...within.values()]);
  const children =
    within === undefined
      ? view.units.children
      : view.units.children.map((child) => ({ ...child, size: within.get(child.name) ?? 0 }));
  return Math.min(reachableIn(most, spec.to.hash, children), most);
}

/**
 * How many pods of each child on `to` count for a step, by name: those of `withinChildren`, and those that are there beyond its
 * partition, as one that is raised takes none back.
 *
 * Example: zones of 3, 3 and 4 pods, of which the first is through as git raises its partition to 2. All three count, so that a step for
 * all pods still takes all of the third.
 */
function countedWithin(
  view: ChildView,
  accepted: Accepted,
  step: number,
  partitions: readonly Partition[],
): ReadonlyMap<string, number> | undefined {
  const within = withinChildren(view, accepted, step, partitions);
  const kept = withoutRetained(view.units.children, partitions);
  if (within === undefined || kept === undefined) return within;
  return new Map(
    view.units.children.map((child) => {
      const there = Math.min(countAt(child, accepted.spec.to.hash), child.size);
      const beyond = Math.max(there - (kept.get(child.name) ?? child.size), 0);
      return [child.name, (within.get(child.name) ?? 0) + beyond];
    }),
  );
}

/**
 * The most pods of each child on `to` after a step, by name: of the subsets that the steps so far name, and less those that partitions
 * keep elsewhere. Undefined: any child may have all of its pods there.
 */
export function withinChildren(
  view: ChildView,
  accepted: Accepted,
  step: number,
  partitions: readonly Partition[],
): ReadonlyMap<string, number> | undefined {
  const ofStep = stepWithin(view, accepted, step);
  const kept = withoutRetained(view.units.children, partitions);
  if (kept === undefined || ofStep === undefined) return kept ?? ofStep;
  return new Map([...kept].map(([name, most]) => [name, Math.min(most, ofStep.get(name) ?? 0)]));
}

/** How many pods of each child partitions do not keep where they are, by name; undefined: they keep none. */
export function withoutRetained(
  children: readonly ChildRow[],
  partitions: readonly Partition[],
): ReadonlyMap<string, number> | undefined {
  const keptIn = ({ subset, size }: ChildRow): number =>
    Math.max(0, ...partitions.map((partition) => retainedInSubset(partition, subset, size)));
  if (children.every((child) => keptIn(child) === 0)) return undefined;
  return new Map(children.map((child) => [child.name, child.size - keptIn(child)]));
}

/** The same where no plan takes pods: less those that a bound has left elsewhere. */
export function withoutLeft(
  children: readonly ChildRow[],
  goal: string,
): ReadonlyMap<string, number> | undefined {
  const leftIn = ({ left, size }: ChildRow): number =>
    left === undefined || left.hash === goal ? 0 : Math.min(left.n, size);
  if (children.every((child) => leftIn(child) === 0)) return undefined;
  return new Map(children.map((child) => [child.name, child.size - leftIn(child)]));
}

/**
 * The most pods of each child on `to` after a step, by name, where a step so far names subsets. What the steps have given is on record
 * since the last one that updates pods has started: a scale makes it no more, but of subsets that a step takes as a whole. Undefined: no
 * step names any, or the step is for all pods there are.
 */
function stepWithin(
  { units: { children } }: ChildView,
  { spec, progress }: Accepted,
  step: number,
): ReadonlyMap<string, number> | undefined {
  const steps = spec.steps.slice(0, step + 1);
  if (!steps.some(({ update }) => update?.subsets !== undefined)) return undefined;
  const last = steps.findLast(({ update }) => update !== undefined)?.update;
  if (last?.subsets === undefined && last?.to === '100%') return undefined;
  const { parts } = progress;
  const most = withoutRetained(children, [statedPartition(spec.to.bound)]);
  const computed = parts === undefined ? mostBySubset(steps, progress.frozenN, children, most) : undefined;
  const whole = wholeSubsets(steps);
  return new Map(
    children.map(({ name, subset, size }) => {
      const given =
        parts === undefined ? computed?.get(name) : Object.hasOwn(parts, subset) ? parts[subset] : 0;
      return [name, whole.has(subset) ? size : Math.min(given ?? 0, size)];
    }),
  );
}

/** What a step records when it starts, where it or an earlier one names subsets: one that starts again has had its parts. */
export function partsAtStart(
  { units: { children } }: ChildView,
  { spec, step }: { spec: Accepted['spec']; step: number },
  replicas: number,
  before: Progress | undefined,
): Pick<Progress, 'parts'> {
  const { update } = spec.steps[step] ?? {};
  const areOfSubsets = spec.steps.slice(0, step + 1).some((each) => each.update?.subsets !== undefined);
  if (update === undefined || !areOfSubsets) return {};
  if (before?.step === step && before.parts !== undefined) return { parts: before.parts };
  const { hash } = spec.to;
  const had = children.map((child): [string, number] => {
    const now = child.given?.goal === hash ? Math.min(child.given.allowed, countAt(child, hash)) : 0;
    return [child.name, Math.max(memberOf(before?.parts, child.subset) ?? 0, now)];
  });
  const kept = withoutRetained(children, [statedPartition(spec.to.bound)]);
  const most = partsAfter(update, replicas, children, new Map(had), kept);
  return { parts: Object.fromEntries(children.map(({ name, subset }) => [subset, most.get(name) ?? 0])) };
}

function countAt({ pods }: ChildRow, hash: string): number {
  return sum(pods.map((each) => (each.hash === hash ? each.count : 0)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** How many pods on `to` count for a step: of a child beyond its subsets no more than it keeps. */
function reachedIn(view: ChildView, accepted: Accepted, step: number): number {
  const { hash, bound } = accepted.spec.to;
  const within = countedWithin(view, accepted, step, [statedPartition(bound)]);
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
  const surplus = isLast ? surplusIn(view, accepted, wanted) : 0;
  const available = rows.filter((row) => row.available).length;
  const unobserved = unobservedChild(view);
  const isReached =
    reachedIn(view, accepted, progress.step) >= wanted &&
    waiting.length === 0 &&
    available > 0 &&
    surplus === 0;
  if (isReached && unobserved === undefined) return { is: 'done' };

  if (view.replicas === 0) return withoutPods(view);
  const bounded = waiting.length === 0 ? partitionInTheWay(view, accepted, wanted) : undefined;
  if (bounded !== undefined) return { is: 'underway', waitingOn: bounded, boundedBy: 'partition' };
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

/** How many pods are not on `to` beyond those that stay: of each child where partitions keep some of it, which another may lack. */
function surplusIn(view: ChildView, accepted: Accepted, wanted: number): number {
  const { hash, bound } = accepted.spec.to;
  const within = countedWithin(view, accepted, accepted.progress.step, [statedPartition(bound)]);
  if (within === undefined)
    return Math.max(view.pods.length - podsAt(view, hash).length - (view.replicas - wanted), 0);
  const surplus = view.units.children.map((child) => {
    const away = sum(child.pods.map(({ count }) => count)) - countAt(child, hash);
    return Math.max(away - (child.size - (within.get(child.name) ?? 0)), 0);
  });
  return sum(surplus);
}

/** The partition that leaves the step no further pod, that of the plan or of the target; undefined: none does. */
function partitionInTheWay(view: ChildView, accepted: Accepted, wanted: number): string | undefined {
  const { spec, progress } = accepted;
  const reached = reachedIn(view, accepted, progress.step);
  if (wanted === 0 && reached === 0 && allowedPodsAt(view, accepted, progress.step) > 0)
    return 'a lower partition';
  const own = countedWithin(view, accepted, progress.step, [statedPartition(spec.to.bound), view.partition]);
  const most = own === undefined ? wanted : sum([...own.values()]);
  return most < wanted && reached >= most ? "the target's own partition" : undefined;
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

/** The first child that is given another revision, be it that all of its pods are on this one; undefined: there is none. */
export function childElsewhere({ units }: ChildView, goal: string): string | undefined {
  return units.children.find(({ given }) => given !== undefined && given.goal !== goal)?.name;
}
