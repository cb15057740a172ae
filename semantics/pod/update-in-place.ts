import type { PatchAction } from '../decision.ts';
import type { InPlacePatch } from '../template/inplace-images.ts';
import { drainPatch, isDrained, startPatch } from './in-place.ts';
import { condition, hasInPlaceGate } from './readiness.ts';
import { IN_PLACE_READY, type Pod } from './types.ts';

export interface InPlaceUpdate {
  change: InPlacePatch;
  /** The revision that the pod is taken to. */
  goal: { name: string; shortHash: string };
  /** Seconds that a pod is kept out of traffic before its containers change. */
  gracePeriodSeconds: number;
  /** Why the change is made now. */
  reason: string;
}

/**
 * The next write of an update in place, in two of them: drain, then change; what only changes metadata needs one. Undefined:
 * the grace period of the pod is not over.
 */
export function updateInPlace(
  pod: Pod,
  { change, goal, gracePeriodSeconds, reason }: InPlaceUpdate,
  now: number,
): PatchAction | undefined {
  const { name } = pod.metadata;
  const restarted = Object.keys(change.images).sort();
  if (restarted.length > 0 && hasInPlaceGate(pod) && !isDrained(pod)) {
    // The change itself is for another reconcile: whoever acts on what is no longer so has done no harm until then.
    return {
      do: 'patch',
      kind: 'Pod',
      verb: 'drain',
      name,
      subresource: 'status',
      body: drainPatch(pod, now),
      reason: `takes traffic away before ${restarted.join(', ')} restarts`,
    };
  }
  if (restarted.length > 0 && (graceEndsAt(pod, gracePeriodSeconds) ?? 0) > now) return undefined;
  return {
    do: 'patch',
    kind: 'Pod',
    verb: 'update in place',
    name,
    body: startPatch(pod, goal, change, now),
    reason,
    event: {
      type: 'Normal',
      reason: 'SuccessfulUpdatePodInPlace',
      message: `successfully update pod ${name} in-place(revision ${goal.name})`,
    },
  };
}

/** When the containers of a pod that was drained may change, milliseconds since 1970; undefined: it is not drained. */
export function graceEndsAt(pod: Pod, gracePeriodSeconds: number): number | undefined {
  if (!isDrained(pod)) return undefined;
  const since = Date.parse(condition(pod, IN_PLACE_READY)?.lastTransitionTime ?? '') || 0;
  return since + gracePeriodSeconds * 1000;
}
