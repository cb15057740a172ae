import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { remembered } from '../values/remembered.ts';
import {
  awaitedNodes,
  nodesLeftElsewhere,
  notYetAvailable,
  reachableNodes,
  withoutText,
} from './awaited-nodes.ts';
import { podBreach, restartedInUpdate } from '../plan/breach.ts';
import { planOnward } from '../plan/envelope-input.ts';
import type { EnvelopeInput, RolloutView, UnitRules } from '../plan/rollout-view.ts';
import type { Envelope } from '../plan/envelope.ts';
import type { Accepted } from '../plan/memory.ts';
import { followNodes, nodesAtStart } from './node-sizes.ts';
import { allowedNodes, isOfNoNode, limitOfStep, waitsForLabels, wantedNodes } from './node-step-limit.ts';
import {
  awayBefore,
  followAway,
  isAwaitedBack,
  isJudgedIn,
  isRecordFull,
  joinedSince,
  leftOut,
  hasLostFurther,
} from './nodes-away.ts';
import { tooManyUnreverted, unrevertedNodes, withUnreverted, withoutFollowed } from './nodes-unreverted.ts';
import { lostNodes, outage } from '../plan/nodes-down.ts';
import { isWhole, onRevisions, podsBackWaitFor } from '../plan/on-revisions.ts';
import type { PodRow } from '../plan/pod-row.ts';
import { frozenAt, podsAt } from '../plan/pods-at.ts';
import type { RolloutContext } from '../plan/rollout-context.ts';
import { mostlyMissing } from '../plan/selected-units.ts';
import { nodesOfStep, nodesWith, ofStep } from '../plan/step-nodes.ts';
import type { StepJudgment } from '../plan/step.ts';
import { columnOf } from '../plan/table.ts';
import { isNodeLost, type NodeUnits } from '../plan/units.ts';
import { judgeUpdate } from '../plan/update-step.ts';

type View = RolloutView<NodeUnits>;

/**
 * Nodes, each with a pod of the target. They join, leave and fail for reasons that are none of the plan's:
 *
 * - A node that is not Ready, or that has joined since the step started, holds no step up, and neither does one that the revision does
 *   not fit. Where all that a step has taken are such nodes it waits for one of them, and its clock stands.
 * - A tenth of all nodes may be not Ready, at least one; while more are, no step ends and the clocks stand. Nodes that were broken or not
 *   Ready before the plan are none of them, and neither are those that were not when a user let it go on.
 * - A node that joins gets the stable revision, and is taken by the step of all.
 * - A node is taken when it has a pod on `to`, which is what a step bounds, and done when that pod is available and alone there.
 */
export const nodeRules: UnitRules<NodeUnits> = {
  ...onRevisions,
  allowed: allowedNodes,
  isEmpty: isOfNoNode,
  wanted: wantedNodes,
  judge: judgeNodeStep,
  breach: (view, accepted, step) => podBreach(judgedNodes(view, accepted), accepted, step),
  missing: missingNodes,
  withClocks: withoutOutage,
  isWhole: (view) => lostNodes(view, []) === 0 && isWhole(onReadyNodes(view)),
  backWaitsFor: (view, accepted) => {
    const { progress } = accepted;
    const { goal = view.stable } = progress;
    const missing = view.units.missingAt(goal, joinedSince(view.units, progress));
    const isAwaited = isAwaitedBack(view.units, progress);
    return (
      podsBackWaitFor(onReadyNodes(view), accepted, missing, isAwaited) || tooManyUnreverted(view, accepted)
    );
  },
  unreverted: unrevertedNodes,
  isLeftOut: ({ units }, progress) => leftOut(units, progress),
  isJudged: isJudgedIn,
  awayAtFirst: awayBefore,
  hasLost: hasLostFurther,
  followBack: withoutFollowed,
  atStart: nodesAtStart,
  follow: followNodes,
  followAway,
  isMoving(view, accepted) {
    if (!isActive(accepted)) return onRevisions.isMoving(view, accepted);
    const of = ofStep(view, accepted, accepted.progress.step);
    return onRevisions.isMoving(of.view, of.accepted) && isShort(of.view, of.accepted);
  },
  envelope: (input, envelope) => ({
    ...withJoined(input),
    ...withinOutage(input, envelope),
    ...withUnfinished(input, limitOfStep(input)),
    ...withoutRoom(input, envelope),
    ...withUnreverted(input, envelope),
  }),
};

function isActive({ progress: { phase } }: Accepted): boolean {
  return columnOf(phase) === 'active';
}

/** Why the clock of a gate stands: nodes that its step was about are missing, or too many are away for their pods to be judged. */
function missingNodes(view: View, accepted: Accepted): StepJudgment | undefined {
  if (isRecordFull(view, accepted))
    return {
      is: 'underway',
      waitingOn: `fewer than ${accepted.progress.away?.length ?? 0} nodes to be away, or back without available pods`,
    };
  const { step } = accepted.progress;
  const of = ofStep(view, accepted, step);
  const wanted = awaitedNodes(of.view, of.accepted, step) - notYetAvailable(of.view, of.accepted);
  return waitsForLabels(view, accepted) ?? mostlyMissing(of.view, of.accepted, wanted);
}

/** Whether a node is left that can be taken. */
function isShort(view: View, accepted: Accepted): boolean {
  const there = podsAt(view, accepted.spec.to.hash).length;
  return there < awaitedNodes(view, accepted, accepted.progress.step);
}

/** Until a step leads to all nodes, those that have joined since it started are none of its size. */
function withJoined(input: EnvelopeInput<NodeUnits>): Partial<Envelope> {
  const onward = planOnward(input);
  if (onward === undefined) return {};
  const { joinedUntil, stepSince } = onward.progress;
  return { joinedUntil: joinedUntil ?? stepSince };
}

