import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Outcome, OwnStrategy, StatusFacts } from '../kinds/status-facts.ts';
import { limitAt } from '../limits/window.ts';
import { runCounts } from '../status/run-counts.ts';
import { problemOf } from '../status/conditions.ts';
import { numberOf, objectOf, textOf } from '../values/read.ts';
import { countText } from '../values/text.ts';
import { JOB_NAME_LABEL } from './labels.ts';
import { normalizeBroadcastJob } from './normalize.ts';
import { isEnded, statusOf } from './status.ts';

/** What the status of a BroadcastJob says (OpenKruise broadcastjob, section 3). It has no generation. */
export const broadcastJobStatusFacts: StatusFacts = {
  observed: { by: 'status' },
  uncounted: {},
  counts: runCounts,
  outcome,
  health: { by: 'phase', field: 'phase', done: 'completed', failed: 'failed', paused: 'paused' },
  strategy,
  breakGlass,
  refusals: { in: 'Held alone' },
  problems: (target) => problemOf(target, 'Failed'),
  compared,
  // A run has no revisions.
  revisions: () => ({ update: undefined, stable: undefined }),
  podSelector: ({ metadata }) => `${JOB_NAME_LABEL}=${metadata.name}`,
};

function outcome(target: KubeObject): Outcome {
  switch (textOf(objectOf(target['status'])['phase'])) {
    case 'completed':
      return 'done';
    case 'failed':
      return 'failed';
    default:
      return 'underway';
  }
}

function strategy(target: KubeObject): OwnStrategy {
  return { is: normalizeBroadcastJob(target).paused ? 'paused' : 'active' };
}

/** On how many nodes it starts (OpenKruise broadcastjob, rules 6.1.4 to 6.1.16). */
function breakGlass(target: KubeObject): string {
  const { parallelism, onFailure, paused } = normalizeBroadcastJob(target);
  const { wanted, active, succeeded, failed } = runCounts(target);
  if (isEnded(statusOf(target)) || outcome(target) === 'failed') return 'it starts on no node now';
  if (wanted === undefined) return 'the number of nodes that it starts on is unknown';
  const rest = Math.max(0, wanted - active - succeeded - failed);
  const starts = `it starts on ${rest === 0 ? 'no node' : countText(rest, 'node')}`;
  if (paused) return rest === 0 ? `${starts} now` : `${starts} once paused is false in its manifest`;
  if (failed > 0 && onFailure === 'FailFast') {
    const ends =
      active === 0 ? '' : `: its ${countText(active, 'active pod')} ${active === 1 ? 'is' : 'are'} deleted`;
    return `it fails now, because a pod of it has failed${ends}`;
  }
  if (failed > 0 && onFailure === 'Pause') return 'it starts on no node while there is a failed pod of it';
  const most = limitAt(parallelism, wanted, 'up').count;
  return active + rest <= most ? `${starts} now` : `${starts} from now on, at most ${most} at a time`;
}

function compared(status: JsonObject): Record<string, number | string> {
  const count = (field: string): number => numberOf(status[field]) ?? 0;
  return {
    phase: textOf(status['phase']) || 'none',
    desired: count('desired'),
    active: count('active'),
    succeeded: count('succeeded'),
    failed: count('failed'),
  };
}
