import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { type LabelSelector, selectorPredicate } from '../values/selector.ts';
import type { PodRow } from './pod-row.ts';
import type { RolloutView } from './rollout-view.ts';
import type { CountedNode, Units } from './units.ts';

/** The bound of a rollout whose selector excludes the units that are left. */
export const BY_SELECTOR = 'selector';

/** Selectors of units, each of which may be absent. */
export type Selectors = readonly (LabelSelector | undefined)[];

/** A test of the labels of a unit: every selector must select it. One that is absent selects all. */
export function selectedByAll(selectors: Selectors): (labels: PodRow['labels']) => boolean {
  const tests = selectors.flatMap((each) => (each === undefined ? [] : [selectorPredicate(each)]));
  return (labels) => tests.every((test) => test(labels));
}

/**
 * How many units may be on `to` as far as selectors decide: those that all of them select, and those that are there already,
 * which no selector takes back. A selected node counts without a pod, too: while that is replaced, the node has none.
 *
 * Example: of ten pods six are blue, and two are on `to`, one of them blue. With the selector blue, 6 + 1 = 7 may be there.
 */
export function reachable(
  { pods, units }: Pick<RolloutView, 'pods' | 'units'>,
  to: string,
  selectors: Selectors,
): number {
  if (selectors.every((each) => each === undefined)) return Infinity;
  const isSelected = selectedByAll(selectors);
  const there = pods.filter(({ hash, labels }) => hash === to || isSelected(labels)).length;
  return there + emptyNodes(pods, units).filter(({ labels }) => isSelected(labels)).length;
}

/** The nodes that have no pod; none where units are pods. */
function emptyNodes(pods: readonly PodRow[], units: Units): readonly CountedNode[] {
  switch (units.of) {
    case 'nodes': {
      const filled = new Set(pods.map(({ unit }) => unit));
      return [...units.nodes].flatMap(([name, node]) => (filled.has(name) ? [] : [node]));
    }
    case 'children':
    case 'owned':
    case 'run':
    case 'selected':
    case 'ticks':
      return [];
  }
}

/**
 * The units that a plan may move, either way: those that the selector of its bound selects, and those on its revision.
 *
 * Example: of ten pods six are blue, and one that is not is on the revision of the plan: seven.
 */
export function movable(
  { pods }: Pick<RolloutView, 'pods'>,
  { to: { hash, bound } }: Pick<RolloutPlanSpec, 'to'>,
): readonly PodRow[] {
  if (bound.selector === undefined) return pods;
  const isSelected = selectedByAll([bound.selector]);
  return pods.filter((pod) => pod.hash === hash || isSelected(pod.labels));
}
