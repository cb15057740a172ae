import type { KubeObject } from '../../schemas/wire/object.ts';
import type { StandingFacts } from '../kinds/facts.ts';
import type { StandingStatusFacts, StatusProblem } from '../kinds/status-facts.ts';
import { HELD_CONDITION } from '../plan/held-condition.ts';
import { trueCondition } from '../status/conditions.ts';
import { isCounted } from '../status/observed.ts';
import { numberOf } from '../values/read.ts';
import { countText } from '../values/text.ts';
import { UNKNOWN_TOTAL } from './counts.ts';
import { slotsOf } from './entries.ts';

const COMPARED = ['unavailableAllowed', 'currentAvailable', 'desiredAvailable', 'totalReplicas'] as const;

const status: StandingStatusFacts = {
  observed: { by: 'generation' },
  uncounted: { unavailableAllowed: 0, currentAvailable: 0, desiredAvailable: 0, totalReplicas: 0 },
  health: { by: 'observation' },
  refusals: { in: 'Held alone' },
  outcome: (target) => (isCounted(status, target) ? 'done' : 'underway'),
  problems: (target) => [...heldProblem(target), ...sizeProblem(target)],
  compared: (own) => Object.fromEntries(COMPARED.map((field) => [field, numberOf(own[field]) ?? 0])),
  summary,
};

/** What code that knows no kind asks about a budget. */
export const budgetFacts: StandingFacts = {
  removal: () => 'its pods are no longer protected',
  status,
};

/** `3 of 10 pods may become unavailable`. */
function summary(target: KubeObject): string {
  const { allowed, desired, total } = slotsOf(target);
  if (!isCounted(status, target)) return 'not counted yet';
  if (total === 0) return 'no pods';
  if (desired === 0)
    return total === UNKNOWN_TOTAL ? 'protects no pod' : `protects none of ${countText(total, 'pod')}`;
  const of = total === UNKNOWN_TOTAL ? '' : ` of ${total}`;
  return `${allowed}${of} ${allowed === 1 && of === '' ? 'pod' : 'pods'} may become unavailable`;
}

function heldProblem(target: KubeObject): StatusProblem[] {
  const { reason, message } = trueCondition(target, HELD_CONDITION) ?? {};
  return reason === undefined ? [] : [{ waitingOn: reason, message: message ?? '' }];
}

/** A budget of workloads that have no number of pods protects less than its author thinks. */
function sizeProblem(target: KubeObject): StatusProblem[] {
  if (slotsOf(target).total !== UNKNOWN_TOTAL) return [];
  const message = 'how many pods there are to be is unknown; set spec.protectTotalReplicas in git';
  return [{ waitingOn: 'UnknownSize', message }];
}
