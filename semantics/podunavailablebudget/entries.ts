import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { factsOf } from '../pod/facts.ts';
import { condition } from '../pod/readiness.ts';
import { IN_PLACE_READY, type Pod } from '../pod/types.ts';
import { isObject } from '../values/json-shape.ts';
import { numberOf, objectOf } from '../values/read.ts';
import { timeOf, timestamp } from '../values/timestamp.ts';

/** Times (RFC 3339) by the names of pods. */
export type Entries = Readonly<Record<string, string>>;

/** The status of a budget. */
export interface BudgetStatus {
  observedGeneration?: number;
  unavailableAllowed: number;
  currentAvailable: number;
  desiredAvailable: number;
  totalReplicas: number;
  disruptedPods?: Entries;
  unavailablePods?: Entries;
  conditions?: Condition[];
}

/** The maps of the status in which pods have a slot that is not observed to be used yet. */
export const MAPS = ['disruptedPods', 'unavailablePods'] as const;
export type EntryMap = (typeof MAPS)[number];

/**
 * For how long a pod has its slot, milliseconds (OpenKruise podunavailablebudget, section 3): whoever took it may be gone, and
 * nobody removes the entry of another.
 */
export const LIFETIME_MS: Readonly<Record<EntryMap, number>> = {
  disruptedPods: 20_000,
  unavailablePods: 10_000,
};

/** With more entries no further slot is given (OpenKruise podunavailablebudget, rule 6.2 step 10). */
const MOST_ENTRIES = 2_000;

/**
 * How many slots one write takes. Each of them is followed by a write of its pod, sixteen at a time: 500 of a tenth of a second each
 * are sent within the five seconds for which the entry of an update can be relied on (`hasSlot`). The next reconcile takes more.
 */
export const MOST_A_WRITE = 500;

/**
 * The memory of all entries, in bytes as the caches count it. A budget of more than a mebibyte is not cached, and could then not be
 * counted; its annotations may take half of that.
 */
const MOST_BYTES = 384 * 1024;
/** Of one entry without the name of its pod: the field, and a time. A letter of the name takes two bytes. */
const ENTRY_BYTES = 16 + 16 + 2 * 20;
const LONGEST_NAME = 253;

/** For how many more entries of pods with the longest names there is room. */
export function entriesLeft({ entries }: Pick<SlotCounts, 'entries'>): number {
  const names = MAPS.flatMap((map) => Object.keys(entries[map]));
  const taken = names.reduce((sum, name) => sum + ENTRY_BYTES + 2 * name.length, 0);
  const free = Math.floor((MOST_BYTES - taken) / (ENTRY_BYTES + 2 * LONGEST_NAME));
  return Math.max(Math.min(free, MOST_ENTRIES - names.length), 0);
}

/** The part of a status that slots are taken in. Missing or invalid numbers count as 0. */
interface SlotCounts {
  allowed: number;
  current: number;
  desired: number;
  total: number;
  entries: Readonly<Record<EntryMap, Entries>>;
}

export function slotsOf({ status }: KubeObject): SlotCounts {
  const { unavailableAllowed, currentAvailable, desiredAvailable, totalReplicas, ...maps } = objectOf(status);
  const { disruptedPods, unavailablePods } = maps;
  return {
    allowed: numberOf(unavailableAllowed) ?? 0,
    current: numberOf(currentAvailable) ?? 0,
    desired: numberOf(desiredAvailable) ?? 0,
    total: numberOf(totalReplicas) ?? 0,
    entries: { disruptedPods: entriesIn(disruptedPods), unavailablePods: entriesIn(unavailablePods) },
  };
}

function entriesIn(value: unknown): Entries {
  if (!isObject(value)) return {};
  const texts = Object.entries(value).filter((each): each is [string, string] => typeof each[1] === 'string');
  return Object.fromEntries(texts);
}

/** The names of the pods with an entry, each once, sorted. */
export function enteredPods({ entries }: Pick<SlotCounts, 'entries'>): string[] {
  return [...new Set(MAPS.flatMap((map) => Object.keys(entries[map])))].sort();
}

