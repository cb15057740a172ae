import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { KindFacts } from '../kinds/facts.ts';
import { nodeNouns } from '../kinds/nouns.ts';
import type { RunCounts } from '../kinds/status-facts.ts';
import { PULL_LABEL } from '../pull/pod.ts';
import { numberOf, objectOf } from '../values/read.ts';
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
    counts,
    strategy: () => ({ is: 'active' }),
    breakGlass,
    // A run has no revisions.
    revisions: () => ({ update: undefined, stable: undefined }),
    podSelector: () => PULL_LABEL,
  },
};

function counts({ status }: KubeObject): RunCounts {
  const own = objectOf(status);
  const count = (field: string): number => numberOf(own[field]) ?? 0;
  return {
    of: 'run',
    wanted: numberOf(own['desired']),
    active: count('active'),
    succeeded: count('succeeded'),
    failed: count('failed'),
  };
}

/** To how many nodes it pulls. */
function breakGlass(target: KubeObject): string {
  const { parallelism } = normalizePull(target);
  const { wanted, active, succeeded, failed } = counts(target);
  if (wanted === undefined) return 'the number of nodes that it pulls to is unknown';
  const rest = Math.max(0, wanted - active - succeeded - failed);
  if (rest === 0) return 'it begins on no node now';
  return `it pulls to ${countText(rest, 'node')} from now on, at most ${parallelism} at a time`;
}
