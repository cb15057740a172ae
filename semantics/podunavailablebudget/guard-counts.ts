import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import type { DisruptionLimit } from '../limits/disruption.ts';
import { isObject } from '../values/json-shape.ts';
import { numberOf, objectOf } from '../values/read.ts';
import { timeOf } from '../values/timestamp.ts';
import { enteredPods, LIFETIME_MS, slotsOf } from './entries.ts';
import { RAISED_AS, raisedIn } from './raised-for.ts';

/** What the disruption controller says in the status of a PodDisruptionBudget. Each eviction takes one of what is allowed. */
export interface GuardCounts {
  /** It has seen the present spec. */
  isCurrent: boolean;
  healthy: number;
  desired: number;
  allowed: number;
  /** The pods whose eviction was granted, and that it has not seen go. */
  evicted: readonly string[];
  /** When the last of these evictions was granted, milliseconds since 1970; 0: there is none. */
  lastEvictedAt: number;
}

/** Undefined: it has counted nothing, and every eviction is refused. */
export function guardCounts({ metadata, status }: KubeObject): GuardCounts | undefined {
  const { observedGeneration, conditions, disruptedPods, ...counts } = objectOf(status);
  const observed = numberOf(observedGeneration);
  const failed = Array.isArray(conditions) && (conditions as unknown[]).some(isFailure);
  if (observed === undefined || failed) return undefined;
  const evicted = isObject(disruptedPods) ? Object.entries(disruptedPods) : [];
  const times = evicted.map(([, at]) => (typeof at === 'string' ? timeOf(at) : 0));
  return {
    isCurrent: observed === metadata.generation,
    healthy: numberOf(counts['currentHealthy']) ?? 0,
    desired: numberOf(counts['desiredHealthy']) ?? 0,
    allowed: numberOf(counts['disruptionsAllowed']) ?? 0,
    evicted: evicted.map(([name]) => name),
    lastEvictedAt: times.reduce((last, at) => Math.max(last, at), 0),
  };
}

function isFailure(condition: unknown): boolean {
  const { type, reason } = objectOf(condition) as Partial<Condition>;
  return type === 'DisruptionAllowed' && reason === 'SyncFailed';
}

/** How many pods its PodDisruptionBudget wants available: a share of them is what the budget has counted it to be. */
export function minAvailableOf(object: KubeObject, guard: KubeObject): number {
  return numberOf(objectOf(guard['spec'])['minAvailable']) ?? slotsOf(object).desired;
}

/**
 * The limit of a budget beside the evictions that are granted before the budget has counted them. Raising its PodDisruptionBudget is to it
 * as an eviction is: no more are raised for than it would grant.
 */
export function withGranted(
  limit: DisruptionLimit,
  object: KubeObject,
  guard: KubeObject,
  now: number,
): DisruptionLimit {
  const counts = guardCounts(guard);
  if (counts === undefined) return limit;
  const entered = new Set(enteredPods(slotsOf(object)));
  const unobserved = counts.evicted.filter((name) => !entered.has(name));
  const left = limit.left - unobserved.length;
  const unavailable =
    unobserved.length === 0 ? limit.unavailable : [...limit.unavailable, ...unobserved].sort();
  const granted = grantedBy(object, guard, counts, entered, now);
  // With none left of the budget itself, the other one is no reason.
  if (granted >= left || left <= 0)
    return { ...limit, unavailable, left, ...(unobserved.length > 0 && { guard }) };
  const name = `${limit.name.replace(/,$/, '')}, of which PodDisruptionBudget ${guard.metadata.name} has ${Math.max(granted, 0)} left,`;
  return { ...limit, name, unavailable, left: granted, guard };
}

/**
 * How many evictions it would grant if it had seen its present spec. What it was raised for without a slot in the budget has yet to be
 * used: the write of the slot was refused.
 */
function grantedBy(
  object: KubeObject,
  guard: KubeObject,
  { healthy, desired, allowed }: GuardCounts,
  entered: ReadonlySet<string>,
  now: number,
): number {
  const least = minAvailableOf(object, guard);
  // Enough pods that it does not select are available.
  if (least <= 0) return Infinity;
  const sinceCounted = Math.max(healthy - desired, 0) - allowed;
  const unused = Object.entries(raisedIn(guard)).filter(
    ([name, at]) => !entered.has(name) && timeOf(at) + LIFETIME_MS[RAISED_AS] / 2 > now,
  );
  return healthy - least - sinceCounted + unused.length;
}