/**
 * Names the revisions that earlier plans have brought, and that the target was never complete on. A node with such a pod may be down for
 * it, so that the change which mends it goes there, too.
 *
 * Example: a plan to B is halted, as B makes nodes NotReady. The fix C lists B and A. The nodes that are down with B are taken, after all
 * others; those that are down with A are not.
 */
function withUnfinished(input: EnvelopeInput<NodeUnits>, limit: Partial<Envelope>): Partial<Envelope> {
  const onward = planOnward(input);
  const accepted = onward ?? succeeded(input);
  if (accepted === undefined) return limit;
  const { spec, progress } = accepted;
  const { stable, complete } = input.view;
  const revisions = [...spec.from, ...(progress.inherited ?? [])].flatMap(({ hash }) =>
    hash === stable || hash === spec.to.hash || complete.has(hash) ? [] : [hash],
  );
  if (revisions.length === 0) return limit;
  const broken = [...progress.baseline.unavailable, ...(progress.excused ?? [])];
  const unfinished = { revisions, ...(onward !== undefined && { broken }) };
  return { ...limit, nodes: { ...limit.nodes, unfinished } };
}

/** A plan that has ended on its revision. It did not wait for nodes that are down, and goes on there. */
function succeeded({ accepted, blocked }: EnvelopeInput): Accepted | undefined {
  return blocked === undefined && accepted?.progress.phase === 'Succeeded' ? accepted : undefined;
}

/** A way back takes others while a node that it does not wait for has no room for its pod. */
function withoutRoom({ view, accepted }: EnvelopeInput<NodeUnits>, { back }: Envelope): Partial<Envelope> {
  if (back === undefined || accepted === undefined) return {};
  const isAwaited = isAwaitedBack(view.units, accepted.progress);
  const out = view.pods.filter((pod) => pod.unschedulable !== undefined && !isAwaited(pod));
  return out.length === 0
    ? {}
    : { back: { ...back, broken: [...back.broken, ...out.map(({ unit }) => unit)] } };
}

/**
 * During an outage no further node is taken, and none that lacks its pod gets it on `to`: the change itself may be what breaks nodes,
 * and a node that is not Ready uses no budget.
 *
 * Example: 100 nodes, one unavailable at a time, and the new revision makes each node NotReady. Ten nodes may be lost; with the
 * eleventh the rollout stops, until some are Ready or a person ends it. A way back goes on, and so does what BreakGlass allows.
 */
function withinOutage(input: EnvelopeInput<NodeUnits>, { allowed }: Envelope): Partial<Envelope> {
  const { view } = input;
  const accepted = planOnward(input);
  if (accepted === undefined || !isActive(accepted) || outage(view, accepted.progress) === 0) return {};
  const frozen = frozenAt(view, accepted);
  return { moving: false, allowed: allowed === 'unbounded' ? frozen : Math.min(allowed, frozen) };
}

/**
 * A step is done when its size is reached, or as much of it as can be, and each node on `to` is done but those that are left out.
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
  const waits = waitsForLabels(view, accepted);
  if (waits !== undefined) return waits;
  const { progress, spec } = accepted;
  const of = ofStep(view, accepted, progress.step);
  const isOut = leftOut(view.units, progress);
  const isJudged = isJudgedIn(view, accepted);
  const wanted = awaitedNodes(of.view, of.accepted, progress.step);
  const without = withoutText(of.view, of.accepted);
  const judged = judgeUpdate(of.view, of.accepted, step, context, now, {
    wanted,
    reachable: (selectors) => reachableNodes(of.view, of.accepted, selectors),
    elsewhere: nodesLeftElsewhere(of.view, of.accepted),
    without,
    isLeftOut: ({ unit }) => isOut(unit),
    isJudged,
  });
  const isBounded = judged.is === 'underway' && judged.boundedBy !== undefined;
  const isStuck = wanted === 0 && podsAt(of.view, spec.to.hash).length === 0 && without !== '';
  // Nothing is proven, and no time proves it.
  if (isStuck && !isBounded) return { is: 'underway', waitingOn: `a node that it can take: ${without}` };
  const lost = outage(view, accepted.progress);
  if (judged.is === 'done' && lost > 0) return { is: 'underway', waitingOn: `${nodesText(lost)} Ready` };
  const selector = nodesOfStep(spec, progress.step);
  if (selector === undefined || judged.is === 'done') return judged;
  // Restarts of other nodes that have the change count, too.
  const broken = isBounded ? undefined : restartedInUpdate(view, accepted, step, isJudged);
  if (broken !== undefined) return broken;
  return judged.is === 'underway'
    ? { ...judged, waitingOn: `${judged.waitingOn}, on ${nodesWith(selector)}` }
    : judged;
}

/** Stops the clocks during an outage: what time proves then is nothing about the change. */
function withoutOutage(view: View, accepted: Accepted, judged: StepJudgment): StepJudgment {
  if (judged.is !== 'underway' || judged.counting === undefined) return judged;
  const lost = outage(view, accepted.progress);
  if (lost === 0) return judged;
  const { counting: _counting, doneAt: _doneAt, failsAt: _failsAt, ...rest } = judged;
  return { ...rest, waitingOn: `${judged.waitingOn}, and for ${nodesText(lost)} Ready` };
}

function nodesText(count: number): string {
  return `${count} ${count === 1 ? 'node' : 'nodes'} to become`;
}

/** The view with the nodes alone that are Ready. */
const onReadyNodes = remembered((view: View): View => {
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
  return found;
});

/** The view with the pods alone that are judged. */
function judgedNodes(view: View, accepted: Accepted): View {
  return { ...view, pods: view.pods.filter(isJudgedIn(view, accepted)) };
}
