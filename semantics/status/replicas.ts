import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { UnitNouns } from '../kinds/nouns.ts';
import type {
  OwnStrategy,
  ShownRefusals,
  ShownRevisions,
  StatusFacts,
  UnitCounts,
} from '../kinds/status-facts.ts';
import { type IntOrPercent, partitionValue } from '../values/int-or-percent.ts';
import { numberOf, objectOf, textOf } from '../values/read.ts';
import { refusalProblems } from './conditions.ts';
import { outcomeOfUnits, updatedAtOnce } from './units.ts';

/** What a kind says of a workload that controls so many pods. */
export interface ReplicaRules {
  nouns: UnitNouns;
  /** The fields that the schema requires of its status. */
  required: readonly string[];
  refusals: ShownRefusals;
  wanted(target: KubeObject): { replicas: number; partition: IntOrPercent };
  strategy(target: KubeObject): OwnStrategy;
}

/** What the status of a workload with replicas says, by the fields that such kinds have in common (OpenKruise workloads, section 3). */
export function replicaFacts({ nouns, required, refusals, wanted, strategy }: ReplicaRules): StatusFacts {
  const observed = { by: 'generation' } as const;
  const counts = (target: KubeObject): UnitCounts => replicaCounts(target, wanted(target));
  return {
    observed,
    uncounted: Object.fromEntries(required.map((field) => [field, 0])),
    counts,
    outcome: (target) => outcomeOfUnits(counts(target)),
    health: {
      by: 'numbers',
      wanted: { of: 'spec', field: 'replicas', absent: 1 },
      updated: 'updatedAvailableReplicas',
      available: 'availableReplicas',
    },
    strategy,
    breakGlass: (target) => updatedAtOnce(target, { observed }, nouns, counts(target), strategy(target)),
    refusals,
    problems: (target) => refusalProblems(target, refusals),
    compared,
    revisions,
    podSelector: (target) => textIn(objectOf(target['status']), 'labelSelector'),
  };
}

/** A status of OpenKruise may say how many its partition lets be updated; else it follows from the spec. */
function replicaCounts(
  target: KubeObject,
  { replicas, partition }: ReturnType<ReplicaRules['wanted']>,
): UnitCounts {
  const status = objectOf(target['status']);
  return {
    of: 'units',
    wanted: replicas,
    due: numberOf(status['expectedUpdatedReplicas']) ?? replicas - partitionValue(partition, replicas),
    updated: countIn(status, 'updatedReplicas'),
    ready: countIn(status, 'readyReplicas'),
    available: countIn(status, 'availableReplicas'),
    updatedAvailable: countIn(status, 'updatedAvailableReplicas'),
  };
}

/** Those of the stable revision are not compared: here it moves only when a rollout is complete. */
function compared(status: JsonObject): Record<string, number | string> {
  return {
    replicas: countIn(status, 'replicas'),
    readyReplicas: countIn(status, 'readyReplicas'),
    availableReplicas: countIn(status, 'availableReplicas'),
    updatedReplicas: countIn(status, 'updatedReplicas'),
    updatedReadyReplicas: countIn(status, 'updatedReadyReplicas'),
    updateRevision: textOf(status['updateRevision']) || 'none',
  };
}

function revisions(status: JsonObject): ShownRevisions {
  return { update: textIn(status, 'updateRevision'), stable: textIn(status, 'currentRevision') };
}

function countIn(status: JsonObject, field: string): number {
  return numberOf(status[field]) ?? 0;
}

function textIn(status: JsonObject, field: string): string | undefined {
  return textOf(status[field]) || undefined;
}
