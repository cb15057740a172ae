import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { DisruptedPod } from '../influence/influence.ts';
import { budgetSelector } from '../limits/disruption-budgets.ts';
import { factsOf } from '../pod/facts.ts';
import { condition } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { timeOf, timestamp } from '../values/timestamp.ts';
import { UNKNOWN_TOTAL } from './counts.ts';
import {
  endOf,
  enteredPods,
  type Entries,
  type EntryMap,
  entryState,
  entryTime,
  hasTime,
  isEntryOf,
  LIFETIME_MS,
  slotsOf,
} from './entries.ts';
import { guardCounts, minAvailableOf } from './guard-counts.ts';
import { RESTS_ANNOTATION, RAISED_AS, raisedFor, raisedIn } from './raised-for.ts';
import { memberOf } from '../values/read.ts';

/** Whether evictions of a pod are counted as the disruption controller counts: it is ready, and not being deleted. */
export function isHealthy(pod: Pod): boolean {
  const { active, ready } = factsOf(pod);
  return active && ready;
}

/**
 * The merge patch by which evictions leave the pods alone that are about to be made unavailable: so many more must be available. Until
 * the disruption controller has observed it, every eviction is refused. Undefined: none of them counts, or each has been counted.
 *
 * @param guard the PodDisruptionBudget of the budget
 */
export function raise(
  object: KubeObject,
  guard: KubeObject,
  disrupted: readonly DisruptedPod[],
  now: number,
): JsonObject | undefined {
  const isSelected = budgetSelector(guard);
  const before = raisedIn(guard);
  // It may be lowered before the slot is observed: a time that is nearly over, or of another pod of that name, counts for nothing.
  const isRaisedFor = (pod: Pod): boolean =>
    hasTime(RAISED_AS, memberOf(before, pod.metadata.name), pod, now);
  const pods = disrupted.map(({ pod }) => pod).filter((pod) => isHealthy(pod) && isSelected(pod));
  const fresh = pods.filter((pod) => !isRaisedFor(pod));
  // A claim lasts for longer than a slot: from now on it is one.
  const used = pods.filter((pod) => isRaisedFor(pod) && timeOf(memberOf(before, pod.metadata.name)) > now);
  if (fresh.length + used.length === 0) return undefined;
  const times = [...fresh, ...used].map((pod) => [pod.metadata.name, entryTime(pod, now)] as const);
  const annotations = {
    ...raisedFor({ ...before, ...Object.fromEntries(times) }),
    // It has its turn now.
    ...(guard.metadata.annotations?.[RESTS_ANNOTATION] !== undefined && { [RESTS_ANNOTATION]: null }),
  };
  return raisedBy(object, guard, annotations, fresh.length);
}

/** For how long the next slot is kept for a pod, milliseconds: a replacement of the one that has it may take as long to be ready. */
const CLAIM_MS = 60_000;
/** Evictions go on for so long after the last one, milliseconds: a pod that never goes, as of a finalizer, is no sign of more. */
const GOING_ON_MS = 60_000;

/**
 * The merge patch by which the next slot is kept for a pod, where evictions are going on. An eviction is granted the moment that a slot
 * gets free, and the runtime has to observe it first: without this, evictions that are tried again and again take each one. As long as
 * a slot is in use that the runtime took, it keeps none: after its own turn it is that of the evictions. So it is after a claim that was
 * not used, for as long as that was.
 *
 * @param pods all of the target that the pod waits for
 */
export function claim(
  object: KubeObject,
  guard: KubeObject,
  { pod, pods }: { pod: Pod; pods: readonly Pod[] },
  now: number,
): JsonObject | undefined {
  const slots = slotsOf(object);
  const before = raisedIn(guard);
  const isKept = Object.values(before).some((at) => timeOf(at) + LIFETIME_MS[RAISED_AS] / 2 > now);
  // A budget of none has no next slot.
  const mayHaveNext = slots.total === UNKNOWN_TOTAL || slots.total > slots.desired;
  const hasNext = enteredPods(slots).length === 0 && mayHaveNext;
  if (isKept || restsUntil(guard, now) !== 0 || !hasNext) return undefined;
  if (!isHealthy(pod) || !budgetSelector(guard)(pod) || !areGoingOn(guard, pods, now)) return undefined;
  const at = timestamp(now + CLAIM_MS - LIFETIME_MS[RAISED_AS]);
  const annotations = {
    ...raisedFor({ ...before, [pod.metadata.name]: at }),
    [RESTS_ANNOTATION]: timestamp(now + 2 * CLAIM_MS),
  };
  return raisedBy(object, guard, annotations, 1);
}

