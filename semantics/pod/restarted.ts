import { isDrained, unexplainedOf, updatedInPlaceAt } from './in-place.ts';
import { condition } from './readiness.ts';
import { type Container, type ContainerStatus, IN_PLACE_READY, type Pod } from './types.ts';

/** Times in a status are whole seconds: a pod that was ready for less than one may not have been ready at all. */
const SHORTEST_MS = 1_000;

/** Milliseconds since 1970. */
interface Span {
  from: number;
  until: number;
}

/**
 * Whether a container restarted, without an update that explains it, after its pod had been available: ready for
 * minReadySeconds since its update in place. Only the status of the pod is read, so that the answer does not depend on when
 * the pod is observed. Of a container with several restarts the last one is judged, because the status shows no other.
 */
export function restartedWhenAvailable(pod: Pod, minReadySeconds: number): boolean {
  if (isDrained(pod)) return false;
  const longEnough = Math.max(minReadySeconds * 1000, SHORTEST_MS);
  const from = Math.max(
    timeOf(condition(pod, IN_PLACE_READY)?.lastTransitionTime),
    updatedInPlaceAt(pod) ?? 0,
  );
  return (pod.status?.containerStatuses ?? []).some((status) => {
    const run = unexplainedOf(pod, status) > 0 ? lastRun(status) : undefined;
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

/** Nothing but the start of its containers makes a pod ready: no container has a probe, and no other controller a gate. */
export function isReadyByStart({ containers, readinessGates = [] }: Pod['spec']): boolean {
  return (
    containers.every((each) => !isProbed(each)) &&
    readinessGates.every(({ conditionType }) => conditionType === IN_PLACE_READY)
  );
}

/** The kubelet asks such a container whether it is ready; any other one is ready while it runs. */
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

function timeOf(text: string | undefined): number {
  return Date.parse(text ?? '') || 0;
}
