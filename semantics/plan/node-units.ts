import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { podBreach } from './breach.ts';
import type { EnvelopeInput } from './envelope-input.ts';
import type { Envelope } from './envelope.ts';
import { followReplicas } from './follow-size.ts';
import type { Accepted, Progress } from './memory.ts';
import { followAway, isNotAway } from './nodes-away.ts';
import { isWhole, onRevisions, podsBackWaitFor } from './on-revisions.ts';
import { allowedWith } from './owned-units.ts';
import type { PodRow } from './pod-row.ts';
import { podsAt } from './pods-at.ts';
import { wantedPodsAt } from './revision-sizes.ts';
import type { RolloutContext } from './rollout-context.ts';
import type { RolloutView } from './rollout-view.ts';
import { mostlyMissing } from './selected-units.ts';
import type { StepJudgment } from './step.ts';
import { columnOf } from './table.ts';
import type { UnitRules } from './unit-rules.ts';
import { type CountedNode, isNodeLost, type NodeUnits } from './units.ts';
import { judgeUpdate } from './update-step.ts';

type View = RolloutView<NodeUnits>;

/**
 * Nodes, each with a pod of the target. They join, leave and fail for reasons that are none of the plan's:
 *
 * - A node that is not Ready, or that has joined since the step started, holds no step up. A tenth of all nodes may be lost in this
 *   way, at least one; while more are, no step ends and the clocks stand. Nodes that were broken before the plan are none of them.
 * - A node is taken when it has a pod on `to`, which is what a step bounds, and done when that pod is available and alone there.
 */
export const nodeRules: UnitRules<NodeUnits> = {
  ...onRevisions,
  judge: judgeNodeStep,
  breach: (view, accepted, step) => podBreach(judgedNodes(view, accepted), accepted, step),
  missing: (view, accepted) => mostlyMissing(view, accepted, awaitedNodes(view, accepted)),
  withClocks: withoutOutage,
  isWhole: (view) => lostNodes(view, []) === 0 && isWhole(onReadyNodes(view)),
  backWaitsFor: (view, accepted) => podsBackWaitFor(onReadyNodes(view), accepted),
  // Nodes that an outage has emptied come back (`followNodes`).
  atStart: (view, frozenN) => counted(view, Math.max(view.replicas, frozenN)),
  follow: followNodes,
  envelope: withinOutage,
};

/**
 * During an outage no further node is taken: the change itself may be what breaks nodes, and a node that is not Ready uses no budget.
 *
 * Example: 100 nodes, one unavailable at a time, and the new revision makes each node NotReady. Ten nodes may be lost; with the
 * eleventh the rollout stops, until some are Ready or a person ends it. A way back goes on.
 */
function withinOutage(
  { view, accepted }: EnvelopeInput<NodeUnits>,
  { moving, back }: Envelope,
): Partial<Envelope> {
  const isStopped =
    moving &&
    back === undefined &&
    accepted !== undefined &&
    columnOf(accepted.progress.phase) === 'active' &&
    outage(view, accepted) > 0;
  return isStopped ? { moving: false } : {};
}

/**
 * A step is done when its size is reached, and each node on `to` is done but those that are left out.
 *
 * Example: 10 nodes, a step `50%`, which is 5. Of the 5 nodes that were taken, 4 are available, and one is not Ready: the step is
 * done. In the step `100%` a node is not Ready that was not taken yet: it is done with the other 9. With two such nodes it waits, as
 * a tenth of 10 is one.
 */
function judgeNodeStep(
  view: View,
  accepted: Accepted,
  step: Step,
  context: Pick<RolloutContext, 'refusals'>,
  now: number,
): StepJudgment {
  const isOut = leftOut(view, accepted);
  const judged = judgeUpdate(view, accepted, step, context, now, {
    wanted: awaitedNodes(view, accepted),
    isLeftOut: ({ unit }) => isOut(unit),
    isJudged: isNotAway(accepted.progress),
  });
  const lost = outage(view, accepted);
  return judged.is === 'done' && lost > 0
    ? { is: 'underway', waitingOn: `${nodesText(lost)} Ready` }
    : judged;
}

