import { isDrained, settlesAt } from './in-place.ts';
import { graceEndsAt } from './update-in-place.ts';
import { deferredChange } from './deferred-change.ts';
import { factsOf } from './facts.ts';
import { isUpdateReady } from './readiness.ts';
import type { Pod } from './types.ts';

/**
 * When the next ready pod becomes available, milliseconds since 1970; undefined: none will. That is after minReadySeconds, and once
 * nothing is expected any more of a signal to a container.
 */
export function nextAvailableAt(
  pods: readonly Pod[],
  minReadySeconds: number,
  now: number,
): number | undefined {
  return earliest(pods, (pod) => {
    if (isUpdateReady(pod, minReadySeconds, now)) return undefined;
    const { updateReady, recreatedUntil, readySince } = factsOf(pod);
    if (!updateReady || recreatedUntil === Infinity) return undefined;
    const ripe = minReadySeconds === 0 ? 0 : readySince + minReadySeconds * 1000 + 1;
    return Math.max(ripe, recreatedUntil);
  });
}

/**
 * When the upkeep of one of these pods has more to do even if nothing changes, milliseconds since 1970: a grace period ends,
 * or a pod that was reverted during an update must have settled.
 */
export function nextChangeAt(
  unsettled: readonly Pod[],
  gracePeriodSeconds: number,
  now: number,
): number | undefined {
  return earliest(unsettled, (pod) => {
    const rest = deferredChange(pod, now);
    return earliestOf([
      isDrained(pod) ? later(settlesAt(pod), now) : undefined,
      // A grace period of OpenKruise, and one of this runtime.
      rest?.do === 'wait' ? rest.until : undefined,
      later(graceEndsAt(pod, gracePeriodSeconds), now),
    ]);
  });
}

function later(time: number | undefined, now: number): number | undefined {
  return time !== undefined && time > now ? time : undefined;
}

function earliest(pods: readonly Pod[], at: (pod: Pod) => number | undefined): number | undefined {
  let first: number | undefined;
  for (const pod of pods) {
    const time = at(pod);
    if (time !== undefined && (first === undefined || time < first)) first = time;
  }
  return first;
}

/** The earliest of several times; undefined: there is none. */
export function earliestOf(times: readonly (number | undefined)[]): number | undefined {
  let first: number | undefined;
  for (const time of times) if (time !== undefined && (first === undefined || time < first)) first = time;
  return first;
}
