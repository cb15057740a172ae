import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { NormalCloneSet } from '../../semantics/cloneset/normalize.ts';
import { allowedPods } from '../../semantics/plan/allowed.ts';
import { partitionValue, scaleIntOrPercent } from '../../semantics/values/int-or-percent.ts';

/** Most pods that may be missing, and most that may be extra, at a time. */
export interface Window {
  maxUnavailable: number;
  maxSurge: number;
}

/** The target's own limits with the step's on top: the lower of both holds (OpenKruise cloneset, rule 6.3). */
export function windowOf(step: Step, normal: NormalCloneSet, replicas: number): Window {
  const window = step.update?.window;
  const surge = Math.min(
    scaleIntOrPercent(normal.maxSurge, replicas, 'up'),
    window?.maxSurge === undefined ? Infinity : scaleIntOrPercent(window.maxSurge, replicas, 'up'),
  );
  const round = surge === 0 ? 'up' : 'down';
  const unavailable = Math.min(
    scaleIntOrPercent(normal.maxUnavailable, replicas, round),
    window?.maxUnavailable === undefined
      ? Infinity
      : scaleIntOrPercent(window.maxUnavailable, replicas, round),
    replicas,
  );
  return { maxUnavailable: unavailable, maxSurge: surge };
}

/** The widest window of all update steps. */
export function widest(steps: readonly Step[], normal: NormalCloneSet): Window {
  const windows = steps
    .filter(({ update }) => update !== undefined)
    .map((step) => windowOf(step, normal, normal.replicas));
  return {
    maxUnavailable: Math.max(0, ...windows.map(({ maxUnavailable }) => maxUnavailable)),
    maxSurge: Math.max(0, ...windows.map(({ maxSurge }) => maxSurge)),
  };
}

/** Pods that may be on the new revision when the step is done: what it allows, under the target's own partition. */
export function podsAt(step: Step, normal: NormalCloneSet, replicas: number): number {
  if (step.update === undefined) return 0;
  return Math.min(allowedPods(step.update, replicas), replicas - partitionValue(normal.partition, replicas));
}

/** How often pods have to be taken at the least, all steps together: fewer at a time than the windows allow only take longer. */
export function leastRounds(steps: readonly Step[], normal: NormalCloneSet): number {
  let rounds = 0;
  let there = 0;
  for (const step of steps) {
    const pods = podsAt(step, normal, normal.replicas);
    const { maxUnavailable, maxSurge } = windowOf(step, normal, normal.replicas);
    rounds += Math.ceil(Math.max(pods - there, 0) / Math.max(maxUnavailable + maxSurge, 1));
    there = Math.max(there, pods);
  }
  return rounds;
}