/** How many nodes are to be on `to`: what the step leads to, without nodes that are left out and not taken. */
function awaitedNodes(view: View, accepted: Accepted): number {
  const isOut = leftOut(view, accepted);
  const taken = new Set(podsAt(view, accepted.spec.to.hash).map(({ unit }) => unit));
  let untaken = 0;
  for (const name of view.units.nodes.keys()) if (isOut(name) && !taken.has(name)) untaken += 1;
  const wanted = wantedPodsAt(view, accepted, accepted.progress.step);
  return Math.min(wanted, view.replicas - untaken);
}

/** A test of names of nodes: the node is not Ready, or has joined since the step started. */
function leftOut(
  { units: { nodes } }: View,
  { progress: { stepSince } }: Accepted,
): (name: string) => boolean {
  const isOut = ({ isReady, joinedAt }: CountedNode): boolean => !isReady || joinedAt > stepSince;
  return (name) => {
    const node = nodes.get(name);
    return node !== undefined && isOut(node);
  };
}

/** How many nodes have been lost since the plan was accepted, where that is more than it bears; else 0. */
function outage(view: View, { progress }: Accepted): number {
  return lostNodes(view, progress.baseline.unavailable);
}

/** How many nodes are not Ready, beside those that are given, where that is more than a tenth of all, at least one; else 0. */
function lostNodes({ replicas, units: { nodes } }: View, except: readonly string[]): number {
  const before = new Set(except);
  let lost = 0;
  for (const [name, { isReady }] of nodes) if (!isReady && !before.has(name)) lost += 1;
  return lost > Math.max(1, replicas / 10) ? lost : 0;
}

/** Stops the clocks during an outage: what time proves then is nothing about the change. */
function withoutOutage(view: View, accepted: Accepted, judged: StepJudgment): StepJudgment {
  if (judged.is !== 'underway' || judged.counting === undefined) return judged;
  const lost = outage(view, accepted);
  if (lost === 0) return judged;
  const { counting: _counting, doneAt: _doneAt, failsAt: _failsAt, ...rest } = judged;
  return { ...rest, waitingOn: `${judged.waitingOn}, and for ${nodesText(lost)} Ready` };
}

function nodesText(count: number): string {
  return `${count} ${count === 1 ? 'node' : 'nodes'} to become`;
}

/** Cached by view: several rules need it. */
const ready = new WeakMap<View, View>();

/** The view with the nodes alone that are Ready. */
function onReadyNodes(view: View): View {
  const known = ready.get(view);
  if (known !== undefined) return known;
  const nodes = new Map([...view.units.nodes].filter(([, { isReady }]) => isReady));
  const isThere = (pod: PodRow): boolean => !isNodeLost(view, pod);
  const found =
    nodes.size === view.units.nodes.size
      ? view
      : {
          ...view,
          replicas: nodes.size,
          pods: view.pods.filter(isThere),
          units: { ...view.units, nodes },
        };
  ready.set(view, found);
  return found;
}

/** The view with the pods alone that are judged. */
function judgedNodes(view: View, { progress }: Accepted): View {
  const onReady = onReadyNodes(view);
  return progress.away === undefined
    ? onReady
    : { ...onReady, pods: onReady.pods.filter(isNotAway(progress)) };
}

/** The number that sizes are of from now on, and how many Node objects are beside these. */
function counted(
  { units: { existing } }: View,
  frozenN: number,
): Required<Pick<Progress, 'frozenN' | 'outside'>> {
  return { frozenN, outside: Math.max(existing - frozenN, 0) };
}

/**
 * The frozen number of nodes falls only as Node objects are deleted. An outage, a taint or another label takes nodes away that may
 * come back, so that it narrows no step.
 *
 * Example: 13 nodes, of which 10 count, and 3 are control planes. A step starts at 10, with 3 outside. A zone is tainted, and 6
 * nodes are left that count: 13 − 3 = 10 nodes may still do, so that it stays at 10. Then 4 of the tainted nodes are deleted:
 * 9 − 3 = 6. Two nodes join: 6 stays, as it never rises within a step.
 */
function followNodes(view: View, accepted: Accepted): Progress | undefined {
  const sized = followExisting(view, accepted);
  return followAway(view, sized ?? accepted.progress) ?? sized;
}

function followExisting(view: View, accepted: Accepted): Progress | undefined {
  const { progress } = accepted;
  const { replicas, units } = view;
  if (progress.frozenN === 0) return replicas === 0 ? undefined : { ...progress, ...counted(view, replicas) };
  const left = Math.max(replicas, units.existing - (progress.outside ?? 0));
  return followReplicas({ replicas: left }, accepted, allowedWith(view, accepted));
}
