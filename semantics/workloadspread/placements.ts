import type { KubeObject } from '../../schemas/wire/object.ts';
import { isActive } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { byAge } from '../values/by-age.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { timeOf } from '../values/timestamp.ts';
import { chooseSubset } from './choose.ts';
import { isGated } from './gated.ts';
import { idsOf } from './matched.ts';
import { membersOf, spreadBy, subsetOf } from './members.ts';
import { normalizeSpread, type Subset } from './normalize.ts';
import { closedSubsets } from './schedulable.ts';
import { byVersion } from './versions.ts';

/** So long a place stays on record after it was given: meanwhile no cache may show the pod as it was before. */
export const RECORDED_MS = 30_000;
/** So long a pod waits that the server does not let be placed: it must not wait for ever. */
const REFUSED_MS = 30_000;
/** So long one that was to go may take. */
const LEAVING_MS = 15_000;
/** So many places of pods that have them stay on record, of all versions: a status must fit the server's limit of an object. */
const MOST_RECORDED = 500;
/** So many pods have a place on record that do not show it yet; the others wait for them. */
const MOST_AWAITED = 1_000;

/** The place that a pod was given. */
export interface RecordedSubset {
  subset: string;
  /** When, milliseconds since 1970. */
  at: number;
}

/** A pod that was to come to a subset, or to go from it, and has not in time. */
export interface Overdue {
  what: 'create' | 'delete';
  /** Its name, or what stands for it. */
  id: string;
  subset: string;
}

/** Where pods with a gate go. */
export interface Placements {
  /** What is to be on record, by version and by name of the pod. */
  records: ReadonlyMap<string, ReadonlyMap<string, RecordedSubset>>;
  /** Of these, how many of each subset no pod shows yet, by version. */
  awaited: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** The pods that are let go now. */
  ready: readonly { pod: Pod; subset: Subset | undefined; isRefused?: true }[];
  /** Pods that are about to go, likewise: others may take their places. */
  leaving: ReadonlyMap<string, ReadonlyMap<string, RecordedSubset>>;
  /** Records that end now, and were never met. */
  overdue: readonly Overdue[];
  /** When a record ends, milliseconds since 1970; undefined: there is none. */
  again: number | undefined;
}

/**
 * Decides where pods go that wait with a gate, in the order of their creation (OpenKruise workloadspread, section 12.2). A place in a subset
 * with a cap is put on record in the status before the pod is written: of two runtimes, one that is replaced included, only one can write a
 * version of the status, and the other then reads what it says. So no place is given twice, whatever one of them does not see yet.
 *
 * @param size    how many pods the workload is to have
 * @param refused the pods that the server lets not be placed: after a while these go without. Default: none
 * @param pods those of the workload, also those that the filter leaves out
 */
