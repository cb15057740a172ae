import { isMirror } from '../pod/mirror.ts';
import { recordOf, type Recreated } from '../pod/recreated.ts';
import type { Pod } from '../pod/types.ts';
import { objectOf } from '../values/read.ts';

/** Seconds that the kubelet gives a pod which does not say so. */
const DEFAULT_GRACE = 30;

/** How much longer than its grace a container is waited for, seconds: its end is reported a moment after. */
const REPORTED = 10;

/** No grace is longer, seconds: a time beyond it could not be recorded. */
const LONGEST_GRACE = 2 ** 31;

/** Seconds that a pod gives its containers to end. */
export function graceOf({ spec }: Pod): number {
  const own = spec['terminationGracePeriodSeconds'];
  return typeof own === 'number' ? own : DEFAULT_GRACE;
}

/** When a container that is asked to end now must have ended, milliseconds since 1970. */
export function endsBy(pod: Pod, grace: number | undefined, now: number): number {
  return now + (Math.min(grace ?? graceOf(pod), LONGEST_GRACE) + REPORTED) * 1000;
}

/**
 * Why no signal is sent to the first process that a container sees, as a clause: it is none of that container, or more than the signal
 * is asked for. Undefined: one may be sent.
 */
export function notSignalled(pod: Pod, name: string, grace: number | undefined): string | undefined {
  const { spec } = pod;
  if (isMirror(pod)) return 'what is stopped could not be recorded on a static pod';
  if (objectOf(spec['os'])['name'] === 'windows') return 'Windows has no signals';
  if (spec['hostPID'] === true) return 'its process 1 is that of the node';
  if (spec['shareProcessNamespace'] === true) return 'its process 1 is that of the whole pod';
  return hasPreStop(pod, name) && (grace ?? graceOf(pod)) > 0 ? 'its preStop hook would not run' : undefined;
}

/** Whether a hook runs before the container is stopped. */
export function hasPreStop({ spec }: Pod, name: string): boolean {
  const container = spec.containers.find((each) => each.name === name);
  return objectOf(container?.['lifecycle'])['preStop'] !== undefined;
}

/** The record of a signal that this request has sent to a container, or was about to. */
export function signalBy(pod: Pod, name: string, uid: string): (Recreated & { until: number }) | undefined {
  const record = recordOf(pod, name);
  return record?.by === uid && record.until !== undefined ? { ...record, until: record.until } : undefined;
}
