import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { DisruptedPod } from '../influence/influence.ts';
import { budgetSelector } from '../limits/disruption-budgets.ts';
import { factsOf } from '../pod/facts.ts';
import type { Pod } from '../pod/types.ts';
import { isObject } from '../values/json-shape.ts';
import { numberOf, objectOf } from '../values/read.ts';
import { type Entries, type EntryMap, entryTime, hasTime, LIFETIME_MS, slotsOf } from './entries.ts';

/** On the PodDisruptionBudget of a budget: the pods that the runtime has raised `minAvailable` for, with the times. */
export const RAISED_ANNOTATION = 'plan.kruise.io/raised-for';

/** It is raised for no longer than the shortest slot lasts. */
export const RAISED_AS: EntryMap =
  LIFETIME_MS.unavailablePods <= LIFETIME_MS.disruptedPods ? 'unavailablePods' : 'disruptedPods';

/** The pods that a PodDisruptionBudget is raised for. Text that cannot be read names none: the next reconcile counts. */
export function raisedIn({ metadata }: KubeObject): Entries {
  const text = metadata.annotations?.[RAISED_ANNOTATION];
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return {};
    const texts = Object.entries(value).filter(
      (each): each is [string, string] => typeof each[1] === 'string',
    );
    return Object.fromEntries(texts);
  } catch {
    return {};
  }
}

/** The annotation for these pods, for a merge patch; without any it is removed. */
export function raisedFor(entries: Entries): JsonObject {
  const isNone = Object.keys(entries).length === 0;
  return { [RAISED_ANNOTATION]: isNone ? null : JSON.stringify(entries) };
}

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
  const isRaisedFor = (pod: Pod): boolean => hasTime(RAISED_AS, before[pod.metadata.name], pod, now);
  const fresh = disrupted
    .map(({ pod }) => pod)
    .filter((pod) => !isRaisedFor(pod) && isHealthy(pod) && isSelected(pod))
    .map((pod) => [pod.metadata.name, entryTime(pod, now)] as const);
  if (fresh.length === 0) return undefined;
  const present = numberOf(objectOf(guard['spec'])['minAvailable']) ?? slotsOf(object).desired;
  return {
    metadata: { annotations: raisedFor({ ...before, ...Object.fromEntries(fresh) }) },
    spec: { minAvailable: present + fresh.length, maxUnavailable: null },
  };
}
