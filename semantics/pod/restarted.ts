import { timeOf } from '../values/timestamp.ts';
import { isDrained, unexplainedOf, updatedInPlaceAt } from './in-place.ts';
import { condition } from './readiness.ts';
import { type Container, type ContainerStatus, IN_PLACE_READY, type Pod } from './types.ts';

/** Milliseconds for which a pod must have been ready. A status has whole seconds: less than one may be no time at all. */
const MIN_READY_MS = 1_000;

/** Milliseconds since 1970. */
interface Span {
  from: number;
  until: number;
}

/**
 * Whether a container restarted after its pod had been available, for a reason other than an update. Available means: ready
 * for minReadySeconds since its last in-place update. Only the status of the pod is read, so the result does not depend on
 * when the pod is observed. Of several restarts the last one is judged, as the status shows no other.
 *
 * @param declared the containers of its template; those that others have added are theirs to judge. Default: all count
 */
export function restartedWhenAvailable(
  pod: Pod,
  minReadySeconds: number,
  declared?: ReadonlySet<string>,
): boolean {
  if (isDrained(pod)) return false;
  const longEnough = Math.max(minReadySeconds * 1000, MIN_READY_MS);
  const from = Math.max(
    timeOf(condition(pod, IN_PLACE_READY)?.lastTransitionTime),
    updatedInPlaceAt(pod) ?? 0,
  );
  return (pod.status?.containerStatuses ?? []).some((status) => {
    const isJudged = declared?.has(status.name) !== false && unexplainedOf(pod, status) > 0;
    const run = isJudged ? lastRun(status) : undefined;
    const ready = run && readyIn(pod, run);
    return ready !== undefined && ready.until - Math.max(ready.from, from) >= longEnough;
  });
}

/** When the pod was ready during the last run of a container; undefined: the status does not show that it was. */
function readyIn(pod: Pod, { from, until }: Span): Span | undefined {
  const ready = condition(pod, 'Ready');
  const since = timeOf(ready?.lastTransitionTime);
  if (ready?.status === 'False' && since > from) return { from, until: since };
  // The kubelet may restart a container before it reports the pod as not ready.
  if (ready?.status === 'True' && since < until) return { from: Math.max(from, since), until };
  return isReadyByStart(pod.spec) ? { from: Math.max(from, firstStarts(pod)), until } : undefined;
}

/** Whether a pod is ready once its containers have started: no container has a probe, and no other controller a gate. */
export function isReadyByStart({ containers, readinessGates = [] }: Pod['spec']): boolean {
  return (
    containers.every((each) => !isProbed(each)) &&
    readinessGates.every(({ conditionType }) => conditionType === IN_PLACE_READY)
  );
}

/** Whether the kubelet probes a container for readiness. Any other container is ready while it runs. */
function isProbed(container: Container): boolean {
  return container['readinessProbe'] !== undefined || container['startupProbe'] !== undefined;
}

/** When every container had started once, as far as the status shows; `Infinity`: one has not. */
function firstStarts(pod: Pod): number {
  const starts = (pod.status?.containerStatuses ?? []).map((status) => {
    const { running } = (status['state'] ?? {}) as { running?: { startedAt?: string } };
    return lastRun(status)?.from ?? (timeOf(running?.startedAt) || Infinity);
  });
  return Math.max(0, ...starts);
}

/** The run of a container before its last restart. */
function lastRun(status: ContainerStatus): Span | undefined {
  const { terminated } = (status['lastState'] ?? {}) as {
    terminated?: { startedAt?: string; finishedAt?: string };
  };
  const [from, until] = [timeOf(terminated?.startedAt), timeOf(terminated?.finishedAt)];
  return from === 0 || until === 0 ? undefined : { from, until };
}
