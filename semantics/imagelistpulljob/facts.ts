import type { KubeObject } from '../../schemas/wire/object.ts';
import { recordedPull } from '../imagepulljob/status.ts';
import type { StandingFacts } from '../kinds/facts.ts';
import type { Outcome, StandingStatusFacts, StatusProblem } from '../kinds/status-facts.ts';
import { heldProblem } from '../status/conditions.ts';
import { listOf, numberOf, objectOf, textOf } from '../values/read.ts';
import { countText } from '../values/text.ts';
import { countsIn } from './status.ts';

const status: StandingStatusFacts = {
  observed: { by: 'status' },
  uncounted: { desired: 0 },
  health: { by: 'results', wanted: 'desired', ended: ['completed'], good: 'succeeded', since: 'startTime' },
  refusals: { in: 'Held alone' },
  outcome,
  problems: (target) => [...heldProblem(target), ...failures(target)],
  compared: (own) => ({ desired: numberOf(own['desired']) ?? 0 }),
  summary,
};

/** What code that knows no kind asks about an ImageListPullJob. */
export const listPullFacts: StandingFacts = {
  removal: () => 'its jobs are deleted with it, and nodes keep the images',
  status,
};

function outcome(target: KubeObject): Outcome {
  const { desired, completed, succeeded } = countsIn(target);
  if (recordedPull(target).startedAt === 0 || desired === undefined || completed < desired) return 'underway';
  return succeeded < desired ? 'failed' : 'done';
}

/** `2 of 3 images are on every node`. */
function summary(target: KubeObject): string {
  const { desired, succeeded } = countsIn(target);
  if (recordedPull(target).startedAt === 0 || desired === undefined) return 'not counted yet';
  return `${succeeded} of ${countText(desired, 'image')} ${desired === 1 ? 'is' : 'are'} on every node`;
}

/** Two of the images that some nodes do not get, and how many more. */
function failures(target: KubeObject): StatusProblem[] {
  const jobs = listOf(objectOf(target['status'])['failedImageStatuses']).map((each) => textOf(each['name']));
  if (jobs.length === 0) return [];
  const more = jobs.length > 2 ? ` and ${jobs.length - 2} more` : '';
  return [{ waitingOn: 'NotPulled', message: `${jobs.slice(0, 2).join(', ')}${more}` }];
}
