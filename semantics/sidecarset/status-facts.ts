import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { podNouns } from '../kinds/nouns.ts';
import type {
  OwnStrategy,
  ShownRefusals,
  StatusFacts,
  StatusProblem,
  UnitCounts,
} from '../kinds/status-facts.ts';
import { MISSED_CONDITION } from '../plan/held-condition.ts';
import { isObserved } from '../status/observed.ts';
import { problemOf, trueCondition } from '../status/conditions.ts';
import { outcomeOfUnits, updatedAtOnce } from '../status/units.ts';
import { partitionValue } from '../values/int-or-percent.ts';
import { numberOf, objectOf } from '../values/read.ts';
import { countText } from '../values/text.ts';
import { HOT_UPGRADE_CONDITION } from './hot-condition.ts';
import { normalizeSidecarSet } from './normalize.ts';

const IN_PLACE = ', as far as the change applies in place';
const observed = { by: 'generation' } as const;
const refusals: ShownRefusals = { in: 'Held alone' };

/** What the status of a SidecarSet says (OpenKruise sidecarset, section 3), of pods of other owners. */
export const sidecarSetStatusFacts: StatusFacts = {
  observed,
  uncounted: { matchedPods: 0, updatedPods: 0, readyPods: 0 },
  counts,
  outcome: (target) => outcomeOfUnits(counts(target)),
  health: {
    by: 'numbers',
    wanted: { of: 'status', field: 'matchedPods' },
    updated: 'updatedReadyPods',
    available: 'readyPods',
  },
  strategy,
  breakGlass,
  refusals,
  problems: (target) => [...problemOf(target, MISSED_CONDITION, 'PodsMissed'), ...failedUpgrade(target)],
  compared,
  // Those of its pods are not named by a revision.
  revisions: () => ({ update: undefined, stable: undefined }),
  podSelector: () => undefined,
};

/** A partition is taken from the pods that wait (rule 6.8.3); how many pods a selector selects is in no status. */
function counts(target: KubeObject): UnitCounts {
  const { partition, updateSelector } = normalizeSidecarSet(target);
  const { matchedPods, updatedPods, readyPods, updatedReadyPods } = compared(objectOf(target['status']));
  return {
    of: 'units',
    wanted: matchedPods,
    due: updateSelector === undefined ? matchedPods - partitionValue(partition, matchedPods) : undefined,
    updated: updatedPods,
    ready: readyPods,
    available: readyPods,
    updatedAvailable: updatedReadyPods,
  };
}

function strategy(target: KubeObject): OwnStrategy {
  const { isRolling, isPaused } = normalizeSidecarSet(target);
  if (!isRolling) return { is: 'byHand', type: 'NotUpdate', namespace: 'NAMESPACE' };
  return { is: isPaused ? 'paused' : 'active' };
}

function breakGlass(target: KubeObject): string {
  const counted = counts(target);
  const own = strategy(target);
  const outdated = counted.wanted - counted.updated;
  if (isObserved({ observed }, target) && outdated > 0) {
    if (own.is === 'byHand') return 'no running pod is updated, and new pods get the change';
    if (own.is === 'active' && counted.due === undefined)
      return `of ${countText(outdated, 'pod')} those are updated now that its selector selects${IN_PLACE}`;
  }
  return updatedAtOnce(target, { observed }, podNouns, counted, own, IN_PLACE);
}

/** A hot upgrade that has failed waits for a user; others go on. */
function failedUpgrade(target: KubeObject): StatusProblem[] {
  const isFailed = trueCondition(target, HOT_UPGRADE_CONDITION)?.reason === 'Failed';
  return isFailed ? problemOf(target, HOT_UPGRADE_CONDITION, 'HotUpgrade') : [];
}

/** The revision is not among them: it is named by whoever has made it. */
function compared(
  status: JsonObject,
): Record<'matchedPods' | 'updatedPods' | 'readyPods' | 'updatedReadyPods', number> {
  const count = (field: string): number => numberOf(status[field]) ?? 0;
  return {
    matchedPods: count('matchedPods'),
    updatedPods: count('updatedPods'),
    readyPods: count('readyPods'),
    updatedReadyPods: count('updatedReadyPods'),
  };
}
