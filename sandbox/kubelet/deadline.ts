import type { ContainerHost } from './containerRun.ts';

/** The activeDeadlineSeconds of a pod. */
export interface Deadline {
  /** Milliseconds since 1970 UTC. */
  at: number;
  cancel: () => void;
}

/**
 * The deadline `seconds` after `startTime`, both from the pod; undefined without either. `watched` is the result of
 * the previous call.
 */
export function watchDeadline(
  host: Pick<ContainerHost, 'now' | 'later'>,
  watched: Deadline | undefined,
  seconds: number | undefined,
  startTime: string | undefined,
  exceeded: () => void,
): Deadline | undefined {
  if (seconds === undefined || startTime === undefined) return watched;
  const at = Date.parse(startTime) + seconds * 1000;
  if (watched?.at === at) return watched;
  watched?.cancel();
  return { at, cancel: host.later(Math.max(0, at - host.now()), exceeded) };
}
