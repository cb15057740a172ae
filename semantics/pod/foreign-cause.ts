import { timeOf } from '../values/timestamp.ts';
import { isReady, readySince } from './readiness.ts';
import { isBeingRecreated } from './recreated.ts';
import { hasUnfinishedSidecarChange } from './sidecar-changes.ts';
import type { ContainerStatus, Pod } from './types.ts';

/**
 * Whether only other updaters keep a pod from being available: they change it, or containers that they have added are not
 * ready, or were until now. The owner does not judge it for that. It still counts as unavailable.
 *
 * @param declared the containers of its template; undefined: they are not known
 */
export function hasForeignCause(pod: Pod, declared: ReadonlySet<string> | undefined, now: number): boolean {
  if (hasUnfinishedSidecarChange(pod) || isBeingRecreated(pod, now)) return true;
  const statuses = pod.status?.containerStatuses ?? [];
  if (declared === undefined || statuses.length <= declared.size) return false;
  const own = statuses.filter(({ name }) => declared.has(name));
  const added = statuses.filter(({ name }) => !declared.has(name));
  if (own.some(({ ready }) => ready !== true)) return false;
  return isReady(pod) ? isReadySinceStartOf(pod, added, own) : added.some(({ ready }) => ready !== true);
}

/**
 * Whether a pod became ready only after an added container had started, and no container of its own has started since: it must
 * be ready for some time before it is available again.
 */
function isReadySinceStartOf(
  pod: Pod,
  added: readonly ContainerStatus[],
  own: readonly ContainerStatus[],
): boolean {
  const last = Math.max(0, ...added.map(startOf));
  return last > 0 && last <= readySince(pod) && own.every((each) => startOf(each) < last);
}

/** When a container was started, milliseconds since 1970; 0: it does not run, or the time is not observed. */
function startOf(status: ContainerStatus): number {
  const { running } = (status['state'] ?? {}) as { running?: { startedAt?: string } };
  return timeOf(running?.startedAt);
}
