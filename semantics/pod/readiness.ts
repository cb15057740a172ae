import type { Condition } from '../../schemas/wire/object.ts';
import { timeOf } from '../values/timestamp.ts';
import { factsOf, type PodFacts } from './facts.ts';
import { IN_PLACE_READY, type Pod } from './types.ts';

export function condition(pod: Pod, type: string): Condition | undefined {
  return pod.status?.conditions?.find((c) => c.type === type);
}

/** Whether a pod is neither finished nor being deleted: a workload counts it (OpenKruise workloads, "active pod"). */
export function isActive(pod: Pod): boolean {
  return factsOf(pod).active;
}

export function isReady(pod: Pod): boolean {
  return factsOf(pod).ready;
}

/** Since when a pod has been ready, milliseconds since 1970; 0: it is not ready, or the time is missing. */
export function readySince(pod: Pod): number {
  return factsOf(pod).readySince;
}

/**
 * `IsPodUpdateReady` (OpenKruise workloads, section 3): Running, Ready for `seconds`, and the in-place readiness gate is not
 * closed. With zero seconds only Ready counts; otherwise the last transition plus the seconds must have passed. No request is about to
 * restart a container of it.
 */
export function isUpdateReady(pod: Pod, seconds: number, now: number): boolean {
  return hasBeenReady(factsOf(pod), seconds, now);
}

function hasBeenReady(
  { updateReady, recreatedUntil, readySince: since }: PodFacts,
  seconds: number,
  now: number,
): boolean {
  return updateReady && now >= recreatedUntil && (seconds === 0 || since + seconds * 1000 < now);
}

/**
 * Whether a pod that is not ready was ready since it was created, or last updated in place, as its status shows: one that never was has
 * not been ready since before its containers began, or since its gate was closed.
 */
export function wasReady(pod: Pod): boolean {
  const ready = condition(pod, 'Ready');
  const begun = timeOf(condition(pod, 'Initialized')?.lastTransitionTime);
  if (ready?.status !== 'False' || begun === 0) return false;
  const gate = condition(pod, IN_PLACE_READY);
  if (gate?.status === 'False') return false;
  return timeOf(ready.lastTransitionTime) > Math.max(begun, timeOf(gate?.lastTransitionTime));
}

/** Whether a pod is update-ready for minReadySeconds, and its lifecycle state is Normal or not set. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  const facts = factsOf(pod);
  return facts.normal && hasBeenReady(facts, minReadySeconds, now);
}

export function hasInPlaceGate(pod: Pod): boolean {
  return pod.spec.readinessGates?.some((gate) => gate.conditionType === IN_PLACE_READY) ?? false;
}
