import type { KubeObject } from '../../schemas/wire/object.ts';
import { isObject, objectsIn } from '../values/json-shape.ts';
import { type LabelSelector, selectorPredicate } from '../values/selector.ts';
import { trailingDigits } from '../values/text.ts';

/** `updateStrategy.priorityStrategy`: only one of the two, as admission refuses both at once. */
export interface PriorityStrategy {
  weightPriority: { weight: number; matchSelector: LabelSelector }[];
  orderPriority: { orderedKey: string }[];
}

type Labels = Record<string, string>;

/** What is sorted: a pod, or what is known of one that git describes. */
type Labeled = Pick<KubeObject, 'metadata'>;

/** Reads a priority strategy; undefined: there is none. Fields that do not fit the schema are ignored. */
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
 * Sorts pods by priority (OpenKruise inplace-update, rule 6.7); pods of equal priority keep their order.
 * By weight: the sum of the weights of all matching selectors, higher first. By order: pods without any of the keys first,
 * then by the first listed key that a pod has; for one key by the integer at the end of the label's value, higher first.
 */
export function byPriority<P extends Labeled>(pods: readonly P[], strategy: PriorityStrategy): P[] {
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

/** A stable sort by several numbers, lower first. The numbers of each pod are computed once. */
function sorted<P extends Labeled>(pods: readonly P[], ranksOf: (labels: Labels) => readonly number[]): P[] {
  return pods
    .map((pod) => ({ pod, ranks: ranksOf(pod.metadata.labels ?? {}) }))
    .sort((a, b) => {
      const at = a.ranks.findIndex((value, index) => value !== b.ranks[index]);
      return at === -1 ? 0 : (a.ranks[at] ?? 0) - (b.ranks[at] ?? 0);
    })
    .map(({ pod }) => pod);
}

/** `sts-10` → 10; no digits at the end, or more than an int32 holds: 0. */
function lastInteger(text: string): number {
  const value = Number(trailingDigits(text));
  return value <= 2147483647 ? value : 0;
}
