import type { KubeObject } from '../../schemas/wire/object.ts';
import type { StandingFacts } from '../kinds/facts.ts';
import type { Outcome, StandingStatusFacts, StatusProblem } from '../kinds/status-facts.ts';
import { heldProblem } from '../status/conditions.ts';
import { countText } from '../values/text.ts';
import { referenceOf, wantedTags } from './normalize.ts';
import { countsIn, recordedTag } from './status.ts';

const status: StandingStatusFacts = {
  observed: { by: 'status' },
  uncounted: { desired: 0 },
  health: {
    by: 'results',
    wanted: 'desired',
    ended: ['succeeded', 'failed'],
    good: 'succeeded',
    since: 'desired',
  },
  refusals: { in: 'Held alone' },
  outcome,
  problems: (target) => [...heldProblem(target), ...waiting(target), ...failures(target)],
  // OpenKruise counts what it pulls for jobs, too.
  compared: () => ({}),
  summary,
};

/** What code that knows no kind asks about a NodeImage. */
export const nodeImageFacts: StandingFacts = {
  removal: () => 'its pods are deleted with it, and the node keeps the images',
  status,
};

function outcome(target: KubeObject): Outcome {
  const { desired, succeeded, failed } = countsIn(target);
  if (desired === undefined || succeeded + failed < desired) return 'underway';
  return succeeded < desired ? 'failed' : 'done';
}

/** `2 of 3 images are on the node`. */
function summary(target: KubeObject): string {
  const { desired, succeeded } = countsIn(target);
  if (desired === undefined) return 'not counted yet';
  if (desired === 0) return 'no images';
  return `${succeeded} of ${countText(desired, 'image')} ${desired === 1 ? 'is' : 'are'} on the node`;
}

/** Why the first image waits that says so. */
function waiting(target: KubeObject): StatusProblem[] {
  for (const wanted of wantedTags(target)) {
    const { phase, message } = recordedTag(target, wanted) ?? {};
    if (phase === 'Waiting' && message !== undefined)
      return [{ waitingOn: 'Waiting', message: `${wanted.reference}: ${message}` }];
  }
  return [];
}

/** Two of the images that the node does not get, and how many more. */
function failures(target: KubeObject): StatusProblem[] {
  const names = wantedTags(target)
    .filter((wanted) => recordedTag(target, wanted)?.phase === 'Failed')
    .map(({ name, tag }) => referenceOf(name, tag));
  if (names.length === 0) return [];
  const more = names.length > 2 ? ` and ${names.length - 2} more` : '';
  return [{ waitingOn: 'NotPulled', message: `${names.slice(0, 2).join(', ')}${more}` }];
}
