import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { listOf, numberOf, objectOf, textOf } from '../values/read.ts';

/** The pods of a version in one subset, as the status has them. */
export interface SubsetSlots {
  /** Those that are counted, and not in `creating`. */
  replicas: number;
  /** How many more it takes by the last count; -1: there is no cap. */
  missing: number;
  /** Pods that were given a place a while ago at most, with the time of that. */
  creating: Readonly<Record<string, string>>;
  /** Pods that are counted and are to go, likewise. */
  deleting: Readonly<Record<string, string>>;
}

/** The places of a version by subset, in the status of a WorkloadSpread. */
export function slotsIn({ status }: KubeObject, version: string): ReadonlyMap<string, SubsetSlots> {
  const subsets = listOf(objectOf(objectOf(status)['versionedSubsetStatuses'])[version]);
  return new Map(subsets.map((each) => [textOf(each['name']), slotsOf(each)] as const));
}

function slotsOf({ replicas, missingReplicas, creatingPods, deletingPods }: JsonObject): SubsetSlots {
  return {
    replicas: numberOf(replicas) ?? 0,
    missing: numberOf(missingReplicas) ?? -1,
    creating: objectOf(creatingPods) as Record<string, string>,
    deleting: objectOf(deletingPods) as Record<string, string>,
  };
}

/** How many pods of all versions have their places on record. */
export function creatingIn({ status }: KubeObject): number {
  const versions = Object.values(objectOf(objectOf(status)['versionedSubsetStatuses']));
  const own = versions
    .flatMap((each) => listOf(each))
    .map((each) => Object.keys(objectOf(each['creatingPods'])).length);
  return own.reduce((sum, each) => sum + each, 0);
}

/** How many versions have a place in the status. */
export function versionsIn({ status }: KubeObject): number {
  return Object.keys(objectOf(objectOf(status)['versionedSubsetStatuses'])).length;
}

export const NO_SLOTS: SubsetSlots = { replicas: 0, missing: -1, creating: {}, deleting: {} };

/** How many places of a subset are taken. */
export function takenOf({ replicas, creating, deleting }: SubsetSlots): number {
  return Math.max(replicas - Object.keys(deleting).length, 0) + Object.keys(creating).length;
}

/** How many more pods a subset takes; -1: it has no cap. */
export function missingIn(places: SubsetSlots, cap: number | undefined): number {
  return cap === undefined ? -1 : Math.max(cap - takenOf(places), 0);
}

/** The status of a subset with these places. */
export function slotsStatus(
  name: string,
  { replicas, missing, creating, deleting }: SubsetSlots,
): JsonObject {
  return {
    name,
    replicas,
    missingReplicas: missing,
    ...(Object.keys(creating).length > 0 && { creatingPods: { ...creating } }),
    ...(Object.keys(deleting).length > 0 && { deletingPods: { ...deleting } }),
  };
}
