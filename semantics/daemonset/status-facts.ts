import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { nodeNouns } from '../kinds/nouns.ts';
import type { OwnStrategy, ShownRefusals, StatusFacts, UnitCounts } from '../kinds/status-facts.ts';
import { isObserved } from '../status/observed.ts';
import { outcomeOfUnits, updatedAtOnce } from '../status/units.ts';
import { scaleIntOrPercent } from '../values/int-or-percent.ts';
import { numberOf, objectOf, textOf } from '../values/read.ts';
import { formatSelector } from '../values/selector.ts';
import { countText } from '../values/text.ts';
import { normalizeDaemonSet } from './normalize.ts';

const observed = { by: 'generation' } as const;
const refusals: ShownRefusals = { in: 'Held alone' };

/** What the status of a DaemonSet says (OpenKruise advanced-daemonset, section 3), of nodes. */
export const daemonSetStatusFacts: StatusFacts = {
  observed,
  uncounted: {
    currentNumberScheduled: 0,
    desiredNumberScheduled: 0,
    numberMisscheduled: 0,
    numberReady: 0,
    updatedNumberScheduled: 0,
  },
  counts,
  outcome: (target) => outcomeOfUnits(counts(target)),
  health: {
    by: 'numbers',
    wanted: { of: 'status', field: 'desiredNumberScheduled' },
    updated: 'updatedNumberScheduled',
    available: 'numberAvailable',
  },
  strategy,
  breakGlass,
  refusals,
  problems: () => [],
  compared,
  revisions: (status) => ({ update: textOf(status['updateRevision']) || undefined, stable: undefined }),
  podSelector: (target) => formatSelector(normalizeDaemonSet(target).selector) || undefined,
};

/**
 * How many nodes a selector selects is in no status, and neither is how many updated ones are available: where every node is, these
 * are, too.
 */
function counts(target: KubeObject): UnitCounts {
  const { partition, nodeSelector } = normalizeDaemonSet(target);
  const status = objectOf(target['status']);
  const count = (field: string): number => numberOf(status[field]) ?? 0;
  const wanted = count('desiredNumberScheduled');
  const retained = Math.max(0, Math.min(scaleIntOrPercent(partition, wanted, 'down'), wanted));
  const updated = count('updatedNumberScheduled');
  const available = count('numberAvailable');
  return {
    of: 'units',
    wanted,
    due: nodeSelector === undefined ? wanted - retained : undefined,
    updated,
    ready: count('numberReady'),
    available,
    updatedAvailable: Math.min(updated, available),
  };
}

function strategy(target: KubeObject): OwnStrategy {
  const normal = normalizeDaemonSet(target);
  if (normal.strategy.type === 'OnDelete')
    return { is: 'byHand', type: 'OnDelete', namespace: target.metadata.namespace ?? '' };
  return { is: normal.paused ? 'paused' : 'active' };
}

function breakGlass(target: KubeObject): string {
  const counted = counts(target);
  const own = strategy(target);
  const outdated = counted.wanted - counted.updated;
  if (isObserved({ observed }, target) && outdated > 0 && own.is === 'active' && counted.due === undefined)
    return `of ${countText(outdated, 'node')} those are updated now that its selector selects`;
  return updatedAtOnce(target, { observed }, nodeNouns, counted, own);
}

function compared(status: JsonObject): Record<string, number | string> {
  const count = (field: string): number => numberOf(status[field]) ?? 0;
  return {
    desiredNumberScheduled: count('desiredNumberScheduled'),
    currentNumberScheduled: count('currentNumberScheduled'),
    numberMisscheduled: count('numberMisscheduled'),
    numberReady: count('numberReady'),
    numberAvailable: count('numberAvailable'),
    updatedNumberScheduled: count('updatedNumberScheduled'),
    updateRevision: textOf(status['updateRevision']) || 'none',
  };
}
