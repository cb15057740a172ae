import type { Condition } from '../../schemas/wire/object.ts';
import type { Explanation } from '../decision.ts';
import { HELD_CONDITION } from '../plan/held.ts';
import type { RefusedPod } from '../plan/rollout-view.ts';
import { timestamp } from '../values/timestamp.ts';

/** What fails: fewer or more pods, or the update of one. */
export type Failure = 'scale' | 'update';

const FAILURES = ['scale', 'update'] as const satisfies readonly Failure[];

const failureOf = {
  NoCapacity: 'scale',
  FailedCreate: 'scale',
  FailedDelete: 'scale',
  FailedUpdate: 'update',
} as const satisfies Record<RefusedPod['reason'], Failure>;

export interface Failing {
  /** What the kind calls the conditions. */
  types: Readonly<Record<Failure, string>>;
  /** What the server said of a pod that is wanted otherwise. */
  refused: RefusedPod | undefined;
  /** What was not done. */
  explanations: readonly Explanation[];
  /** What this decision did not ask for, so that what the status says of it holds. */
  unasked: readonly Failure[];
  now: number;
}

/**
 * A status with the conditions that tell of failures (OpenKruise workloads, section 3): status True, the error as the
 * message, no reason. They stand as long as the server refuses a pod, or a pod cannot be updated as the target asks;
 * OpenKruise never takes them away again.
 *
 * @param status the whole desired status otherwise
 * @param before the status that the target has
 */
export function withFailures<Status extends { conditions?: Condition[] }>(
  status: Status,
  before: { conditions?: readonly Condition[] },
  { types, refused, explanations, unasked, now }: Failing,
): Status {
  const shownOf = (failure: Failure): Condition | undefined =>
    before.conditions?.find(({ type, status: is }) => type === types[failure] && is === 'True');
  const failures: Partial<Record<Failure, string>> =
    refused === undefined ? {} : { [failureOf[refused.reason]]: refused.message };
  // The first by name, so that it stays the same one.
  const [stuck] = explanations
    .filter(({ failure }) => failure !== undefined)
    .sort((a, b) => (a.about < b.about ? -1 : 1));
  failures.update ??= stuck?.failure;
  const [late] = explanations.flatMap((each) => each.isDelayed ?? []).sort();
  failures.scale ??= late;
  for (const failure of unasked) failures[failure] ??= shownOf(failure)?.message;
  const added = FAILURES.flatMap((failure): Condition[] => {
    const message = failures[failure];
    if (message === undefined) return [];
    const lastTransitionTime = shownOf(failure)?.lastTransitionTime ?? timestamp(now);
    return [{ type: types[failure], status: 'True', message, lastTransitionTime }];
  });
  if (added.length === 0) return status;
  const { conditions = [] } = status;
  const held = conditions.filter(({ type }) => type === HELD_CONDITION);
  return {
    ...status,
    conditions: [...conditions.filter(({ type }) => type !== HELD_CONDITION), ...added, ...held],
  };
}