/** What has become of an entry. */
type EntryState =
  /** Its pod is not observed to be gone. */
  | 'open'
  /** Its pod was deleted or has ended, or was changed and is back. One of the same name may have been created since. */
  | 'done'
  /** Its pod is there, and the time of the entry is over. */
  | 'expired';

/**
 * @param at the time of the entry
 * @param pod the active pod of that name; undefined: there is none
 * @param watchedSince since when pods are watched without a gap, milliseconds since 1970
 */
export function entryState(
  map: EntryMap,
  at: string,
  pod: Pod | undefined,
  { now, watchedSince }: { now: number; watchedSince: number },
): EntryState {
  if (pod === undefined || !isEntryOf(at, pod) || isUsed(map, at, pod)) return 'done';
  return endOf(map, at, watchedSince) <= now ? 'expired' : 'open';
}

/** When an entry ends of which nothing is observed, milliseconds since 1970. */
export function endOf(map: EntryMap, at: string, watchedSince: number): number {
  return Math.max(timeOf(at), watchedSince) + LIFETIME_MS[map];
}

/**
 * Whether a pod has a slot that can be relied on. An entry may end while the write that it is for is on its way: only the first
 * half of its time counts.
 */
export function hasSlot({ entries }: Pick<SlotCounts, 'entries'>, pod: Pod, now: number): boolean {
  return MAPS.some((map) => hasTime(map, entries[map][pod.metadata.name], pod, now));
}

/** Whether an entry of a pod is in the first half of its time, and nothing shows that it was used. */
export function hasTime(map: EntryMap, at: string | undefined, pod: Pod, now: number): boolean {
  return isEntryOf(at, pod) && timeOf(at) + LIFETIME_MS[map] / 2 > now && !isUsed(map, at, pod);
}

/**
 * Whether the change that an entry was taken for is over: the gate for updates in place was opened after that. It has one writer, the
 * controller of the pod, which closes it before each change. Times are whole seconds, so that one of the same second shows nothing.
 */
function isUsed(map: EntryMap, at: string | undefined, pod: Pod): boolean {
  if (map !== 'unavailablePods') return false;
  const gate = condition(pod, IN_PLACE_READY);
  return gate?.status === 'True' && timeOf(gate.lastTransitionTime) > timeOf(at);
}

/** How far the clocks of two programs are trusted to differ, milliseconds: a time of a pod beyond that must not keep an entry. */
const MOST_AHEAD_MS = 60_000;

/**
 * The time of a new entry. It is not before what shows that an entry is of an earlier change or pod: those times are of the clocks of other
 * programs, which may be ahead.
 */
export function entryTime(pod: Pod, now: number): string {
  const gate = condition(pod, IN_PLACE_READY);
  const shown = [
    timeOf(pod.metadata.creationTimestamp),
    gate?.status === 'True' ? timeOf(gate.lastTransitionTime) : 0,
  ];
  return timestamp(Math.max(now, Math.min(Math.max(...shown), now + MOST_AHEAD_MS)));
}

/** When the last entry of a pod ends, milliseconds since 1970; undefined: it has none. */
export function entryEnd({ entries }: Pick<SlotCounts, 'entries'>, pod: Pod): number | undefined {
  const ends = MAPS.flatMap((map) => {
    const at = entries[map][pod.metadata.name];
    return at !== undefined && isEntryOf(at, pod) && !isUsed(map, at, pod) ? [endOf(map, at, 0)] : [];
  });
  return ends.length === 0 ? undefined : Math.max(...ends);
}

/** Whether a pod has an entry, however old: it is counted as unavailable already. */
export function isEntered({ entries }: Pick<SlotCounts, 'entries'>, pod: Pod): boolean {
  return MAPS.some((map) => isEntryOf(entries[map][pod.metadata.name], pod));
}

/** One that is older than the pod was of another one of its name. */
export function isEntryOf(at: string | undefined, pod: Pod): boolean {
  return at !== undefined && timeOf(at) >= factsOf(pod).createdAt;
}
