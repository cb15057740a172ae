import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { listOf, objectOf } from '../values/read.ts';
import { cutForeign } from '../values/text.ts';
import { timestamp } from '../values/timestamp.ts';

/** The types of its conditions, in the order in which the status has them (OpenKruise resourcedistribution, section 3). */
export const FAILURES = [
  'GetResourceFailed',
  'CreateResourceFailed',
  'UpdateResourceFailed',
  'DeleteResourceFailed',
  'ConflictOccurred',
  'NamespaceNotExists',
] as const;
export type Failure = (typeof FAILURES)[number];

/** The reason of a condition while there is no such failure. */
export const SUCCEEDED = 'Succeeded';

/** One of the six conditions. Its reason is the failure of the first namespace, by name. */
export interface DistributionCondition extends Condition {
  failedNamespaces?: string[];
}

/** So many namespaces are named in a condition. */
const MOST_NAMED = 2_000;

/** What has failed, with the reason for each namespace. */
export type Failures = ReadonlyMap<Failure, ReadonlyMap<string, string>>;

/** The six conditions. `lastTransitionTime` changes with the status alone. */
export function conditionsOf(target: KubeObject, failures: Failures, now: number): DistributionCondition[] {
  return FAILURES.map((type) => {
    const failed = failures.get(type) ?? new Map<string, string>();
    const [first] = [...failed].sort(([a], [b]) => (a < b ? -1 : 1));
    const status = first === undefined ? 'False' : 'True';
    const before = conditionIn(target, type);
    const since = before?.['status'] === status ? before['lastTransitionTime'] : undefined;
    return {
      type,
      status,
      reason: first === undefined ? SUCCEEDED : cutForeign(first[1]),
      lastTransitionTime: typeof since === 'string' ? since : timestamp(now),
      ...(failed.size > 0 && { failedNamespaces: [...failed.keys()].sort().slice(0, MOST_NAMED) }),
    };
  });
}

function conditionIn({ status }: KubeObject, type: Failure) {
  return listOf(objectOf(status)['conditions']).find((each) => each['type'] === type);
}

/**
 * The namespaces that the status of a target names for a failure, with its reason. An earlier process may have written it: what is
 * still to be done there has failed until it is done.
 */
export function reportedFailures(target: KubeObject, type: Failure): ReadonlyMap<string, string> {
  const { status, reason, failedNamespaces } = conditionIn(target, type) ?? {};
  if (status !== 'True' || !Array.isArray(failedNamespaces)) return new Map();
  const names = failedNamespaces.filter((each) => typeof each === 'string');
  return new Map(names.map((name) => [name, typeof reason === 'string' ? reason : '']));
}
