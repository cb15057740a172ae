import type { Condition } from '../../schemas/wire/object.ts';
import { factsOf } from './facts.ts';
import { IN_PLACE_READY, type Pod } from './types.ts';

let last = { ms: Number.NaN, text: '' };

/** The end of the year 9999: a later moment has no timestamp. */
const LATEST_MS = 253_402_300_799_000;

/** RFC 3339 (seconds, UTC) of a moment in milliseconds: the form every Kubernetes timestamp has. */
export function timestamp(ms: number): string {
  // One decision writes one moment many times.
  if (ms !== last.ms) last = { ms, text: `${dateOf(ms).toISOString().slice(0, 19)}Z` };
  return last.text;
}

/** What a tenant asks to wait for may be longer than there are dates. */
function dateOf(ms: number): Date {
  return new Date(Math.min(Math.max(ms, 0), LATEST_MS) || 0);
}

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
