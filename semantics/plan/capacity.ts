import { isLabelOf } from '../pod/revision-label.ts';
import { baselineOf } from './baseline.ts';
import type { Accepted, Progress } from './memory.ts';
import type { RefusedPod, RolloutContext } from './rollout-context.ts';
import type { RolloutView } from './rollout-view.ts';
import { podsAt } from './pods-at.ts';
import { phaseOfStep } from './step.ts';
import { withoutTrailing } from '../values/text.ts';

/** Milliseconds that a step may wait for cluster capacity, with its clocks stopped, before it fails. */
export const CAPACITY_MS = 30 * 60_000;

export interface CapacityWait {
  /** The message of the scheduler or the API server. */
  message: string;
  /** No further pod is updated. False for a quota: the server refuses creations anyway, and a freed quota is used at once. */
  stops: boolean;
  /** It has lasted for thirty minutes of observed time without a pod becoming available (docs/explanation/steps.md). */
  tooLong: boolean;
}

/**
 * Whether a rollout waits for cluster capacity: an updated pod fits on no node, or a quota refuses one while no other updated pod
 * is on its way. A step that waits for an approval does not. Pods that were broken before the plan, or that are on another
 * revision, or whose node is not Ready or has joined since the step started, do not count.
 */
export function waitsForCapacity(
  view: RolloutView,
  { spec, progress }: Accepted,
  { refusals }: Pick<RolloutContext, 'refusals'>,
): CapacityWait | undefined {
  const step = spec.steps[progress.step];
  if (step === undefined || phaseOfStep(step) === 'AwaitingApproval') return undefined;
  const tooLong = waitedTooLong(progress);
  const { wasBroken } = baselineOf(progress);
  const isOut = view.rules(spec).isLeftOut(view, progress);
  const waiting = podsAt(view, spec.to.hash).filter((p) => !p.available && !wasBroken(p) && !isOut(p.unit));
  const pod = waiting.find((p) => p.unschedulable !== undefined);
  if (pod !== undefined) {
    const message = `pod ${pod.name} fits on no node: ${withoutStop(pod.unschedulable ?? '')}`;
    return { message, stops: true, tooLong };
  }
  if (waiting.length > 0) return undefined;
  const own = refusals.find((each) => each.reason === 'NoCapacity' && isAbout(view, each, spec.to.hash));
  return own === undefined ? undefined : { message: withoutStop(own.message), stops: false, tooLong };
}

/**
 * Whether a refused write is about pods at a revision: about one that exists, or one that is to be created there. The pods of a run
 * have no label of their revision, and are all of the live run.
 */
export function isAbout(
  { units, nameOf }: Pick<RolloutView, 'units' | 'nameOf'>,
  { revision }: RefusedPod,
  hash: string,
): boolean {
  return revision === undefined || (units.of === 'run' ? revision === '' : isLabelOf(revision, nameOf(hash)));
}

/** Refusals in their order, but those about pods at this revision first. */
export function ownFirst(
  view: Pick<RolloutView, 'units' | 'nameOf'>,
  refusals: readonly RefusedPod[],
  hash: string,
): readonly RefusedPod[] {
  const isOwn = (refused: RefusedPod): boolean => isAbout(view, refused, hash);
  return [...refusals.filter(isOwn), ...refusals.filter((each) => !isOwn(each))];
}

/** Whether a step has waited for thirty minutes for what its clock does not count. */
export function waitedTooLong({ capacityMs = 0 }: Progress): boolean {
  return capacityMs >= CAPACITY_MS;
}

/** A message without its final full stop, so that a sentence can continue after it. */
export function withoutStop(message: string): string {
  return withoutTrailing(message, '. \t\r\n');
}
