import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { listOf, numberOf, objectOf, textOf } from '../values/read.ts';
import type { NormalSpread } from './normalize.ts';

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

/** So large all places on record may be together, of some 2,000 pods: a status must fit the server's limit of an object. */
export const MOST_RECORDED = 150_000;
/** The same for pods that are about to go. */
export const MOST_LEAVING = 60_000;

/** How large one record is in a status, in characters: the id, and the time. */
export function recordSize(id: string): number {
  return id.length + 30;
}

/** How large the records of all versions are. */
export function recordedSize({ status }: KubeObject, field: 'creatingPods' | 'deletingPods'): number {
  const versions = Object.values(objectOf(objectOf(status)['versionedSubsetStatuses']));
  const own = versions.flatMap((each) => listOf(each)).flatMap((each) => Object.keys(objectOf(each[field])));
  return own.reduce((sum, id) => sum + recordSize(id), 0);
}

/** So many subsets of versions are in a status. */
const MOST_OF_VERSIONS = 2_000;
/** So many versions are in it at most: whoever may create pods makes versions up. */
const MOST_VERSIONS = 100;

/** How many versions a status has at most, each with every subset. */
export function mostVersions({ subsets }: NormalSpread): number {
  return Math.min(MOST_VERSIONS, Math.max(1, Math.floor(MOST_OF_VERSIONS / Math.max(subsets.length, 1))));
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
