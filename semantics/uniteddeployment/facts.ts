import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { KindFacts } from '../kinds/facts.ts';
import { podNouns } from '../kinds/nouns.ts';
import { removalOfPods } from '../kinds/removal.ts';
import type { OwnStrategy, StatusFacts, UnitCounts } from '../kinds/status-facts.ts';
import { problemOf, refusalProblems } from '../status/conditions.ts';
import { outcomeOfUnits, updatedAtOnce } from '../status/units.ts';
import { retainedInSubset } from '../values/partition.ts';
import { listOf, numberOf, objectOf, textOf } from '../values/read.ts';
import { childInGit } from './child.ts';
import { childKindOf } from './child-kinds.ts';
import { normalizeUnited } from './normalize.ts';
import { SUBSET_FAILURE } from './status.ts';

const observed = { by: 'generation' } as const;
const refusals = { in: 'Held alone' } as const;

/** What the status of a UnitedDeployment says (OpenKruise uniteddeployment, section 3): it has pods that are ready, and none that are available. */
const status: StatusFacts = {
  observed,
  uncounted: { replicas: 0, updatedReplicas: 0, currentRevision: '' },
  counts,
  outcome: (target) => outcomeOfUnits(counts(target)),
  health: {
    by: 'numbers',
    wanted: { of: 'spec', field: 'replicas', absent: 1 },
    updated: 'updatedReadyReplicas',
    available: 'readyReplicas',
  },
  strategy,
  breakGlass: (target) => updatedAtOnce(target, { observed }, podNouns, counts(target), strategy(target)),
  refusals,
  problems: (target) => [...refusalProblems(target, refusals), ...problemOf(target, SUBSET_FAILURE)],
  compared: (own) => ({
    ...Object.fromEntries(
      ['replicas', 'readyReplicas', 'updatedReplicas', 'updatedReadyReplicas'].map((field) => [
        field,
        countIn(own, field),
      ]),
    ),
    updatedRevision: textOf(own['updatedRevision']) || 'none',
  }),
  revisions: (own) => ({ update: textIn(own, 'updatedRevision'), stable: textIn(own, 'currentRevision') }),
  podSelector: () => undefined,
};

/** What code outside of this folder may ask. */
export const unitedFacts: KindFacts = {
  nouns: podNouns,
  removal: removalOfPods,
  noUpdates: undefined,
  status,
};

function counts(target: KubeObject): UnitCounts {
  const own = objectOf(target['status']);
  const { replicas, partitions } = normalizeUnited(target);
  const kept = listOf(own['subsetStatuses']).reduce(
    (sum, { name, replicas: size }) => sum + retainedInSubset(partitions, textOf(name), numberOf(size) ?? 0),
    0,
  );
  return {
    of: 'units',
    wanted: replicas,
    due: Math.max(replicas - kept, 0),
    updated: countIn(own, 'updatedReplicas'),
    ready: countIn(own, 'readyReplicas'),
    available: countIn(own, 'readyReplicas'),
    updatedAvailable: countIn(own, 'updatedReadyReplicas'),
  };
}

function strategy(target: KubeObject): OwnStrategy {
  const united = normalizeUnited(target);
  return childKindOf(united.field).strategy(childInGit(target, united));
}

function countIn(own: JsonObject, field: string): number {
  return numberOf(own[field]) ?? 0;
}

function textIn(own: JsonObject, field: string): string | undefined {
  return textOf(own[field]) || undefined;
}
