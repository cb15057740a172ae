import { condition } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { timeOf } from '../values/timestamp.ts';
import { type PullVerdict, pullVerdict } from './verdict.ts';

/** So long a kubelet may leave a pod of its node alone (OpenKruise image-pull, rule 6c.4). */
const RESPONSE_MS = 10 * 60_000;
/** A pod that has no node for so long waits for a place. */
const STUCK_MS = 60_000;
const SILENT = 'node has not responded for a long time';

/** The attempt of a pod, and when it fails, milliseconds since 1970; Infinity: not by time alone. */
export function attemptOf(
  { countsTries, attemptMs }: { countsTries?: true; attemptMs: number },
  pod: Pod,
  now: number,
): { verdict: PullVerdict; endsAt: number } {
  const createdAt = timeOf(pod.metadata.creationTimestamp);
  if (countsTries !== true)
    return { verdict: pullVerdict(pod, attemptMs, createdAt, now), endsAt: createdAt + attemptMs };
  const startedAt = timeOf(startOf(pod));
  const verdict = pullVerdict(pod, attemptMs, startedAt === 0 ? Infinity : startedAt, now);
  if (verdict.is !== 'pulling' || startedAt > 0) return { verdict, endsAt: startedAt + attemptMs };
  if (!hasNode(pod)) return { verdict, endsAt: Infinity };
  const endsAt = createdAt + RESPONSE_MS;
  return { endsAt, verdict: now < endsAt ? verdict : { is: 'failed', problem: SILENT, isFinal: true } };
}

/** Since when a pod without a node waits for a place, milliseconds since 1970; undefined: it has one. */
export function stuckFrom(pod: Pod): number | undefined {
  return hasNode(pod) || timeOf(startOf(pod)) > 0
    ? undefined
    : timeOf(pod.metadata.creationTimestamp) + STUCK_MS;
}

/** When a kubelet has taken the pod up. */
function startOf({ status }: Pod): string | undefined {
  const start = status?.['startTime'];
  return typeof start === 'string' ? start : undefined;
}

function hasNode(pod: Pod): boolean {
  return (pod.spec.nodeName ?? '') !== '' || condition(pod, 'PodScheduled')?.status === 'True';
}
