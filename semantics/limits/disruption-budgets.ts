import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Pod } from '../pod/types.ts';
import { isActive } from '../pod/readiness.ts';
import { type IntOrPercent, scaleIntOrPercent } from '../values/int-or-percent.ts';
import { listOf, numberOf, objectOf } from '../values/read.ts';
import { type LabelSelector, selectorPredicate } from '../values/selector.ts';
import type { DisruptionLimit } from './disruption.ts';
import { isUndisturbed, namesOf, type PodCounting } from './pod-owners.ts';

/** Whether a PodDisruptionBudget selects a pod of its namespace. As in policy/v1, an empty selector selects every one. */
export function budgetSelector(budget: KubeObject): (pod: Pod) => boolean {
  const { selector } = objectOf(budget['spec']);
  const matches = selectorPredicate(selector as LabelSelector | undefined);
  return ({ metadata }) => matches(metadata.labels);
}

/**
 * The limit of a PodDisruptionBudget. The number of pods that must be healthy is that of its status, where that belongs to its
 * present spec. Healthy pods are counted here: the status does not show yet what was changed just now. Of pods that are not
 * observed, only as many count as the status proves healthy whichever of the observed pods it counts.
 *
 * @param pods those that it selects and that are observed
 */
export function limitOfBudget(
  budget: KubeObject,
  pods: readonly Pod[],
  counting: PodCounting,
): DisruptionLimit {
  const { namespace = '', name, generation } = budget.metadata;
  const status = objectOf(budget['status']);
  const present = pods.filter(({ status: found }) => !ENDED.has(found?.phase ?? ''));
  const isCurrent = numberOf(status['observedGeneration']) === generation && !hasFailed(status);
  const expected = isCurrent ? (numberOf(status['expectedPods']) ?? present.length) : present.length;
  const wanted =
    (isCurrent ? numberOf(status['desiredHealthy']) : undefined) ?? wantedBy(budget, present.length);
  const evicted = new Set(Object.keys(objectOf(status['disruptedPods'])));
  const isHealthy = (pod: Pod): boolean => !evicted.has(pod.metadata.name) && isUndisturbed(pod, 0, counting);
  const unhealthy = present.filter((pod) => isActive(pod) && !isHealthy(pod));
  const healthy = present.filter(isHealthy).length;
  const elsewhere = isCurrent ? Math.max((numberOf(status['currentHealthy']) ?? 0) - present.length, 0) : 0;
  const counted = healthy + elsewhere;
  return {
    name: `PodDisruptionBudget ${namespace}/${name}`,
    most: Math.max(expected - wanted, 0),
    ...(!isCurrent && { lasting: 'no more unavailable pods' }),
    unavailable: namesOf(unhealthy),
    present: `${counted} of ${expected} ${counted === 1 ? 'is' : 'are'} healthy`,
    left: counted - wanted,
  };
}

/** Whether the disruption controller cannot compute the status, as for controllers without a scale. */
function hasFailed(status: JsonObject): boolean {
  return listOf(status['conditions']).some(
    ({ type, reason }) => type === 'DisruptionAllowed' && reason === 'SyncFailed',
  );
}

const ENDED: ReadonlySet<string> = new Set(['Succeeded', 'Failed']);

/** How many pods must be healthy by the spec. Percentages round up, as the disruption controller rounds them. */
function wantedBy(budget: KubeObject, expected: number): number {
  const { minAvailable, maxUnavailable } = objectOf(budget['spec']) as {
    minAvailable?: IntOrPercent;
    maxUnavailable?: IntOrPercent;
  };
  if (maxUnavailable !== undefined)
    return Math.max(expected - scaleIntOrPercent(maxUnavailable, expected, 'up'), 0);
  return minAvailable === undefined ? 0 : scaleIntOrPercent(minAvailable, expected, 'up');
}
