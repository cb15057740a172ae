import { isObject, objectsIn } from '../values/json-shape.ts';
import { type LabelSelector, selectorPredicate } from '../values/selector.ts';
import type { Pod } from './types.ts';

/** `updateStrategy.priorityStrategy`: one of the two, for admission refuses both at once. */
export interface PriorityStrategy {
  weightPriority: { weight: number; matchSelector: LabelSelector }[];
  orderPriority: { orderedKey: string }[];
}

type Labels = Record<string, string>;

/** Undefined: nothing is preferred. What has another shape than the schema's prefers nothing. */
export function readPriorities(value: unknown): PriorityStrategy | undefined {
  const { weightPriority, orderPriority } = isObject(value) ? value : {};
  const strategy = {
    weightPriority: objectsIn(weightPriority).map(({ weight, matchSelector }) => ({
      weight: Number.isFinite(weight) ? Number(weight) : 0,
      matchSelector: (isObject(matchSelector) ? matchSelector : {}) as LabelSelector,
    })),
    orderPriority: objectsIn(orderPriority).map(({ orderedKey }) => ({
      orderedKey: typeof orderedKey === 'string' ? orderedKey : '',
    })),
  };
  return strategy.weightPriority.length + strategy.orderPriority.length === 0 ? undefined : strategy;
}

/**
 * Pods in the order of their priority, those of equal priority as they came (OpenKruise inplace-update, rule 6.7).
 * By weight: the sum of all selectors that match, higher first. By order: whoever has none of the keys first, then by
 * the first listed key that a pod has; under one key the integer at the end of the label's value, higher first.
 */
export function byPriority(pods: readonly Pod[], strategy: PriorityStrategy): Pod[] {
  const { weightPriority, orderPriority } = strategy;
  if (weightPriority.length > 0) {
    const terms = weightPriority.map(({ weight, matchSelector }) => ({
      weight,
      matches: selectorPredicate(matchSelector),
    }));
    const weightOf = (labels: Labels): number =>
      terms.reduce((sum, { weight, matches }) => sum + (matches(labels) ? weight : 0), 0);
    return sorted(pods, (labels) => [-weightOf(labels)]);
  }
  const keys = orderPriority.map(({ orderedKey }) => orderedKey);
  return sorted(pods, (labels) => {
    const level = keys.findIndex((key) => Object.hasOwn(labels, key));
    return [level, -lastInteger(labels[keys[level] ?? ''] ?? '')];
  });
}

/** Stable, each pod's place computed once: the lower numbers first. */
function sorted(pods: readonly Pod[], placeOf: (labels: Labels) => readonly number[]): Pod[] {
  return pods
    .map((pod) => ({ pod, place: placeOf(pod.metadata.labels ?? {}) }))
    .sort((a, b) => {
      const at = a.place.findIndex((value, index) => value !== b.place[index]);
      return at === -1 ? 0 : (a.place[at] ?? 0) - (b.place[at] ?? 0);
    })
    .map(({ pod }) => pod);
}

/** `sts-10` → 10; no digits at the end, or more than an int32 holds: 0. */
function lastInteger(text: string): number {
  const value = Number(/[0-9]+$/.exec(text)?.[0] ?? 0);
  return value <= 2147483647 ? value : 0;
}
