import type { KubeObject } from '../../schemas/wire/object.ts';
import type { StandingFacts } from '../kinds/facts.ts';
import type { StandingStatusFacts, StatusProblem } from '../kinds/status-facts.ts';
import { HELD_CONDITION } from '../plan/held-condition.ts';
import { heldProblem, trueCondition } from '../status/conditions.ts';
import { isCounted } from '../status/observed.ts';
import { numberOf, objectOf } from '../values/read.ts';
import { countText } from '../values/text.ts';
import { FAILURES, reportedFailures } from './conditions.ts';
import { normalizeDistribution } from './normalize.ts';

const status: StandingStatusFacts = {
  observed: { by: 'generation' },
  uncounted: {},
  health: {
    by: 'numbers',
    wanted: { of: 'status', field: 'desired' },
    updated: 'succeeded',
    available: 'succeeded',
  },
  refusals: { in: 'Held alone' },
  outcome(target) {
    const { desired, succeeded } = countsOf(target);
    return isCounted(status, target) && succeeded >= desired && !isHeld(target) ? 'done' : 'underway';
  },
  problems: (target) => [...heldProblem(target), ...failures(target)],
  // What is there already lacks the label of this runtime.
  compared: (own) => ({ desired: numberOf(own['desired']) ?? 0 }),
  summary(target) {
    if (!isCounted(status, target)) return 'not counted yet';
    const { desired, succeeded } = countsOf(target);
    if (desired === 0) return 'no namespaces';
    return `${succeeded} of ${countText(desired, 'copy', 'copies')}`;
  },
};

/** What code that knows no kind asks about a ResourceDistribution. */
export const distributionFacts: StandingFacts = {
  removal(manifest) {
    const { kind = 'object', name } = normalizeDistribution(manifest);
    return `every copy of its ${kind} ${name} is deleted with it`;
  },
  status,
};

function countsOf(target: KubeObject): { desired: number; succeeded: number } {
  const { desired, succeeded } = objectOf(target['status']);
  return { desired: numberOf(desired) ?? 0, succeeded: numberOf(succeeded) ?? 0 };
}

function isHeld(target: KubeObject): boolean {
  return trueCondition(target, HELD_CONDITION) !== undefined;
}

/** The namespaces of each failure: two by name, and how many more. */
function failures(target: KubeObject): StatusProblem[] {
  return FAILURES.flatMap((type): StatusProblem[] => {
    const { reason } = trueCondition(target, type) ?? {};
    if (reason === undefined) return [];
    const names = [...reportedFailures(target, type).keys()].sort();
    const more = names.length > 2 ? ` and ${names.length - 2} more` : '';
    return [{ waitingOn: type, message: `${names.slice(0, 2).join(', ')}${more}: ${reason}` }];
  });
}
