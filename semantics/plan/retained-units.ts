import type { RetainedUnits } from '../revision/revision.ts';
import type { Accepted } from './memory.ts';
import type { PodRow } from './pod-row.ts';
import { podsAt } from './pods-at.ts';
import { wantedPodsAt } from './revision-sizes.ts';
import type { RolloutView } from './rollout-view.ts';
import { nodesOfStep, ofStep, takenBeyond } from './step-nodes.ts';
import { isNodeLost, type NodeUnits } from './units.ts';

/**
 * The units that its bound has left where a plan succeeds. They may be on several revisions; the most common one is recorded for all.
 *
 * Example: a plan to C leaves four pods on A and four on B. It records `8 at A`, the first by name of two with as many pods.
 *
 * Nodes that are not Ready are left as others are. They tell the revision only where no other one does: nobody knows how long their pods
 * have been there.
 */
export function retainedByBound(
  view: Pick<RolloutView, 'pods' | 'units'>,
  to: string,
): RetainedUnits | undefined {
  const left = view.pods.filter(({ hash }) => hash !== undefined && hash !== to);
  const there = left.filter((pod) => !isNodeLost(view, pod));
  const hash = mostCommon(there) ?? mostCommon(left);
  return hash === undefined ? undefined : { hash, n: left.length };
}

/** The revision that most of the units are on, the first by name of several; undefined: none is on a known one. */
function mostCommon(pods: readonly PodRow[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { hash } of pods) if (hash !== undefined) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]?.[0];
}

/**
 * How many nodes a plan wants on its revision when it ends. A last step that is about nodes with labels leaves all others: it wants what
 * it has taken of its own, and those that lack their pod. One more would be taken of the others. Of these it wants as many as have had
 * its revision, also where one has just lost its pod: not where that has become a node that admits none.
 *
 * Example: 100 nodes, ten of them with the labels of the last step, one of which is not Ready and keeps its pod: nine are wanted, and the
 * one is left as the 90 others are.
 */
function wantedAtEnd(view: RolloutView<NodeUnits>, accepted: Accepted): number {
  const { spec, progress } = accepted;
  const selector = nodesOfStep(spec, progress.step);
  const of = ofStep(view, accepted, progress.step);
  const wanted = wantedPodsAt(of.view, of.accepted, progress.step);
  if (selector === undefined) return wanted;
  const { hash } = spec.to;
  const lacking = Math.max(of.view.replicas - of.view.pods.length, 0);
  const taken = takenBeyond(view, hash, selector);
  const beyond = Math.max(taken, Math.min(progress.beyond ?? 0, taken + lackingBeside(view, of.view)));
  return Math.min(wanted, podsAt(of.view, hash).length + lacking) + beyond;
}

/** How many nodes beside those with the labels are to have a pod, and have none. */
function lackingBeside(all: RolloutView<NodeUnits>, labeled: RolloutView<NodeUnits>): number {
  const withPod = new Set(all.pods.map(({ unit }) => unit));
  return [...all.units.nodes.keys()].filter((name) => !labeled.units.nodes.has(name) && !withPod.has(name))
    .length;
}

/**
 * The units that its bound has left where a plan succeeds. Of nodes they are as many as it wants elsewhere: others have stayed because
 * its revision does not fit them, or as they are not Ready, and one that has lost its pod gets it back.
 *
 * Example: ten nodes, four of which the new node selector matches, and `partition: 3`. Six pods are left, three of them by the bound.
 * Forty nodes, four of which are not Ready, and `partition: 3`. The plan ends with the other 36: three of the four are left by the bound,
 * and one is updated when it is back.
 */
export function retainedAtEnd(view: RolloutView, accepted: Accepted): RetainedUnits | undefined {
  const { hash: to } = accepted.spec.to;
  const retained = retainedByBound(view, to);
  if (view.units.of !== 'nodes') return retained;
  const hash = retained?.hash ?? (view.stable === to ? view.retained?.hash : view.stable);
  if (hash === undefined) return undefined;
  const most = view.replicas - wantedAtEnd({ ...view, units: view.units }, accepted);
  const n = Math.min((retained?.n ?? 0) + view.units.lackingAt(hash), most);
  return n > 0 ? { hash, n } : undefined;
}
