import type { Condition } from '../../schemas/wire/object.ts';
import { IN_PLACE_READY, LIFECYCLE_LABEL, type Pod } from './types.ts';

let last = { ms: Number.NaN, text: '' };

/** RFC 3339 (seconds, UTC) of a moment in milliseconds: the form every Kubernetes timestamp has. */
export function timestamp(ms: number): string {
  // One decision writes one moment many times.
  if (ms !== last.ms) last = { ms, text: `${new Date(ms).toISOString().slice(0, 19)}Z` };
  return last.text;
}

export function condition(pod: Pod, type: string): Condition | undefined {
  return pod.status?.conditions?.find((c) => c.type === type);
}

/** Not finished and not being deleted: the pods a workload counts (OpenKruise cloneset, "active pod"). */
export function isActive(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return pod.metadata.deletionTimestamp === undefined && phase !== 'Succeeded' && phase !== 'Failed';
}

export function isReady(pod: Pod): boolean {
  return condition(pod, 'Ready')?.status === 'True';
}

/** When the pod turned ready, in milliseconds; 0 when it is not or does not say. */
export function readySince(pod: Pod): number {
  const ready = condition(pod, 'Ready');
  return ready?.status === 'True' && ready.lastTransitionTime ? Date.parse(ready.lastTransitionTime) : 0;
}

/**
 * `IsPodUpdateReady` (OpenKruise cloneset, section 3): Running, Ready for `seconds`, and not held back by an
 * in-place update. Zero seconds asks for Ready alone; otherwise the last transition plus the seconds must have passed.
 */
export function isUpdateReady(pod: Pod, seconds: number, now: number): boolean {
  if (!isActive(pod) || pod.status?.phase !== 'Running' || !isReady(pod)) return false;
  const gate = condition(pod, IN_PLACE_READY);
  if (gate !== undefined && gate.status !== 'True') return false;
  return seconds === 0 || readySince(pod) + seconds * 1000 < now;
}

/** Update-ready for minReadySeconds, and in no lifecycle state but none or Normal. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  const state = pod.metadata.labels?.[LIFECYCLE_LABEL];
  return (
    (state === undefined || state === '' || state === 'Normal') && isUpdateReady(pod, minReadySeconds, now)
  );
}

export function hasInPlaceGate(pod: Pod): boolean {
  return pod.spec.readinessGates?.some((gate) => gate.conditionType === IN_PLACE_READY) ?? false;
}
