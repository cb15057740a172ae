import type { PatchAction } from '../decision.ts';
import type { InPlacePatch } from '../template/inplace-images.ts';
import { remembered } from '../values/remembered.ts';
import { timeOf } from '../values/timestamp.ts';
import { isDrained } from './in-place.ts';
import { condition, hasInPlaceGate } from './readiness.ts';
import { drainPatch, startPatch } from './start-update.ts';
import { IN_PLACE_READY, type Pod } from './types.ts';

export interface InPlaceUpdate {
  change: InPlacePatch;
  /** The revision that the pod is updated to. */
  goal: { name: string; shortHash: string };
  /** Seconds for which the pod is drained before its containers change. */
  gracePeriodSeconds: number;
  /** Why the change is made now. */
  reason: string;
}

/**
 * The next write of an in-place update: first drain, then change. A change that restarts no container needs no drain: one of
 * metadata alone, or of resources whose resizePolicy asks for no restart (OpenKruise inplace-update, rule 6.3 step 1).
 * Undefined: the grace period of the pod is not over.
 */
export function updateInPlace(
  pod: Pod,
  { change, goal, gracePeriodSeconds, reason }: InPlaceUpdate,
  now: number,
): PatchAction | undefined {
  const { name } = pod.metadata;
  const restarted = restartedBy(change);
  if (restarted.length > 0 && hasInPlaceGate(pod) && !isDrained(pod)) {
    // The change itself waits for another reconcile: a drain that was decided on outdated objects does no harm.
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

/** The containers that a change restarts, sorted; found once, as many pods get the same change. */
const restartedBy = remembered(({ images, resize }: InPlacePatch): readonly string[] =>
  [...new Set([...Object.keys(images), ...(resize?.restarts ?? [])])].sort(),
);

/** When the containers of a pod that was drained may change, milliseconds since 1970; undefined: it is not drained. */
export function graceEndsAt(pod: Pod, gracePeriodSeconds: number): number | undefined {
  if (!isDrained(pod)) return undefined;
  const since = timeOf(condition(pod, IN_PLACE_READY)?.lastTransitionTime);
  return since + gracePeriodSeconds * 1000;
}
