import { MOST_BROKEN } from './baseline.ts';
import type { Progress } from './memory.ts';
import type { PodRow } from './pod-row.ts';
import type { RolloutView } from './rollout-view.ts';
import type { NodeUnits } from './units.ts';

/**
 * The progress with the nodes that are away: those that are not Ready, or were not and whose pods are not available again yet. Their
 * pods are not judged, and restarts until then do not count, as an outage proves nothing about the change. What was broken before the
 * plan stays in its baseline. Undefined: nothing has changed.
 *
 * Example: during a soak, a node reboots. It is not Ready for a minute. Once it is, its pod has restarted once, and is available 30
 * seconds later: from then on its restarts count from one.
 */
export function followAway(view: RolloutView<NodeUnits>, progress: Progress): Progress | undefined {
  const { nodes } = view.units;
  const { away = [], baseline } = progress;
  const rows = new Map(away.length === 0 ? [] : view.pods.map((pod) => [pod.unit, pod] as const));
  const isBack = (unit: string): boolean => rows.get(unit)?.available === true;
  const left = away.filter((unit) => nodes.has(unit) && !(nodes.get(unit)?.isReady === true && isBack(unit)));
  const known = new Set([...left, ...baseline.unavailable]);
  const lost = [...nodes].flatMap(([unit, { isReady }]) => (isReady || known.has(unit) ? [] : [unit]));
  if (lost.length === 0 && left.length === away.length) return undefined;
  const back = away.filter(isBack).flatMap((unit) => rows.get(unit) ?? []);
  const restarts = back.filter((pod) => pod.restarts > 0).map((pod) => [pod.unit, pod.restarts] as const);
  const { away: _away, ...rest } = progress;
  const next = [...left, ...lost].sort().slice(0, MOST_BROKEN);
  return {
    ...rest,
    baseline: { ...baseline, restarts: { ...baseline.restarts, ...Object.fromEntries(restarts) } },
    ...(next.length > 0 && { away: next }),
  };
}

/** Whether the pod of a row is judged: it is on no node that is away. */
export function isNotAway({ away = [] }: Pick<Progress, 'away'>): (pod: Pick<PodRow, 'unit'>) => boolean {
  const units = new Set(away);
  return ({ unit }) => !units.has(unit);
}
