import type { Condition } from '../../schemas/wire/object.ts';
import type { Pod } from '../pod/types.ts';
import { timestamp } from '../values/timestamp.ts';
import type { NormalSpread, Subset } from './normalize.ts';
import type { RecordedSubset } from './on-record.ts';
import type { Placements } from './placements.ts';
import { ANY_VERSION } from './resource.ts';
import type { Schedulable } from './schedulable.ts';
import { capOf } from './size.ts';
import { mostVersions } from './slots.ts';
import { byVersion } from './versions.ts';

/** The pods of a subset. */
export interface SubsetStatus {
  name: string;
  /** Of a version: without those in `creatingPods`, which stay there for a while once they are observed. */
  replicas: number;
  /** -1: there is no cap. */
  missingReplicas: number;
  /** Pods that were given this subset, with the time of that, until the caches of every process show it. */
  creatingPods?: Record<string, string>;
  /** Pods of it that a webhook has let go, likewise. */
  deletingPods?: Record<string, string>;
  conditions?: Condition[];
}

/** What the status says of a subset with so many pods. */
export function statusOf(
  subset: Subset,
  replicas: number,
  size: number,
  judged: Schedulable | undefined,
): SubsetStatus {
  const cap = capOf(subset, size);
  return {
    name: subset.name,
    replicas,
    missingReplicas: cap === undefined ? -1 : Math.max(cap - replicas, 0),
    ...(judged !== undefined && { conditions: [judged.condition] }),
  };
}

/**
 * The pods of each subset by version, with the places that are on record. Kinds of one quota have one version, with and without pods; of
 * many versions those with records come first, then those with the most pods.
 */
export function versionedStatuses(
  spread: NormalSpread,
  statuses: SubsetStatus[],
  {
    placed,
    size,
    bySubset,
  }: { placed: Placements; size: number; bySubset: ReadonlyMap<string, readonly Pod[]> },
  membersIn: (pods: readonly Pod[]) => ReadonlyMap<string, readonly Pod[]>,
): Record<string, SubsetStatus[]> {
  if (spread.way === 'creates') return { [ANY_VERSION]: statuses };
  const present = byVersion(spread, [...bySubset.values()].flat());
  const recorded = new Set([...placed.records.keys(), ...placed.leaving.keys()]);
  const isRecorded = (version: string): number => (recorded.has(version) ? 1 : 0);
  const count = (version: string): number => present.get(version)?.length ?? 0;
  const versions = [...new Set([...present.keys(), ...recorded])]
    .sort((a, b) => isRecorded(b) - isRecorded(a) || count(b) - count(a) || (a < b ? -1 : 1))
    .slice(0, mostVersions(spread))
    .sort();
  // A StatefulSet has one version, with and without pods.
  if (spread.way === 'webhook' && versions.length === 0) versions.push(ANY_VERSION);
  return Object.fromEntries(
    versions.map((version) => {
      const members = membersIn(present.get(version) ?? []);
      const records = [...(placed.records.get(version) ?? [])];
      const all = spread.subsets.map((subset): SubsetStatus => {
        const awaited = placed.awaited.get(version)?.get(subset.name) ?? 0;
        const own = records.filter(([, place]) => place.subset === subset.name);
        const there = members.get(subset.name)?.length ?? 0;
        const going = [...(placed.leaving.get(version) ?? [])].filter(
          ([, place]) => place.subset === subset.name,
        );
        const taken = there - going.length + awaited;
        const replicas = there - (own.length - awaited);
        const { missingReplicas } = statusOf(subset, taken, size, undefined);
        return {
          ...{ name: subset.name, replicas, missingReplicas },
          ...(own.length > 0 && { creatingPods: timesOf(own) }),
          ...(going.length > 0 && { deletingPods: timesOf(going) }),
        };
      });
      return [version, all];
    }),
  );
}

function timesOf(records: readonly (readonly [string, RecordedSubset])[]): Record<string, string> {
  return Object.fromEntries(records.map(([name, { at }]) => [name, timestamp(at)]));
}
