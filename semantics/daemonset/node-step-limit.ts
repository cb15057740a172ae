import type { NodeLimit } from '../node/step-limit.ts';
import { formatSelector } from '../values/selector.ts';
import { awaitedNodes } from './awaited-nodes.ts';
import { planOnward } from '../plan/envelope-input.ts';
import type { EnvelopeInput, RolloutView } from '../plan/rollout-view.ts';
import type { Envelope } from '../plan/envelope.ts';
import type { Accepted } from '../plan/memory.ts';
import { allowedPodsAt } from '../plan/revision-sizes.ts';
import { takesNone } from '../plan/sizes.ts';
import type { StepJudgment } from '../plan/step.ts';
import {
  BY_NODES,
  mayBeWithoutNodes,
  nodesOfStep,
  nodesWith,
  ofStep,
  spreadOfStep,
  takenBeyond,
} from '../plan/step-nodes.ts';
import type { NodeUnits } from '../plan/units.ts';

type View = RolloutView<NodeUnits>;

/**
 * How many nodes may be on `to` after a step. One that is about nodes with labels allows its size of these, beside the others that
 * had the change when it started. A later one for every node allows no fewer than had it.
 *
 * Example: 100 nodes, 20 of them with `track=canary`, and the steps `100%` of these, `10%`, `50%`: 20, 20, 50.
 */
export function allowedNodes(view: View, accepted: Accepted, step: number): number {
  const { beyond = 0 } = accepted.progress;
  const of = ofStep(view, accepted, step);
  const size = allowedPodsAt(of.view, of.accepted, step);
  return nodesOfStep(accepted.spec, step) === undefined ? Math.max(size, beyond) : beyond + size;
}

/** How many nodes a step waits for on `to`, with the others that have the change where it is about nodes with labels. */
export function wantedNodes(view: View, accepted: Accepted, step: number): number {
  const { spec } = accepted;
  const selector = nodesOfStep(spec, step);
  const of = ofStep(view, accepted, step);
  const wanted = awaitedNodes(of.view, of.accepted, step);
  return selector === undefined ? wanted : wanted + takenBeyond(view, spec.to.hash, selector);
}

/** Whether a step is of no node. One for labels that no node has waits for one, unless it says `atLeast: 0`. */
export function isOfNoNode(view: View, accepted: Accepted, step: number): boolean {
  const of = ofStep(view, accepted, step);
  if (of.view.replicas === 0) return view.replicas > 0 && mayBeWithoutNodes(accepted.spec, step);
  return takesNone(of.view, of.accepted, allowedPodsAt(of.view, of.accepted, step));
}

/** What a step, or the gate after it, waits for because no node has its labels; undefined: some have, or it is about every node. */
export function waitsForLabels(view: View, accepted: Accepted): StepJudgment | undefined {
  const { spec, progress } = accepted;
  const selector = nodesOfStep(spec, progress.step);
  if (selector === undefined || view.replicas === 0) return undefined;
  return ofStep(view, accepted, progress.step).view.replicas === 0
    ? { is: 'underway', waitingOn: `a node with ${formatSelector(selector)}`, boundedBy: BY_NODES }
    : undefined;
}

/** Which nodes the present step takes, and which keep no other one waiting. A way back takes all, and in no order of domains: what is broken is mended first. */
export function limitOfStep(input: EnvelopeInput<NodeUnits>): Partial<Envelope> {
  const accepted = planOnward(input);
  if (accepted === undefined) return {};
  const { spec, progress } = accepted;
  const { step, beyond = 0, baseline } = progress;
  const broken = baseline.unavailable;
  const [selector, key] = [nodesOfStep(spec, step), spreadOfStep(spec, step)];
  if (selector === undefined && key === undefined && broken.length === 0) return {};
  const nodes: NodeLimit = {
    ...(broken.length > 0 && { broken }),
    ...(selector !== undefined && { within: { selector, beyond } }),
    ...(key !== undefined && { spread: key }),
  };
  if (selector === undefined) return { nodes };
  const of = ofStep(input.view, accepted, step);
  const size = allowedPodsAt(of.view, of.accepted, step);
  const id = spec.steps[step]?.id ?? '';
  return {
    nodes,
    reason: `step ${id} allows ${size} of ${of.accepted.progress.frozenN} ${nodesWith(selector)}`,
  };
}
