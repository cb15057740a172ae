import type { KubeObject } from '../../schemas/wire/object.ts';
import { UNCLAIMED_MS } from '../pod/gated.ts';
import { isActive } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { byAge } from '../values/by-age.ts';
import { timeOf } from '../values/timestamp.ts';
import { chooseSubset } from './choose.ts';
import { isGated } from './gated.ts';
import { idsOf, type Without } from './matched.ts';
import { membersOf, spreadBy, subsetOf } from './members.ts';
import { normalizeSpread, type Subset } from './normalize.ts';
import { LEAVING_MS, leavingPods, type Overdue, type RecordedSubset, recordedIn } from './on-record.ts';
import { closedSubsets } from './schedulable.ts';
import { hasPercentages } from './size.ts';
import { MOST_RECORDED, mostVersions, recordSize } from './slots.ts';
import { byVersion } from './versions.ts';

/** So long a place stays on record after it was given: meanwhile no cache may show the pod as it was before. */
export const RECORDED_MS = 30_000;
/** So long a pod waits that the server does not let be placed: it must not wait for ever. */
const REFUSED_MS = 30_000;
/** So large those on record may be where a webhook gives them, as it needs room for more: the oldest go that pods show. */
const MOST_SHOWN = 100_000;
/** So many pods have a place on record that do not show it yet; the others wait for them. */
const MOST_AWAITED = 1_000;