export function placements(
  object: KubeObject,
  {
    pods,
    size,
    refused = NO_NAMES,
    now,
  }: { pods: readonly Pod[]; size: number; refused?: ReadonlySet<string> | undefined; now: number },
): Placements {
  const spread = normalizeSpread(object);
  const isOwn = spreadBy(object);
  // Pods that the runtime creates are made in their subset. A gate that their template has all the same holds nothing.
  if (spread.way === 'creates') return { ...NOTHING, ready: asTheyAre(pods) };
  const own = pods.filter(isOwn);
  const closed = closedSubsets(object, spread);
  const before = recordedIn(object, 'creatingPods', now);
  const overdue: Overdue[] = [];
  const present = byVersion(spread, own);
  const records = new Map<string, Map<string, RecordedSubset>>();
  const awaited = new Map<string, Map<string, number>>();
  const ready: { pod: Pod; subset: Subset | undefined; isRefused?: true }[] = [];
  const done: { version: string; name: string; place: RecordedSubset }[] = [];
  let taken = 0;
  const retries: number[] = [];
  for (const version of new Set([...present.keys(), ...before.keys()])) {
    const all = present.get(version) ?? [];
    const known = before.get(version) ?? new Map<string, RecordedSubset>();
    const byId = new Map(all.flatMap((pod) => idsOf(pod).map((id) => [id, pod] as const)));
    const counted = new Map(
      [...membersOf(object, all).bySubset].map(([name, members]) => [name, members.length]),
    );
    const kept = new Map<string, RecordedSubset>();
    const waiting = new Map<string, number>();
    const take = (subset: string): void => {
      taken += 1;
      counted.set(subset, (counted.get(subset) ?? 0) + 1);
      waiting.set(subset, (waiting.get(subset) ?? 0) + 1);
    };
    for (const [name, place] of known) {
      if (!spread.subsets.some((subset) => subset.name === place.subset)) continue;
      const pod = byId.get(name);
      const isYoung = now < place.at + RECORDED_MS;
      if (pod !== undefined && (!isActive(pod) || subsetOf(object, spread, pod) !== undefined)) {
        const isThere = isActive(pod) && subsetOf(object, spread, pod) === place.subset;
        if (isYoung && isThere) done.push({ version, name, place });
      } else if (pod === undefined ? isYoung : isGated(pod)) {
        take(place.subset);
        kept.set(name, place);
      } else if (pod === undefined) overdue.push({ what: 'create', id: name, subset: place.subset });
    }
    const gated = all.filter(isGated).sort(byAge);
    for (const pod of gated) {
      const { name } = pod.metadata;
      if (refused.has(name)) {
        const until = timeOf(pod.metadata.creationTimestamp) + REFUSED_MS;
        if (until <= now) {
          kept.delete(name);
          ready.push({ pod, subset: undefined, isRefused: true });
          continue;
        }
        retries.push(until);
      }
      const place = kept.get(name);
      if (place !== undefined) {
        ready.push({ pod, subset: spread.subsets.find((subset) => subset.name === place.subset) });
        continue;
      }
      const subset = chooseSubset(name, { spread, size, counted, closed });
      // Without a cap, nothing depends on how many there are.
      if (subset?.cap === undefined) ready.push({ pod, subset });
      else if (taken < MOST_AWAITED) {
        take(subset.name);
        kept.set(name, { subset: subset.name, at: now });
      }
    }
    if (kept.size > 0) records.set(version, kept);
    if (waiting.size > 0) awaited.set(version, waiting);
  }
  done.sort(({ place: a }, { place: b }) => b.at - a.at);
  for (const { version, name, place } of done.slice(0, MOST_RECORDED)) {
    const kept = records.get(version) ?? new Map<string, RecordedSubset>();
    records.set(version, kept.set(name, place));
  }
  // What the filter leaves out has the gate all the same.
  ready.push(...asTheyAre(pods.filter((pod) => !isOwn(pod))));
  const { leaving, late } = leavingPods(object, present, now);
  const endsOf = (all: ReadonlyMap<string, ReadonlyMap<string, RecordedSubset>>, ms: number): number[] =>
    [...all.values()].flatMap((each) => [...each.values()].map(({ at }) => at + ms));
  const all = [...endsOf(records, RECORDED_MS), ...endsOf(leaving, LEAVING_MS), ...retries];
  const ends = all.filter((end) => end > now);
  const again = ends.length === 0 ? undefined : Math.min(...ends);
  return { records, awaited, leaving, overdue: [...overdue, ...late], ready, again };
}

const NO_NAMES: ReadonlySet<string> = new Set();

const NOTHING = {
  records: new Map(),
  awaited: new Map(),
  leaving: new Map(),
  overdue: [],
  again: undefined,
};

/** Pods that a webhook has let go, as long as they are there. */
function leavingPods(
  object: KubeObject,
  present: ReadonlyMap<string, readonly Pod[]>,
  now: number,
): { leaving: Map<string, Map<string, RecordedSubset>>; late: Overdue[] } {
  const leaving = new Map<string, Map<string, RecordedSubset>>();
  const late: Overdue[] = [];
  for (const [version, places] of recordedIn(object, 'deletingPods', now)) {
    const active = new Set(
      (present.get(version) ?? []).filter(isActive).map(({ metadata }) => metadata.name),
    );
    const all = [...places].filter(([name]) => active.has(name));
    const kept = all.filter(([, { at }]) => now < at + LEAVING_MS);
    for (const [id, { subset }] of all.filter((each) => !kept.includes(each)))
      late.push({ what: 'delete', id, subset });
    if (kept.length > 0) leaving.set(version, new Map(kept));
  }
  return { leaving, late };
}

/** Pods with a gate that are let go without a place. */
function asTheyAre(pods: readonly Pod[]): { pod: Pod; subset: undefined }[] {
  return pods.filter(isGated).map((pod) => ({ pod, subset: undefined }));
}

/** The places on record in the status. */
function recordedIn(
  { status }: KubeObject,
  field: 'creatingPods' | 'deletingPods',
  now: number,
): Map<string, Map<string, RecordedSubset>> {
  const versions = Object.entries(objectOf(objectOf(status)['versionedSubsetStatuses']));
  const found = new Map<string, Map<string, RecordedSubset>>();
  for (const [version, subsets] of versions)
    for (const { name, [field]: pods } of listOf(subsets))
      for (const [pod, at] of Object.entries(objectOf(pods))) {
        const own = found.get(version) ?? new Map<string, RecordedSubset>();
        // Another clock may be ahead.
        own.set(pod, { subset: textOf(name), at: Math.min(timeOf(textOf(at)), now) });
        found.set(version, own);
      }
  return found;
}
