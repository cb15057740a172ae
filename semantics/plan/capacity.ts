import { baselineOf } from './baseline.ts';
import type { Accepted } from './memory.ts';
import type { RolloutContext, RolloutView } from './rollout-view.ts';
import { podsAt } from './sizes.ts';
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
 * Whether a rollout waits for cluster capacity: an updated pod fits on no node, or a quota refused one. A step that waits for
 * an approval does not. Pods that were broken before the plan, or that are on another revision, do not count.
 */
export function waitsForCapacity(
  view: RolloutView,
  { spec, progress }: Accepted,
  { quota }: RolloutContext,
): CapacityWait | undefined {
  const step = spec.steps[progress.step];
  if (step === undefined || phaseOfStep(step) === 'AwaitingApproval') return undefined;
  const tooLong = (progress.capacityMs ?? 0) >= CAPACITY_MS;
  const { wasBroken } = baselineOf(progress);
  const pod = podsAt(view, spec.to.hash).find((p) => p.unschedulable !== undefined && !wasBroken(p));
  if (pod !== undefined) {
    const message = `pod ${pod.name} fits on no node: ${withoutStop(pod.unschedulable ?? '')}`;
    return { message, stops: true, tooLong };
  }
  return quota?.revision === view.nameOf(spec.to.hash)
    ? { message: withoutStop(quota.message), stops: false, tooLong }
    : undefined;
}

/** A message without its final full stop, so that a sentence can continue after it. */
export function withoutStop(message: string): string {
  return withoutTrailing(message, '. \t\r\n');
}