/** Where pods with a gate go. */
export interface Placements {
  /** What is to be on record, by version and by name of the pod. */
  records: ReadonlyMap<string, ReadonlyMap<string, RecordedSubset>>;
  /** Of these, how many of each subset no pod shows yet, by version. */
  awaited: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** The pods that are let go now. */
  ready: readonly LetGo[];
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
 * @param isOwnerKnown whether the workload is known: for a minute no percentage is taken of one that is not, and no patch is for its pods
 * @param refused the pods that the server lets not be placed: after a while these go without. Default: none
 * @param pods those of the workload, also those that the filter leaves out
 * @param assigned subsets of pods that are not on record yet, by uid: they count against the caps
 */
export function placements(
  object: KubeObject,
  {
    pods,
    size: workload,
    isOwnerKnown,
    refused = NO_NAMES,
    assigned,
    now,
  }: {
    pods: readonly Pod[];
    size: number;
    isOwnerKnown: boolean;
    refused?: ReadonlySet<string> | undefined;
    assigned: ReadonlyMap<string, string>;
    now: number;
  },
): Placements {
  const spread = normalizeSpread(object);
  const isOwn = spreadBy(object);
  // Pods that the runtime creates are made in their subset. A gate that their template has all the same holds nothing.
  if (spread.way === 'creates') return { ...NOTHING, ready: asTheyAre(pods) };
  const own = pods.filter(isOwn);
  const needsSize = hasPercentages(spread.subsets);
  const closed = closedSubsets(object, spread);
  const before = recordedIn(object, 'creatingPods', now);
  const present = byVersion(spread, own);
  const overdue: Overdue[] = [];
  const ready: LetGo[] = [];
  const done: Done[] = [];
  const retries: number[] = [];
  const states = [...new Set([...present.keys(), ...before.keys()])].map((version): OfVersion => {
    const all = present.get(version) ?? [];
    const gated = all.filter(isGated).sort(byAge);
    const late = new Set(gated.filter((pod) => refused.has(pod.metadata.name) && triedUntil(pod) <= now));
    for (const pod of late) ready.push({ pod, subset: undefined, without: 'refused' });
    const state = {
      version,
      gated: gated.filter((pod) => !late.has(pod)),
      kept: new Map<string, RecordedSubset>(),
      counted: new Map(
        [...membersOf(object, all, assigned).bySubset].map(([name, members]) => [name, members.length]),
      ),
      awaited: new Map<string, number>(),
    };
    const byId = new Map(
      all.flatMap((pod) => (isGated(pod) ? [pod.metadata.name] : idsOf(pod)).map((id) => [id, pod] as const)),
    );
    for (const [name, place] of before.get(version) ?? []) {
      if (!spread.subsets.some((subset) => subset.name === place.subset)) continue;
      const pod = byId.get(name);
      const isYoung = now < place.at + RECORDED_MS;
      if (pod !== undefined && (!isActive(pod) || subsetOf(object, spread, pod) !== undefined)) {
        const isThere = isActive(pod) && subsetOf(object, spread, pod) === place.subset;
        if (isYoung && isThere) done.push({ version, name, place });
      } else if (pod === undefined ? isYoung : isGated(pod) && !late.has(pod)) take(state, name, place);
      else if (pod === undefined) overdue.push({ what: 'create', id: name, subset: place.subset });
    }
    return state;
  });
  const shown = spread.way === 'webhook' ? newest(done, MOST_SHOWN - sizeOf(states)) : done;
  const given = new Set([
    ...states.filter(({ kept }) => kept.size > 0).map(({ version }) => version),
    ...shown.map(({ version }) => version),
  ]);
  let taken = states.reduce((sum, { kept }) => sum + kept.size, 0);
  let size = sizeOf(states) + shown.reduce((sum, { name }) => sum + recordSize(name), 0);
  for (const state of states) {
    for (const pod of state.gated) {
      const { name } = pod.metadata;
      if (refused.has(name)) retries.push(triedUntil(pod));
      const knownBy = timeOf(pod.metadata.creationTimestamp) + UNCLAIMED_MS;
      const isEarly = !isOwnerKnown && now < knownBy;
      const letGo = (subset: Subset | undefined): void => {
        if (isEarly && subset?.patch !== undefined) retries.push(knownBy);
        else ready.push({ pod, subset });
      };
      const place = state.kept.get(name);
      if (place !== undefined) {
        letGo(spread.subsets.find((subset) => subset.name === place.subset));
        continue;
      }
      if (isEarly && needsSize) {
        retries.push(knownBy);
        continue;
      }
      const subset = chooseSubset(name, { spread, size: workload, counted: state.counted, closed });
      const isBeyond = !given.has(state.version) && given.size >= mostVersions(spread);
      if (subset === undefined) ready.push({ pod, subset, without: 'room' });
      // Without a cap, nothing depends on how many there are.
      else if (subset.cap === undefined) letGo(subset);
      else if (isBeyond) ready.push({ pod, subset: undefined });
      else if (taken < MOST_AWAITED && size + recordSize(name) <= MOST_RECORDED) {
        taken += 1;
        size += recordSize(name);
        given.add(state.version);
        take(state, name, { subset: subset.name, at: now });
      }
    }
  }
  const awaited = new Map(states.map((state) => [state.version, state.awaited] as const));
  const records = new Map(
    states.filter(({ kept }) => kept.size > 0).map(({ version, kept }) => [version, new Map(kept)] as const),
  );
  for (const { version, name, place } of shown) {
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

/** A pod that waits no longer. */
interface LetGo {
  pod: Pod;
  subset: Subset | undefined;
  /** Why it is in no subset, where its record is to say so. */
  without?: Without;
}

/** The places of the pods of a version, while they are decided. */
interface OfVersion {
  version: string;
  /** The pods that wait for theirs, in the order of their creation. */
  gated: readonly Pod[];
  /** Those on record that no pod shows yet, by the id of the pod. */
  kept: Map<string, RecordedSubset>;
  /** How many are taken, by subset. */
  counted: Map<string, number>;
  /** How many of these no pod shows yet. */
  awaited: Map<string, number>;
}

/** A place on record that its pod shows. */
interface Done {
  version: string;
  name: string;
  place: RecordedSubset;
}

function take({ kept, counted, awaited }: OfVersion, name: string, place: RecordedSubset): void {
  const { subset } = place;
  kept.set(name, place);
  counted.set(subset, (counted.get(subset) ?? 0) + 1);
  awaited.set(subset, (awaited.get(subset) ?? 0) + 1);
}

function sizeOf(states: readonly OfVersion[]): number {
  return states.flatMap(({ kept }) => [...kept.keys()]).reduce((sum, name) => sum + recordSize(name), 0);
}

/** Until when a pod waits whose place the server refuses. */
function triedUntil({ metadata }: Pod): number {
  return timeOf(metadata.creationTimestamp) + REFUSED_MS;
}

/** As many of the newest records as are not larger together. */
function newest(done: readonly Done[], most: number): Done[] {
  let size = 0;
  return [...done]
    .sort(({ place: a }, { place: b }) => b.at - a.at)
    .filter(({ name }) => (size += recordSize(name)) <= most);
}

const NO_NAMES: ReadonlySet<string> = new Set();

const NOTHING = {
  records: new Map(),
  awaited: new Map(),
  leaving: new Map(),
  overdue: [],
  again: undefined,
};

/** Pods with a gate that are let go without a place. */
function asTheyAre(pods: readonly Pod[]): { pod: Pod; subset: undefined }[] {
  return pods.filter(isGated).map((pod) => ({ pod, subset: undefined }));
}
