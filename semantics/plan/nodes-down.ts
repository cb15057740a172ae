import { fitting, type Lists } from './record-limit.ts';
import type { Progress } from './memory.ts';
import type { RolloutView } from './rollout-view.ts';
import type { NodeUnits } from './units.ts';

type View = Pick<RolloutView, 'replicas' | 'units'>;

/**
 * What is recorded of the nodes that are not Ready now; empty: all are, or the units are no nodes.
 *
 * @param record what else it has
 */
export function downOf({ units }: Pick<RolloutView, 'units'>, record: Lists): Pick<Progress, 'down'> {
  if (units.of !== 'nodes') return {};
  const down = [...units.nodes].flatMap(([name, { isReady }]) => (isReady ? [] : [name]));
  return down.length === 0 ? {} : { down: fitting(record, 'down', down.sort()) };
}

/**
 * The same when a user approves the step that waits, or resumes the plan: more nodes are lost than it bears, and the user accepts that.
 * As long as it bears them they count on, so that no row of steps loses a tenth each.
 */
export function downAccepted(view: View, progress: Progress): Pick<Progress, 'down'> {
  return outage(view, progress) > 0 ? downOf(view, progress) : {};
}

/** Of the nodes on record as down those that still are, and that are not on record as broken, too. */
export function stillDown({ nodes }: NodeUnits, { baseline, down }: Progress): string[] {
  if (down === undefined) return [];
  const broken = new Set(baseline.unavailable);
  return down.filter((name) => nodes.get(name)?.isReady !== true && !broken.has(name));
}

/**
 * How many nodes have been lost since the plan was accepted, where that is more than it bears: a tenth of all, at least one; else 0.
 *
 * Example: two of ten nodes were shut down weeks ago, and their pods have ended. The plan goes over the other eight, and bears the loss
 * of one more.
 */
export function outage(view: View, { baseline, down = [] }: Pick<Progress, 'baseline' | 'down'>): number {
  return lostNodes(view, [...baseline.unavailable, ...down]);
}

/**
 * Why no plan can start: so many nodes are not Ready that, beside those on its record, they would be an outage from the beginning, and no
 * command could accept them. Undefined: it can.
 *
 * @param baseline what is recorded as broken
 *
 * Example: 10,000 nodes, of which 3,300 are shut down. 2,000 have room on the record, and 1,300 are more than a tenth.
 */
export function tooManyDown(view: View, baseline: Progress['baseline']): string | undefined {
  const { down = [] } = downOf(view, { baseline });
  const beyond = outage(view, { baseline: { unavailable: [], restarts: {} }, down });
  return beyond === 0
    ? undefined
    : `${beyond + down.length} nodes are not Ready, and a plan starts without at most ${down.length} of them and a tenth of all. Delete those that are gone, or repair some first`;
}

/** How many nodes are not Ready, beside those that are given, where that is more than a tenth of all, at least one; else 0. */
export function lostNodes({ replicas, units }: View, except: readonly string[]): number {
  if (units.of !== 'nodes') return 0;
  const before = new Set(except);
  let lost = 0;
  for (const [name, { isReady }] of units.nodes) if (!isReady && !before.has(name)) lost += 1;
  return lost > fewOf(replicas) ? lost : 0;
}

/** Of so many nodes, how many a plan bears to be without: a tenth, at least one. */
export function fewOf(nodes: number): number {
  return Math.max(1, Math.floor(nodes / 10));
}
