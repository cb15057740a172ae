import type { Accepted, Progress } from './memory.ts';
import type { PodRow } from './pod-row.ts';
import type { RolloutView } from './rollout-view.ts';
import { podsAt } from './pods-at.ts';
import { isLater } from './later-pods.ts';
import { tooManyDown } from './nodes-down.ts';
import { boundedRestarts, fitting } from './record-limit.ts';
import { columnOf } from './table.ts';
import { isNodeLost } from './units.ts';
import { memberOf } from '../values/read.ts';

/** What was broken before the change, for each pod. */
export interface Baseline {
  /** It was not available when the plan was accepted, and has not been since. */
  wasBroken(pod: PodRow): boolean;
  /** It was broken when a user sent Resume: the step waits for it, and it fails no check. */
  isExcused(pod: PodRow): boolean;
  /** Restarts that count against the change. */
  restartsOf(pod: PodRow): number;
}

/** Prepares the baseline of a progress, so that each look-up takes constant time. */
export function baselineOf({ baseline, excused }: Progress): Baseline {
  const broken = new Set(baseline.unavailable);
  const waited = new Set(excused);
  const { restarts, otherRestarts = 0 } = baseline;
  return {
    wasBroken: ({ unit }) => broken.has(unit),
    isExcused: ({ unit }) => waited.has(unit),
    restartsOf: (pod) => Math.max(pod.restarts - (memberOf(restarts, pod.unit) ?? otherRestarts), 0),
  };
}

/**
 * What is broken before the change, so that it does not count against it. Pods that the plan before has broken, or is just
 * updating, are left out: otherwise the first pods of a fix would never be judged.
 */
export function takeBaseline(
  view: RolloutView,
  to: string,
  before: Accepted | undefined,
): Progress['baseline'] {
  const unavailable = fitting({}, 'unavailable', brokenUnits(view, before));
  return {
    unavailable,
    ...boundedRestarts({ baseline: { unavailable, restarts: {} } }, restartsAt(view, to)),
  };
}

/** Only of pods that are on `to` already: those of a pod count from the end of its own update. To grow a claim restarts none. */
function restartsAt(view: RolloutView, to: string): (readonly [string, number])[] {
  return view.pods.flatMap((pod) => (pod.hash === to ? [[pod.unit, pod.restarts] as const] : []));
}

/** Why a plan cannot be accepted yet: more pods are broken, or nodes down, than a record can have. Undefined: it can. */
export function tooManyBroken(
  view: RolloutView,
  to: string,
  before: Accepted | undefined,
): string | undefined {
  const halted = before?.progress.phase === 'Halted' && before.spec.to.hash === to;
  const broken = brokenUnits(view, before);
  const since = halted ? brokenSince(view, to, before.progress) : [];
  // What is excused joins the lists that the record of the halted plan has.
  const lists = [
    { names: broken, fit: fitting({}, 'unavailable', broken) },
    { names: since, fit: halted ? fitting(before.progress, 'excused', since) : [] },
  ];
  const cut = lists.find(({ names, fit }) => fit.length < names.length);
  return cut === undefined
    ? tooManyDown(view, takeBaseline(view, to, before))
    : `${cut.names.length} pods are not available, and a plan starts with at most ${cut.fit.length} of them. Fix or delete some first`;
}

/**
 * Ids of the units that are not available for a reason other than the plan before. A run is not meant to be available, and a node that
 * is not Ready is on record as down, not as broken.
 */
function brokenUnits(view: RolloutView, before: Accepted | undefined): string[] {
  if (view.units.of === 'run') return [];
  const isByPlan = byPlan(before);
  const isBroken = (pod: PodRow): boolean => !pod.available && !isNodeLost(view, pod) && !isByPlan(pod);
  return view.pods.flatMap((pod) => (isBroken(pod) ? [pod.unit] : [])).sort();
}

/** Whether the rollout of the plan before is why a pod is not available: it has created, updated or drained it. */
function byPlan(before: Accepted | undefined): (pod: PodRow) => boolean {
  if (before === undefined || columnOf(before.progress.phase) === 'Succeeded')
    return ({ beingUpdated }) => beingUpdated === true;
  const { spec, progress } = before;
  const { wasBroken } = baselineOf(progress);
  return (pod) =>
    pod.beingUpdated === true || (!wasBroken(pod) && (pod.hash === spec.to.hash || isLater(pod, progress)));
}

/**
 * Records, at the end of an update step, the restarts of the pods that it has updated: restarts count from the end of a
 * pod's own update. Restarts of pods that were updated earlier count.
 */
export function withOwnRestarts(view: RolloutView, to: string, progress: Progress): Progress {
  const own = podsAt(view, to).filter((pod) => pod.restarts > 0 && isLater(pod, progress));
  if (own.length === 0) return progress;
  const { unavailable, restarts, otherRestarts } = progress.baseline;
  const entries = { ...restarts, ...Object.fromEntries(own.map((pod) => [pod.unit, pod.restarts])) };
  return {
    ...progress,
    baseline: { unavailable, ...boundedRestarts(progress, Object.entries(entries), otherRestarts) },
  };
}

/**
 * The baseline of a step that continues after its failure. The user who sent Resume accepts what is broken: the step waits
 * for these pods, they fail no check, and restarts so far do not count. The list of what was broken before the plan stays.
 */
export function excusing(
  view: RolloutView,
  to: string,
  progress: Progress,
): Pick<Progress, 'baseline' | 'excused'> {
  const excused = fitting(progress, 'excused', brokenSince(view, to, progress));
  const { unavailable } = progress.baseline;
  return {
    baseline: { unavailable, ...boundedRestarts({ ...progress, excused }, restartsAt(view, to)) },
    ...(excused.length === 0 ? {} : { excused }),
  };
}

/** Why a halted step cannot continue yet: more pods are broken than can be excused. Undefined: it can. */
export function tooManyToExcuse(view: RolloutView, { spec, progress }: Accepted): string | undefined {
  const names = brokenSince(view, spec.to.hash, progress);
  const { length } = fitting(progress, 'excused', names);
  return length === names.length
    ? undefined
    : `${names.length} pods on it are not available, and it continues with at most ${length} of them. Fix or delete some first, or revert`;
}

/** Ids of the units on `to` that are not available, and were when the plan was accepted, or are later. Nodes that are not Ready are none. */
function brokenSince(view: RolloutView, to: string, progress: Progress): string[] {
  if (view.units.of === 'run') return [];
  const { wasBroken } = baselineOf(progress);
  const isBroken = (pod: PodRow): boolean => !pod.available && !isNodeLost(view, pod) && !wasBroken(pod);
  return podsAt(view, to)
    .flatMap((pod) => (isBroken(pod) ? [pod.unit] : []))
    .sort();
}
