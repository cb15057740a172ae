import { compareCodePoints } from '../values/canonical-json.ts';
import { listed } from '../values/listed.ts';
import type { Accepted } from '../plan/memory.ts';
import { hasJoined, leftOut } from './nodes-away.ts';
import { retainedBy } from '../plan/partition.ts';
import { podsAt } from '../plan/pods-at.ts';
import { allowedPodsAt, wantedPodsAt } from '../plan/revision-sizes.ts';
import type { RolloutView } from '../plan/rollout-view.ts';
import { selectedByAll, type Selectors } from '../plan/selector-bound.ts';
import { statedPartition } from '../plan/stated-partition.ts';
import type { CountedNode, NodeUnits } from '../plan/units.ts';

type View = RolloutView<NodeUnits>;

/**
 * How many nodes a step waits for: what it leads to, or as many as have the revision and can take it, where these are fewer.
 *
 * Example: 10 nodes, and a new node selector that 4 of them have. The step `50%` leads to 5, and waits for 4.
 */
export function awaitedNodes(view: View, accepted: Accepted, step: number): number {
  const { selector } = accepted.spec.to.bound;
  return Math.min(wantedPodsAt(view, accepted, step), reachableNodes(view, accepted, [selector]));
}

/** How many nodes have the revision, or can take it now: all selectors select them, they hold no step up, and it fits. */
export function reachableNodes(view: View, { spec, progress }: Accepted, selectors: Selectors): number {
  const taken = new Set(podsAt(view, spec.to.hash).map(({ unit }) => unit));
  const [isOut, isSelected] = [leftOut(view.units, progress), selectedByAll(selectors)];
  let count = 0;
  for (const [name, { canTake, labels }] of view.units.nodes)
    if (taken.has(name) || (canTake && isSelected(labels) && !isOut(name))) count += 1;
  return count;
}

/**
 * How many nodes a gate misses nothing without: they have joined since the step started, or were down before it, and their pods were not
 * available yet.
 */
export function notYetAvailable(view: View, { spec, progress }: Accepted): number {
  const { nodes } = view.units;
  const wasDown = new Set(progress.down);
  return podsAt(view, spec.to.hash).filter(({ unit, available }) => {
    const node = nodes.get(unit);
    return !available && node !== undefined && (wasDown.has(unit) || hasJoined(node, progress));
  }).length;
}

/**
 * How many nodes may have a pod of another revision when the last step ends. Where a step leads to every node, those that cannot take
 * the revision lose their pods, and it waits for that.
 *
 * Example: the step `100%` with that selector ends with 4 nodes, once the other 6 have lost their pods.
 */
export function nodesLeftElsewhere(view: View, accepted: Accepted): number {
  const { spec, progress } = accepted;
  const { hash, bound } = spec.to;
  const isForAll =
    retainedBy(view, statedPartition(bound)) === 0 &&
    allowedPodsAt(view, accepted, progress.step) >= view.replicas;
  if (!isForAll) return view.replicas - awaitedNodes(view, accepted, progress.step);
  const [isOut, isSelected] = [leftOut(view.units, progress), selectedByAll([bound.selector])];
  return view.pods.filter((pod) => pod.hash !== hash && (isOut(pod.unit) || !isSelected(pod.labels))).length;
}

/** Names so many nodes, of each reason. */
const MOST_NAMED = 3;

/**
 * The nodes that a step does not wait for though its size is of them, for use after a comma: `without n-04, n-05, n-06 and 3 more (its
 * pods do not fit there)`. '': its size is reached without them.
 */
export function withoutText(view: View, accepted: Accepted): string {
  const { spec, progress } = accepted;
  if (awaitedNodes(view, accepted, progress.step) >= wantedPodsAt(view, accepted, progress.step)) return '';
  const taken = new Set(podsAt(view, spec.to.hash).map(({ unit }) => unit));
  const isSelected = selectedByAll([spec.to.bound.selector]);
  const names = new Map<string, string[]>();
  for (const [name, node] of view.units.nodes) {
    const why = taken.has(name) || !isSelected(node.labels) ? undefined : whyOut(node, accepted);
    if (why === undefined) continue;
    const known = names.get(why);
    if (known === undefined) names.set(why, [name]);
    else known.push(name);
  }
  const parts = [...names].map(([why, of]) => `${namesText(of.sort(compareCodePoints))} (${why})`);
  return parts.length === 0 ? '' : `without ${parts.join(', ')}`;
}

/** Why a node is not waited for, as a clause; undefined: it is. */
function whyOut(node: CountedNode, { progress }: Accepted): string | undefined {
  if (!node.isReady) return 'not Ready';
  if (hasJoined(node, progress)) return 'joined since';
  return node.canTake ? undefined : 'its pods do not fit there';
}

function namesText(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return more > 0 ? `${names.slice(0, MOST_NAMED).join(', ')} and ${more} more` : listed(names, 'and');
}
