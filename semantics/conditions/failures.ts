import type { Condition } from '../../schemas/wire/object.ts';
import type { Explanation } from '../decision.ts';
import type { Failure } from '../kinds/status-facts.ts';
import { HELD_CONDITION } from '../plan/held-condition.ts';
import type { RefusedPod } from '../plan/rollout-context.ts';
import { timestamp } from '../values/timestamp.ts';

const FAILURES = ['scale', 'update'] as const satisfies readonly Failure[];

/** What kind of failure a refusal is. */
export const failureOf = {
  NoCapacity: 'scale',
  FailedCreate: 'scale',
  FailedDelete: 'scale',
  FailedUpdate: 'update',
} as const satisfies Record<RefusedPod['reason'], Failure>;

export interface Failing {
  /** The types of the conditions, as the kind names them. */
  types: Readonly<Record<Failure, string>>;
  /** Writes of pods that the server refused; of one kind of failure the first is shown. */
  refusals: readonly RefusedPod[];
  /** What was not done, and why. */
  explanations: readonly Explanation[];
  /** What this decision did not evaluate: these conditions stay as the status has them. */
  notEvaluated: readonly Failure[];
  now: number;
}

/**
 * Adds the conditions about failures to a status (OpenKruise workloads, section 3): status True, the error as message, no
 * reason. They stay as long as the server refuses a pod, or a pod cannot be updated as the target requests. OpenKruise never
 * removes them.
 *
 * @param status the whole desired status otherwise
 * @param before the status that the target has
 */
export function withFailures<Status extends { conditions?: Condition[] }>(
  status: Status,
  before: { conditions?: readonly Condition[] },
  { types, refusals, explanations, notEvaluated, now }: Failing,
): Status {
  const shownOf = (failure: Failure): Condition | undefined =>
    before.conditions?.find(({ type, status: is }) => type === types[failure] && is === 'True');
  const failures: Partial<Record<Failure, string>> = {};
  for (const { reason, message } of refusals) failures[failureOf[reason]] ??= message;
  // The first by name, so that the message does not change with the order of pods.
  const [stuck] = explanations
    .filter(({ failure }) => failure !== undefined)
    .sort((a, b) => (a.about < b.about ? -1 : 1));
  failures.update ??= stuck?.failure;
  const [delay] = explanations.flatMap((each) => each.delay ?? []).sort();
  failures.scale ??= delay;
  for (const failure of notEvaluated) failures[failure] ??= shownOf(failure)?.message;
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
