import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { KindFacts } from '../kinds/facts.ts';
import { nodeNouns } from '../kinds/nouns.ts';
import { PULL_LABEL } from '../pull/pod.ts';
import { runCounts } from '../status/run-counts.ts';
import { countText } from '../values/text.ts';
import { pullJobFacts } from './facts.ts';
import { normalizePull } from './normalize.ts';

/** What code that knows no kind asks about a job that waits for a plan. */
export const pullRunFacts: KindFacts = {
  nouns: nodeNouns,
  removal: () => 'its pods are deleted with it, and a run under way ends',
  noUpdates: undefined,
  status: {
    observed: pullJobFacts.status.observed,
    uncounted: pullJobFacts.status.uncounted,
    outcome: pullJobFacts.status.outcome,
    health: pullJobFacts.status.health,
    refusals: pullJobFacts.status.refusals,
    problems: pullJobFacts.status.problems,
    compared: (status: JsonObject) => pullJobFacts.status.compared(status),
    counts: runCounts,
    strategy: () => ({ is: 'active' }),
    breakGlass,
    // A run has no revisions.
    revisions: () => ({ update: undefined, stable: undefined }),
    podSelector: () => PULL_LABEL,
  },
};

/** To how many nodes it pulls. */
function breakGlass(target: KubeObject): string {
  const { parallelism } = normalizePull(target);
  const { wanted, active, succeeded, failed } = runCounts(target);
  if (wanted === undefined) return 'the number of nodes that it pulls to is unknown';
  const rest = Math.max(0, wanted - active - succeeded - failed);
  if (rest === 0) return 'it begins on no node now';
  return `it pulls to ${countText(rest, 'node')} from now on, at most ${parallelism} at a time`;
}
