import type { KubeObject } from '../../schemas/wire/object.ts';
import type { OwnerBudget } from '../limits/pod-owners.ts';
import { lowerOf, type Window } from '../limits/window.ts';
import { numberOf, objectOf } from '../values/read.ts';
import { daemonSetLimits, writtenLimits } from './limits.ts';
import { normalizeDaemonSet } from './normalize.ts';
import { isSurging, type NormalDaemonSet } from './spec.ts';

/**
 * How many of its pods others may make unavailable: its own maxUnavailable, of as many nodes as its status says are to run one.
 * Undefined: it has no status yet.
 *
 * @param window that of the active plan
 */
export function ownerBudget(target: KubeObject, window: Window | undefined): OwnerBudget | undefined {
  const nodes = numberOf(objectOf(target['status'])['desiredNumberScheduled']);
  if (nodes === undefined) return undefined;
  const { minReadySeconds } = normalizeDaemonSet(target);
  const { maxUnavailable } = lowerOf(daemonSetLimits, writtenLimits(target), window, nodes);
  return { replicas: nodes, minReadySeconds, maxUnavailable: maxUnavailable?.count ?? 0 };
}

/**
 * How many nodes an update changes at once: those without an available pod, or with surge those with an extra one. A percentage is
 * of the nodes that are to run, and rounds up (OpenKruise advanced-daemonset, rule 6.5). Under a plan it is the lower of the target's
 * own limit and that of the step.
 *
 * Example: a step states one unavailable node and no extra one, and git has changed that to the reverse: no node is updated.
 *
 * @param nodes how many nodes are to run
 */
export function updateBudget(
  { target, spec }: { target: KubeObject; spec: Pick<NormalDaemonSet, 'strategy'> },
  window: Window | undefined,
  nodes: number,
): number {
  const lower = lowerOf(daemonSetLimits, writtenLimits(target), window, nodes);
  return (isSurging(spec) ? lower.maxSurge : lower.maxUnavailable)?.count ?? 0;
}
