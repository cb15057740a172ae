import type { Condition } from '../../schemas/wire/object.ts';
import { HELD_CONDITION } from '../plan/held.ts';
import { timestamp } from '../values/timestamp.ts';

/** Why the target waits, as the condition that `kubectl wait` and health checks read; undefined: it does not. */
export function heldCondition(held: { reason: string; message: string } | undefined): Condition | undefined {
  return held === undefined ? undefined : { type: HELD_CONDITION, status: 'True', ...held };
}

/**
 * Gives conditions their times. Where status and reason are those that the target shows, both times stay; only another
 * status moves lastTransitionTime.
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
