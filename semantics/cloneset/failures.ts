import type { CloneSetStatus } from '../../schemas/generated/types/cloneset.ts';
import type { Condition } from '../../schemas/wire/object.ts';
import type { Because } from '../decision.ts';
import { HELD_CONDITION } from '../plan/held.ts';
import type { RefusedPod } from '../plan/rollout-view.ts';
import { timestamp } from '../pod/readiness.ts';

const FAILURES = ['FailedScale', 'FailedUpdate'] as const;
export type Failure = (typeof FAILURES)[number];
type Failures = Partial<Record<Failure, string>>;

const types = {
  NoCapacity: 'FailedScale',
  FailedCreate: 'FailedScale',
  FailedDelete: 'FailedScale',
  FailedUpdate: 'FailedUpdate',
} as const satisfies Record<RefusedPod['reason'], Failure>;

/**
 * The conditions `FailedScale` and `FailedUpdate` (OpenKruise cloneset, section 3): status True, the error as the message,
 * no reason. They stand as long as the server refuses a pod, or a pod cannot be updated as the target asks; OpenKruise
 * never takes them away again.
 *
 * @param status the whole desired status otherwise
 * @param told what the server said of a pod that is wanted otherwise, and what was not done; of what this look did not ask,
 * what was said before is left: one that scales does not ask what there is to update, one that counts pods asks neither
 */
export function withFailures(
  status: CloneSetStatus,
  before: CloneSetStatus,
  {
    refused,
    because,
    unasked,
    now,
  }: {
    refused: RefusedPod | undefined;
    because: readonly Because[];
    unasked: readonly Failure[];
    now: number;
  },
): CloneSetStatus {
  const failures: Failures = refused === undefined ? {} : { [types[refused.reason]]: refused.message };
  // The first by name, so that it stays the same one.
  const [stuck] = because
    .filter(({ cannot }) => cannot !== undefined)
    .sort((a, b) => (a.about < b.about ? -1 : 1));
  failures.FailedUpdate ??= stuck?.cannot;
  const [late] = because.flatMap((each) => each.late ?? []).sort();
  failures.FailedScale ??= late;
  for (const type of unasked) failures[type] ??= shownOf(before, type)?.message;
  const added = FAILURES.flatMap((type): Condition[] => {
    const message = failures[type];
    if (message === undefined) return [];
    const shown = shownOf(before, type);
    return [
      { type, status: 'True', message, lastTransitionTime: shown?.lastTransitionTime ?? timestamp(now) },
    ];
  });
  if (added.length === 0) return status;
  const { conditions = [] } = status;
  const held = conditions.filter(({ type }) => type === HELD_CONDITION);
  return {
    ...status,
    conditions: [...conditions.filter(({ type }) => type !== HELD_CONDITION), ...added, ...held],
  };
}

function shownOf({ conditions }: CloneSetStatus, type: Failure): Condition | undefined {
  return conditions?.find((condition) => condition.type === type && condition.status === 'True');
}
