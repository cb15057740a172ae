import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { type Failing, withFailures } from '../conditions/failures.ts';
import type { Action, Decision } from '../decision.ts';
import type { Failure } from '../kinds/status-facts.ts';
import type { CreationBackoff } from '../plan/creation-backoff.ts';
import type { Envelope } from '../plan/envelope.ts';
import type { RefusedPod, RolloutContext } from '../plan/rollout-context.ts';

/** What the rules of a workload decide on. */
export interface DecideInput<View> {
  view: View;
  envelope: Envelope;
  /** Why the target is held, if it is; shown in its status. */
  held: { reason: string; message: string } | undefined;
  /** Hashes of the revisions that the plan may still need. */
  retainedRevisions: ReadonlySet<string>;
  /** Writes of pods that the server refused. Default: none. */
  refusals?: readonly RefusedPod[] | undefined;
  /** When the create of this name was last refused (`RolloutContext`). Default: none was. */
  lastRefused?: RolloutContext['lastRefused'] | undefined;
  /** Pods that were repeatedly lost just after their creation. */
  creationBackoff?: CreationBackoff | undefined;
  now: number;
}

/** A decision without the conditions about failures. `notEvaluated`: these conditions stay as the status has them. */
export type Evaluation<Status> = Decision<Status> & { notEvaluated?: readonly Failure[] };

/**
 * The decision of a workload: that of its rules, with the conditions about failures.
 *
 * @param types   the types of these conditions, as the kind names them
 * @param decide  the rules of the kind; pure
 */
export function decideWorkload<
  View extends { target: KubeObject },
  Status extends { conditions?: Condition[] },
>(
  input: DecideInput<View>,
  types: Failing['types'],
  decide: (input: DecideInput<View>) => Evaluation<Status>,
): Decision<Status> {
  const { notEvaluated = [], ...decision } = decide(input);
  const { refusals = [], now } = input;
  const { explanations } = decision;
  const before = (input.view.target['status'] ?? {}) as Status;
  const status = withFailures(decision.status, before, { types, refusals, explanations, notEvaluated, now });
  return { ...decision, status };
}

/**
 * The decision for a target of which nothing may be touched: it is held entirely, or it is being deleted. Undefined: for any
 * other target.
 */
export function untouched<Status>(
  { view: { target }, envelope }: Pick<DecideInput<{ target: KubeObject }>, 'view' | 'envelope'>,
  status: Status,
): Decision<Status> | undefined {
  if (!envelope.touch) return { actions: [], status, explanations: [] };
  if (target.metadata.deletionTimestamp === undefined) return undefined;
  const explanations = [{ about: target.metadata.name, reason: 'is being deleted' }];
  return { actions: [], status, explanations };
}

/** The names of the objects that are written: upkeep leaves them to the next reconcile. */
export function writtenBy(actions: readonly Action[]): ReadonlySet<string> {
  return new Set(
    actions.map((action) => (action.do === 'create' ? action.object.metadata.name : action.name)),
  );
}
