import type { Condition } from '../../schemas/wire/object.ts';
import { factsOf } from './facts.ts';
import { IN_PLACE_READY, type Pod } from './types.ts';

export function condition(pod: Pod, type: string): Condition | undefined {
  return pod.status?.conditions?.find((c) => c.type === type);
}

/** Not finished and not being deleted: the pods a workload counts (OpenKruise workloads, "active pod"). */
export function isActive(pod: Pod): boolean {
  return factsOf(pod).active;
}

export function isReady(pod: Pod): boolean {
  return factsOf(pod).ready;
}

/** When the pod turned ready, in milliseconds; 0 when it is not or does not say. */
export function readySince(pod: Pod): number {
  return factsOf(pod).readySince;
}

/**
 * `IsPodUpdateReady` (OpenKruise workloads, section 3): Running, Ready for `seconds`, and not held back by an
 * in-place update. Zero seconds asks for Ready alone; otherwise the last transition plus the seconds must have passed.
 */
export function isUpdateReady(pod: Pod, seconds: number, now: number): boolean {
  const { updateReady, readySince: since } = factsOf(pod);
  return updateReady && (seconds === 0 || since + seconds * 1000 < now);
}

/** Update-ready for minReadySeconds, and in no lifecycle state but none or Normal. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  return factsOf(pod).normal && isUpdateReady(pod, minReadySeconds, now);
}

export function hasInPlaceGate(pod: Pod): boolean {
  return pod.spec.readinessGates?.some((gate) => gate.conditionType === IN_PLACE_READY) ?? false;
}
