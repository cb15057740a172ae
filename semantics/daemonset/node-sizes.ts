import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { reachableNodes } from './awaited-nodes.ts';
import { followReplicas } from '../plan/follow-size.ts';
import type { Accepted, Progress } from '../plan/memory.ts';
import { awayAtStart } from './nodes-away.ts';
import { allowedWith } from '../plan/owned-units.ts';
import type { RolloutView, StepStart } from '../plan/rollout-view.ts';
import { labelsAtStart, nodesOfStep, ofStep, takenBeyond, takesAllLabeled } from '../plan/step-nodes.ts';
import type { NodeUnits } from '../plan/units.ts';

type View = RolloutView<NodeUnits>;

/**
 * What a step records of nodes. Those that an outage has emptied come back (`followNodes`), so that it does not start at less. One that
 * starts again, under a continuation or by Resume, keeps its size: nodes that have joined since widen it no more than they did before.
 *
 * Example: the step `50%` of ten nodes, which is five. Ten more join, and a commit loosens the partition: it is still five.
 */
export function nodesAtStart(
  view: View,
  before: Progress | undefined,
  at?: { spec: RolloutPlanSpec; step: number },
): StepStart {
  const away = before && awayAtStart(view, before);
  const had = at !== undefined && before?.step === at.step ? before : undefined;
  const start = (had && sizeOn(had)) ?? sizeOfNodes(view, Math.max(view.replicas, before?.frozenN ?? 0));
  return {
    ...start,
    ...(at !== undefined && labelsAtStart(view, at, before)),
    ...(away !== undefined && { away }),
  };
}

/** The size on record; undefined: an older runtime has recorded none of nodes. */
function sizeOn({ frozenN, outside, joinedUntil }: Progress): ReturnType<typeof sizeOfNodes> | undefined {
  return outside === undefined || joinedUntil === undefined ? undefined : { frozenN, outside, joinedUntil };
}

/** The number that sizes are of from now on, how many Node objects are beside these, and when the last of them was created. */
function sizeOfNodes(
  view: View,
  frozenN: number,
): Required<Pick<Progress, 'frozenN' | 'outside' | 'joinedUntil'>> {
  const outside = Math.max(view.units.joins.length - frozenN, 0);
  return { frozenN, outside, joinedUntil: lastJoined(view) };
}

/** When the last of the Node objects was created. */
function lastJoined({ units: { joins } }: View): number {
  return joins.reduce((latest, at) => Math.max(latest, at), 0);
}

/**
 * The frozen number of nodes falls only as Node objects are deleted that existed when the step started. An outage, a taint or another
 * label takes nodes away that may come back, so that it narrows no step.
 *
 * Example: 13 nodes, of which 10 count, and 3 are control planes. A step starts at 10, with 3 outside. A zone is tainted, and 6
 * nodes are left that count: 13 − 3 = 10 nodes may still do, so that it stays at 10. Then 4 of the tainted nodes are deleted:
 * 9 − 3 = 6. Two nodes join, whether they count or not: 6 stays, as it never rises within a step. When others have replaced all 6, the
 * step is of those.
 */
export function followNodes(view: View, accepted: Accepted): Progress | undefined {
  const sized = followExisting(view, accepted);
  const labeled = followLabeled(view, { ...accepted, progress: sized ?? accepted.progress }) ?? sized;
  return followJoined(view, { ...accepted, progress: labeled ?? accepted.progress }) ?? labeled;
}

/**
 * Nodes that have joined since the step started are of it, too, where without them it is of no node: none that was there has the change,
 * or can take it.
 *
 * Example: three nodes, one of which was shut down and still exists. The other two are replaced: the step takes one of their successors.
 */
function followJoined(view: View, accepted: Accepted): Progress | undefined {
  const { progress } = accepted;
  const joinedUntil = lastJoined(view);
  if (joinedUntil <= (progress.joinedUntil ?? progress.stepSince)) return undefined;
  const of = ofStep(view, accepted, progress.step);
  const selectors = [of.accepted.spec.to.bound.selector];
  const withJoined = { ...of.accepted, progress: { ...of.accepted.progress, joinedUntil } };
  const isOfNone = reachableNodes(of.view, of.accepted, selectors) === 0;
  return isOfNone && reachableNodes(of.view, withJoined, selectors) > 0
    ? { ...progress, joinedUntil }
    : undefined;
}

/**
 * The same for the nodes with the labels of the step. People move labels, too. A node that gets them belongs to a step of `100%` that
 * runs. One that loses them is none of the step any more: with the change it keeps that, beside the step. How many may have it there
 * falls as such nodes get the labels, or are deleted, and not where one has lost its pod.
 *
 * Example: 3 of 10 nodes have `track=canary`, and the step `1` of these has taken one, which loses the label then: one of the two others
 * is taken. With the step `100%` it is both of them.
 */
function followLabeled(view: View, accepted: Accepted): Progress | undefined {
  const { progress, spec } = accepted;
  const { labeled, beyond: before = 0, joinedUntil = 0 } = progress;
  const selector = nodesOfStep(spec, progress.step);
  if (labeled === undefined || selector === undefined) return undefined;
  const of = ofStep(view, accepted, progress.step);
  const followed = followExisting(of.view, of.accepted);
  const { frozenN = labeled.n, outside = labeled.outside } = followed ?? {};
  const all = takesAllLabeled(spec, progress.step) ? existingUntil(of.view, joinedUntil) : 0;
  const n = Math.max(frozenN, all);
  const now = takenBeyond(view, spec.to.hash, selector);
  const beyond = Math.max(now, Math.min(before, now + lackingBeyond(view, of.view, progress)));
  if (followed === undefined && n === labeled.n && beyond === before) return undefined;
  return {
    ...progress,
    joinedUntil: Math.max(joinedUntil, followed?.joinedUntil ?? 0),
    labeled: { ...labeled, n, outside },
    beyond,
  };
}

/** How many nodes beside those with the labels of a step have counted, and have no pod. */
function lackingBeyond(all: View, labeled: View, { outside = 0, labeled: size }: Progress): number {
  const existing = all.units.joins.length - labeled.units.joins.length;
  const counting = existing - Math.max(outside - (size?.outside ?? 0), 0);
  return Math.max(counting - (all.pods.length - labeled.pods.length), 0);
}

function followExisting(view: View, accepted: Accepted): Progress | undefined {
  const { progress } = accepted;
  const { replicas, units } = view;
  if (progress.frozenN === 0)
    return replicas === 0 ? undefined : { ...progress, ...sizeOfNodes(view, replicas) };
  // An older runtime has recorded no time: what has joined since is not told apart.
  const { outside = 0, joinedUntil = Infinity } = progress;
  const existing = units.joins.filter((at) => at <= joinedUntil).length;
  const left = Math.max(existingUntil(view, joinedUntil), existing - outside);
  if (left <= 0 && replicas > 0) return { ...progress, ...sizeOfNodes(view, replicas) };
  return followReplicas({ replicas: left }, accepted, allowedWith(view, accepted));
}

/** How many of the nodes that count existed at a time. */
function existingUntil({ units }: View, joinedUntil: number): number {
  let count = 0;
  for (const { joinedAt } of units.nodes.values()) if (joinedAt <= joinedUntil) count += 1;
  return count;
}
