import type { Condition } from '../../schemas/wire/object.ts';
import { HELD_CONDITION } from '../plan/held-condition.ts';
import { timestamp } from '../values/timestamp.ts';

/** The Held condition, which `kubectl wait` and health checks read; undefined: the target is not held. */
export function heldCondition(held: { reason: string; message: string } | undefined): Condition | undefined {
  return held === undefined ? undefined : { type: HELD_CONDITION, status: 'True', ...held };
}

/**
 * Sets the times of conditions. If status and reason have not changed, both times stay. If only the reason has changed,
 * lastTransitionTime stays.
 *
 * @param before the conditions that the target has
 */
export function timed(
  conditions: readonly (Condition | undefined)[],
  before: readonly Condition[] | undefined,
  now: number,
): Condition[] {
  return conditions
    .filter((each) => each !== undefined)
    .map((each) =>
      keepTimes(
        each,
        before?.find(({ type }) => type === each.type),
        now,
      ),
    );
}

function keepTimes(next: Condition, before: Condition | undefined, now: number): Condition {
  const at = timestamp(now);
  const sameStatus = before !== undefined && before.status === next.status;
  const same = sameStatus && before.reason === next.reason;
  return {
    ...next,
    lastTransitionTime: (sameStatus ? before.lastTransitionTime : undefined) ?? at,
    lastUpdateTime: (same ? before.lastUpdateTime : undefined) ?? at,
  };
}
