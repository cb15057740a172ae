import { baselineOf } from './baseline.ts';
import type { Accepted } from './memory.ts';
import type { RolloutContext, RolloutView } from './rollout-view.ts';
import { podsAt } from './sizes.ts';
import { phaseOfStep } from './step.ts';

/** So long a step may wait for room in the cluster with its clocks standing; then it fails. */
export const CAPACITY_MS = 30 * 60_000;

export interface CapacityWait {
  /** What Kubernetes says of it. */
  message: string;
  /** Nothing more is taken meanwhile. A quota stops nobody but whom the server refuses: what is freed is used at once. */
  stops: boolean;
  /** It has lasted for thirty minutes of observed time without a pod becoming available (plan, section 5). */
  tooLong: boolean;
}

/**
 * Whether a rollout waits for room: a pod of its own fits on no node, or could not be made for want of quota. A gate
 * that waits for a person fails of nothing the cluster lacks, and pods that were broken before the plan, or that belong to
 * another revision, say nothing about it.
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

/** Kubernetes ends its sentences; here they go on. */
export function withoutStop(message: string): string {
  return message.replace(/[.\s]+$/, '');
}
