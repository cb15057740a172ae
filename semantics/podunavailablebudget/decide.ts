import type { KubeObject } from '../../schemas/wire/object.ts';
import { heldCondition, timed } from '../conditions/times.ts';
import type { Decision, EventDraft } from '../decision.ts';
import type { ObservedObjects } from '../kinds/kind.ts';
import { groupKindOf } from '../owner.ts';
import { factsOf } from '../pod/facts.ts';
import { nextAvailableAt } from '../pod/next-change.ts';
import { isActive } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { desiredAvailable, unavailableAllowed, UNKNOWN_TOTAL } from './counts.ts';
import { covering } from './coverage.ts';
import {
  type BudgetStatus,
  endOf,
  type Entries,
  type EntryMap,
  entryState,
  isEntryOf,
  LIFETIME_MS,
  MAPS,
  slotsOf,
} from './entries.ts';
import { evictionsOf } from './evictions.ts';
import { linkActions } from './links.ts';
import { normalizeBudget } from './normalize.ts';
import { budgetResource } from './resource.ts';
import { totalOf } from './sizes.ts';
import { isSound } from './sound.ts';

/**
 * Counts the pods of a budget, and links them to it (OpenKruise podunavailablebudget, rule 6.3). Places are removed only once their
 * pod is observed to be gone, or after their time: the status is computed from the one that was read.
 */
export function decideBudget(
  observed: Pick<
    ObservedObjects,
    'target' | 'pods' | 'configs' | 'reserved' | 'watchedSince' | 'disruptionBudgets' | 'now'
  > &
    Partial<Pick<ObservedObjects, 'takenNames'>>,
  held: { reason: string; message: string } | undefined,
): Decision<BudgetStatus> {
  const { target, pods, configs = [], now } = observed;
  const budget = normalizeBudget(target);
  const isCovered = covering(budget.coverage);
  const existing = pods.filter(isCovered);
  const covered = existing.filter(isActive);
  const isBudget = (object: KubeObject): boolean => groupKindOf(object).group === budgetResource.group;
  const workloads = configs.filter((each) => !isBudget(each));
  const total = covered.length === 0 ? 0 : totalOf(budget, covered, workloads);
  // A workload of no pods has none to protect, whatever is left of them.
  const desired = total === 0 ? 0 : desiredAvailable(budget.limit, total);
  const { entries, expired, nextEnd } = entriesAfter(observed, covered);
  const entered = new Set(MAPS.flatMap((map) => Object.keys(entries[map])));
  const counted = new Set(covered.filter((pod) => !entered.has(pod.metadata.name) && isSound(pod, now)));
  const current = total === 0 ? 0 : counted.size;
  const evictions = evictionsOf({
    ...{ target, budget, covered, existing, counted, entries, total, desired, workloads, now },
    guards: observed.disruptionBudgets,
    takenNames: observed.takenNames ?? NONE,
    watchedSince: observed.watchedSince ?? 0,
  });
  const next = [nextEnd, evictions.nextEnd, nextAvailableAt(covered, 0, now)].filter(
    (at) => at !== undefined,
  );
  return {
    actions: [...evictions.actions, ...linkActions(target, covered, configs.filter(isBudget))],
    explanations: [],
    events: [...eventsOf(total, expired), ...evictions.events],
    status: {
      observedGeneration: target.metadata.generation ?? 0,
      unavailableAllowed: unavailableAllowed(current, desired),
      currentAvailable: current,
      desiredAvailable: desired,
      totalReplicas: total,
      ...filled(entries),
      ...conditionsOf(target, held, now),
    },
    ...(next.length > 0 && { requeueAt: Math.min(...next) }),
  };
}

/**
 * The entries that stay, the names of pods that were to be deleted and are not, and when the next entry ends. The time of an entry runs
 * only while its pod is watched: what was missed meanwhile may be that the pod has become unavailable.
 */
function entriesAfter(
  {
    target,
    reserved = NONE,
    watchedSince = 0,
    now,
  }: Pick<ObservedObjects, 'target' | 'reserved' | 'watchedSince' | 'now'>,
  covered: readonly Pod[],
): { entries: Record<EntryMap, Entries>; expired: string[]; nextEnd: number | undefined } {
  const { entries } = slotsOf(target);
  const byName = new Map(covered.map((pod) => [pod.metadata.name, pod]));
  const expired: string[] = [];
  let nextEnd: number | undefined;
  const keep = (map: EntryMap, at: string): true => {
    nextEnd = Math.min(nextEnd ?? Infinity, endOf(map, at, watchedSince));
    return true;
  };
  const kept = (map: EntryMap): Entries =>
    Object.fromEntries(
      Object.entries(entries[map]).filter(([name, at]) => {
        const pod = byName.get(name);
        const state = entryState(map, at, pod, { now, watchedSince });
        // A write of this process is on its way or has been accepted, and is not observed: that ends it.
        if (state !== 'open' && reserved.has(pod?.metadata.uid ?? '')) return true;
        // It has no slot any more, and counts as unavailable: one write ends the entry, and counts it as available again.
        const isBackSoon = state === 'done' && pod !== undefined && isEntryOf(at, pod) && !factsOf(pod).ready;
        if (isBackSoon && endOf(map, at, watchedSince) > now) return keep(map, at);
        if (state === 'expired' && map === 'disruptedPods') expired.push(name);
        return state === 'open' && keep(map, at);
      }),
    );
  const after = { disruptedPods: kept('disruptedPods'), unavailablePods: kept('unavailablePods') };
  return { entries: after, expired: expired.sort(), nextEnd };
}

const NONE: ReadonlySet<string> = new Set();

/** A status has no empty map. */
function filled(entries: Readonly<Record<EntryMap, Entries>>): Partial<Record<EntryMap, Entries>> {
  return Object.fromEntries(
    MAPS.filter((map) => Object.keys(entries[map]).length > 0).map((map) => [map, entries[map]]),
  );
}

function conditionsOf(
  { status }: KubeObject,
  held: { reason: string; message: string } | undefined,
  now: number,
): Pick<BudgetStatus, 'conditions'> {
  const { conditions: before } = (status ?? {}) as Partial<BudgetStatus>;
  const conditions = timed([heldCondition(held)], before, now);
  return conditions.length === 0 ? {} : { conditions };
}

function eventsOf(total: number, expired: readonly string[]): EventDraft[] {
  return [
    ...(total === 0
      ? [{ type: 'Normal' as const, reason: 'NoPods', message: 'there are no pods to protect' }]
      : []),
    ...(total === UNKNOWN_TOTAL
      ? [
          {
            type: 'Warning' as const,
            reason: 'CalculateExpectedPodCountFailed',
            message: 'how many pods there are to be is unknown: set spec.protectTotalReplicas',
          },
        ]
      : []),
    ...expired.map((name) => ({
      type: 'Warning' as const,
      reason: 'NotDeleted',
      message: `pod ${name} was to be deleted ${LIFETIME_MS.disruptedPods / 1000}s ago, and is still there`,
    })),
  ];
}
