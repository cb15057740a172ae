import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { OwnStrategy, StatusFacts, TickCounts } from '../kinds/status-facts.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { normalizeCronJob } from './normalize.ts';

/** What the status of an AdvancedCronJob says (OpenKruise advancedcronjob, section 3). It has no generation. */
export const advancedCronJobStatusFacts: StatusFacts = {
  observed: { by: 'status' },
  uncounted: {},
  counts,
  // Its times have no end: without a plan nothing is ever left to do.
  outcome: () => 'done',
  health: { by: 'observation' },
  strategy,
  breakGlass: (target) =>
    strategy(target).is === 'paused'
      ? 'nothing is created while paused is true in its manifest'
      : 'nothing changes now: the next time of its schedule, or one that waits already, runs the template of its manifest',
  refusals: { in: 'Held alone' },
  problems: () => [],
  compared,
  revisions: () => ({ update: undefined, stable: undefined }),
  // Its pods belong to its children.
  podSelector: () => undefined,
};

function counts(target: KubeObject): TickCounts {
  const status = objectOf(target['status']);
  return {
    of: 'ticks',
    active: listOf(status['active']).length,
    last: textOf(status['lastScheduleTime']) || undefined,
  };
}

function strategy(target: KubeObject): OwnStrategy {
  return { is: normalizeCronJob(target).paused ? 'paused' : 'active' };
}

/** The last time is not among them: OpenKruise forgets it with the last child. */
function compared(status: JsonObject): Record<string, string> {
  const names = listOf(status['active']).map(({ name }) => textOf(name));
  return {
    type: textOf(status['type']) || 'none',
    active: names.sort().join(', ') || 'none',
  };
}
