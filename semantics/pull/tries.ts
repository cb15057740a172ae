import { condition } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { timeOf } from '../values/timestamp.ts';
import { pullOf } from './pod.ts';
import { type PullVerdict, pullVerdict } from './verdict.ts';

/** So long a kubelet may leave a pod of its node alone (OpenKruise image-pull, rule 6c.4). */
const RESPONSE_MS = 10 * 60_000;
/** A pod that has no node for so long waits for a place. */
const STUCK_MS = 60_000;
export const SILENT = 'node has not responded for a long time';

/** The attempt of a pod, and when it fails, milliseconds since 1970; Infinity: not by time alone. */
export function attemptOf(
  { countsTries, attemptMs }: { countsTries?: true; attemptMs: number },
  pod: Pod,
  now: number,
): { verdict: PullVerdict; endsAt: number } {
  const createdAt = timeOf(pod.metadata.creationTimestamp);
  if (countsTries !== true)
    return { verdict: pullVerdict(pod, attemptMs, createdAt, now), endsAt: createdAt + attemptMs };
  const startedAt = takenUpAt(pod);
  const verdict = pullVerdict(pod, attemptMs, startedAt ?? Infinity, now);
  if (verdict.is !== 'pulling' || startedAt !== undefined)
    return { verdict, endsAt: (startedAt ?? 0) + attemptMs };
  if (!hasNode(pod)) return { verdict, endsAt: Infinity };
  const endsAt = placedAt(pod) + RESPONSE_MS;
  return { endsAt, verdict: now < endsAt ? verdict : { is: 'failed', problem: SILENT, isFinal: true } };
}

/**
 * From when on a pod pulls nothing until there is a place, milliseconds since 1970; undefined: it does not wait for one. Where the
 * one before was turned away as well, from its end on.
 */
export function stuckFrom(pod: Pod, { is }: PullVerdict): number | undefined {
  const { attempt, tries } = pullOf(pod);
  if (is === 'untried' && attempt > tries) return 0;
  const isWaiting = is === 'pulling' && !hasNode(pod) && takenUpAt(pod) === undefined;
  return is === 'untried' || isWaiting ? timeOf(pod.metadata.creationTimestamp) + STUCK_MS : undefined;
}

/** Until when a pod that is being deleted holds its place: a kubelet that is alive lets it go at once. */
export function heldUntil({ metadata }: Pod): number | undefined {
  return metadata.deletionTimestamp === undefined
    ? undefined
    : timeOf(metadata.deletionTimestamp) + RESPONSE_MS;
}

/**
 * When a kubelet has taken the pod up, undefined: not yet. Its own clock says so, and may be wrong: it was after the pod was placed, and
 * before the kubelet counts as silent.
 */
function takenUpAt(pod: Pod): number | undefined {
  const start = pod.status?.['startTime'];
  const startedAt = timeOf(typeof start === 'string' ? start : undefined);
  if (startedAt <= 0) return undefined;
  const earliest = placedAt(pod);
  return Math.min(Math.max(startedAt, earliest), earliest + RESPONSE_MS);
}

/** When the pod got its node, by the clock of the API server, as far as it is known. */
function placedAt(pod: Pod): number {
  const placed = condition(pod, 'PodScheduled');
  const scheduledAt = placed?.status === 'True' ? timeOf(placed.lastTransitionTime) : 0;
  return Math.max(timeOf(pod.metadata.creationTimestamp), scheduledAt);
}

function hasNode(pod: Pod): boolean {
  return (pod.spec.nodeName ?? '') !== '' || condition(pod, 'PodScheduled')?.status === 'True';
}
