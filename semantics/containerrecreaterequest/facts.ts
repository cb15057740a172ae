import type { KubeObject } from '../../schemas/wire/object.ts';
import type { StandingFacts } from '../kinds/facts.ts';
import type { Outcome, StandingStatusFacts, StatusProblem } from '../kinds/status-facts.ts';
import { heldProblem } from '../status/conditions.ts';
import { objectOf, textOf } from '../values/read.ts';
import { countText } from '../values/text.ts';
import { normalizeRequest } from './normalize.ts';
import { isOver, phaseOf } from './queue.ts';
import { recordedIn } from './status.ts';

const status: StandingStatusFacts = {
  observed: { by: 'status' },
  uncounted: { phase: 'Pending' },
  health: {
    by: 'parts',
    field: 'phase',
    done: 'Completed',
    list: 'containerRecreateStates',
    part: 'phase',
    good: 'Succeeded',
    problem: 'message',
  },
  refusals: { in: 'Held alone' },
  outcome,
  problems: (target) => [...heldProblem(target), ...waiting(target), ...failures(target)],
  compared: (own) => ({ phase: textOf(own['phase']) || 'none' }),
  summary,
};

/** What code that knows no kind asks about a request. */
export const requestFacts: StandingFacts = {
  removal: () => 'containers that it has not restarted stay as they are',
  status,
};

/** Completed does not mean success: that each container was restarted does. */
function outcome(target: KubeObject): Outcome {
  if (!isOver(target)) return 'underway';
  return failures(target).length === 0 ? 'done' : 'failed';
}

/** `1 of 2 containers restarted`. */
function summary(target: KubeObject): string {
  if (phaseOf(target) === '') return 'not taken up yet';
  const { containers } = normalizeRequest(target);
  const { states } = recordedIn(target);
  const done = states.filter(({ phase }) => phase === 'Succeeded').length;
  return `${done} of ${countText(containers.length, 'container')} restarted`;
}

/** The limit that it waits for. */
function waiting(target: KubeObject): StatusProblem[] {
  const message = messageOf(target);
  return isOver(target) || message === '' ? [] : [{ waitingOn: 'Waiting', message }];
}

function messageOf({ status: own }: KubeObject): string {
  return textOf(objectOf(own)['message']);
}

/** Why it ended without having restarted all of its containers. */
function failures(target: KubeObject): StatusProblem[] {
  const message = messageOf(target);
  if (isOver(target) && message !== '') return [{ waitingOn: 'NotRestarted', message }];
  return recordedIn(target).states.flatMap((each) => {
    const isBad = each.phase === 'Failed' || (isOver(target) && each.phase !== 'Succeeded');
    if (!isBad) return [];
    return [{ waitingOn: 'NotRestarted', message: `${each.name}: ${each.message ?? 'not restarted'}` }];
  });
}
