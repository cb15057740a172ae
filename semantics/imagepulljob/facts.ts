import type { KubeObject } from '../../schemas/wire/object.ts';
import type { StandingFacts } from '../kinds/facts.ts';
import type { Outcome, StandingStatusFacts, StatusProblem } from '../kinds/status-facts.ts';
import { heldProblem } from '../status/conditions.ts';
import { numberOf } from '../values/read.ts';
import { countText } from '../values/text.ts';
import { countsIn, recordedPull } from './status.ts';

const status: StandingStatusFacts = {
  observed: { by: 'status' },
  uncounted: { desired: 0 },
  health: {
    by: 'results',
    wanted: 'desired',
    ended: ['succeeded', 'failed'],
    good: 'succeeded',
    since: 'startTime',
  },
  refusals: { in: 'Held alone' },
  outcome,
  problems: (target) => [...heldProblem(target), ...failures(target)],
  // How far another controller is says nothing about the pods of this one.
  compared: (own) => ({ desired: numberOf(own['desired']) ?? 0 }),
  summary,
};

/** What code that knows no kind asks about an ImagePullJob. */
export const pullJobFacts: StandingFacts = {
  removal: () => 'its pods are deleted with it, and nodes keep the image',
  status,
};

function outcome(target: KubeObject): Outcome {
  const { desired, succeeded, failed } = countsIn(target);
  if (recordedPull(target).startedAt === 0 || desired === undefined || succeeded + failed < desired)
    return 'underway';
  return succeeded < desired ? 'failed' : 'done';
}

/** `2 of 3 nodes have the image`. */
function summary(target: KubeObject): string {
  const { desired, succeeded } = countsIn(target);
  if (recordedPull(target).startedAt === 0 || desired === undefined) return 'not counted yet';
  if (desired === 0) return 'no nodes';
  return `${succeeded} of ${countText(desired, 'node')} ${desired === 1 ? 'has' : 'have'} the image`;
}

/** Two of the nodes that do not get it, and how many more. */
function failures(target: KubeObject): StatusProblem[] {
  const names = [...recordedPull(target).failedNodes];
  if (names.length === 0) return [];
  const more = names.length > 2 ? ` and ${names.length - 2} more` : '';
  return [{ waitingOn: 'NotPulled', message: `${names.slice(0, 2).join(', ')}${more}` }];
}
