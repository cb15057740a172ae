import type { KubeObject } from '../../schemas/wire/object.ts';
import type { StandingFacts } from '../kinds/facts.ts';
import type { StandingStatusFacts } from '../kinds/status-facts.ts';
import { HELD_CONDITION } from '../plan/held-condition.ts';
import { problemOf, trueCondition } from '../status/conditions.ts';
import { isCounted } from '../status/observed.ts';
import { listOf, numberOf, objectOf, textOf } from '../values/read.ts';

const status: StandingStatusFacts = {
  observed: { by: 'generation' },
  uncounted: {},
  health: { by: 'observation' },
  refusals: { in: 'Held alone' },
  outcome: (target) => (isCounted(status, target) ? 'done' : 'underway'),
  problems(target) {
    const { reason } = trueCondition(target, HELD_CONDITION) ?? {};
    return problemOf(target, HELD_CONDITION, reason ?? HELD_CONDITION);
  },
  compared: (own) =>
    Object.fromEntries(
      listOf(own['subsetStatuses']).map((each) => [
        `subsetStatuses.${textOf(each['name'])}`,
        numberOf(each['replicas']) ?? 0,
      ]),
    ),
  summary,
};

/** What code that knows no kind asks about a WorkloadSpread. */
export const spreadFacts: StandingFacts = {
  removal: () => 'new pods are no longer spread, and running ones stay where they are',
  status,
};

/** `2 in a, 4 in b`. */
function summary(target: KubeObject): string {
  if (!isCounted(status, target)) return 'not counted yet';
  const subsets = listOf(objectOf(target['status'])['subsetStatuses']);
  return subsets.map((each) => `${numberOf(each['replicas']) ?? 0} in ${textOf(each['name'])}`).join(', ');
}