/** Until when no claim is made, milliseconds since 1970: for as long as the last one lasted. 0: one may be, or no claim has such a time. */
function restsUntil({ metadata }: KubeObject, now: number): number {
  const until = timeOf(metadata.annotations?.[RESTS_ANNOTATION]);
  return now < until && until <= now + 2 * CLAIM_MS ? until : 0;
}

/** The annotation where a claim ends before its time, as its pod has gone: it lasted for less. */
export function restAfter(guard: KubeObject, raised: Entries, now: number): JsonObject {
  const until = restsUntil(guard, now);
  const hasEnded = Object.entries(raisedIn(guard)).some(
    ([name, at]) => timeOf(at) > now && !Object.hasOwn(raised, name),
  );
  const lastedMs = now - (until - 2 * CLAIM_MS);
  return until !== 0 && hasEnded ? { [RESTS_ANNOTATION]: timestamp(now + lastedMs) } : {};
}

/** Whether an eviction was granted of late. */
function areGoingOn(guard: KubeObject, pods: readonly Pod[], now: number): boolean {
  const since = now - GOING_ON_MS;
  return (guardCounts(guard)?.lastEvictedAt ?? 0) > since || pods.some((pod) => evictedAt(pod) > since);
}

/** Milliseconds since 1970; 0: it was not evicted. */
function evictedAt(pod: Pod): number {
  const target = condition(pod, 'DisruptionTarget');
  const isEvicted = target?.status === 'True' && target.reason === 'EvictionByEvictionAPI';
  return isEvicted ? timeOf(target.lastTransitionTime) : 0;
}

function raisedBy(object: KubeObject, guard: KubeObject, annotations: JsonObject, by: number): JsonObject {
  return {
    metadata: { annotations },
    spec: { minAvailable: minAvailableOf(object, guard) + by, maxUnavailable: null },
  };
}

/** The pods that a PodDisruptionBudget stays raised for. */
export interface Raised {
  raised: Entries;
  /** The names of those that are unavailable or gone, which the disruption controller has not seen. */
  unobserved: ReadonlySet<string>;
  /** When the first one is no longer raised for, milliseconds since 1970; undefined: for none. */
  nextEnd: number | undefined;
}

/**
 * It stays raised for pods whose slots are not over while they are available. Later, too, until the disruption controller has counted
 * without them: before, it would take their places for free.
 *
 * @param selected the active pods of the budget that it selects
 * @param areAll whether it selects no others
 */
export function raisedAfter(
  {
    covered,
    entries,
    now,
    watchedSince,
  }: {
    covered: readonly Pod[];
    entries: Readonly<Record<EntryMap, Entries>>;
    now: number;
    watchedSince: number;
  },
  guard: KubeObject | undefined,
  { selected, areAll }: { selected: readonly Pod[]; areAll: boolean },
): Raised {
  const before = Object.entries(guard === undefined ? {} : raisedIn(guard));
  const unobserved = new Set<string>();
  if (guard === undefined || before.length === 0) return { raised: {}, unobserved, nextEnd: undefined };
  const byName = new Map(covered.map((pod) => [pod.metadata.name, pod]));
  const areSeen = !areAll || hasCounted(guard, selected);
  let nextEnd: number | undefined;
  const kept = before.filter(([name, at]) => {
    const pod = byName.get(name);
    const isThere = pod !== undefined && isHealthy(pod) && isEntryOf(at, pod);
    if (!isThere && areSeen) return false;
    if (isThere) {
      if (Object.hasOwn(entries.disruptedPods, name) || Object.hasOwn(entries.unavailablePods, name))
        return true;
      // The slot is taken after it was raised, and is not observed yet.
      if (entryState(RAISED_AS, at, pod, { now, watchedSince }) !== 'open') return false;
    }
    const end = endOf(RAISED_AS, at, watchedSince);
    if (end <= now) return false;
    if (!isThere) unobserved.add(name);
    nextEnd = Math.min(nextEnd ?? Infinity, end);
    return true;
  });
  return { raised: Object.fromEntries(kept), unobserved, nextEnd };
}

/** Whether the disruption controller counts no pod as healthy that we do not. Where it counts nothing, no pod is evicted. */
function hasCounted(guard: KubeObject, selected: readonly Pod[]): boolean {
  const counts = guardCounts(guard);
  if (counts === undefined) return true;
  const evicted = new Set(counts.evicted);
  const healthy = selected.filter((pod) => isHealthy(pod) && !evicted.has(pod.metadata.name));
  return counts.isCurrent && counts.healthy <= healthy.length;
}
