import type { Action, Explanation, PatchAction } from '../decision.ts';
import {
  conditionsPatch,
  withResourceVersion,
  isDrained,
  isInPlaceUpdateComplete,
  needsReadyGate,
  openGate,
} from '../pod/in-place.ts';
import { kruiseReadyCondition } from '../pod/kruise-ready.ts';
import { deferredChange, stuckBy } from '../pod/deferred-change.ts';
import type { Lifecycle } from './hooks.ts';
import { nextState } from './states.ts';
import { enterState } from './transitions.ts';
import { factsOf } from '../pod/facts.ts';
import { KRUISE_POD_READY, type Pod, SHORT_HASH_LABEL } from '../pod/types.ts';

/** What the upkeep of pods needs to know from their kind. */
export interface PodUpkeepInput {
  lifecycle: Lifecycle;
  /** Whether the pod was drained or prepared for an update that is still to come, and must stay so. */
  waitsForUpdate(pod: Pod): boolean;
  /** Whether the pod is to be deleted. */
  isLeaving(pod: Pod): boolean;
  /** The short hash of the revision that the pod is on; undefined: that revision has no object. */
  shortHashOf(pod: Pod): string | undefined;
  /** Whether running containers can be resized in this cluster. */
  canResize: boolean;
  now: number;
}

/**
 * The writes that pods need even if their target is paused (OpenKruise workloads, rule 6.5 step 1): finish updates that have
 * been started, open the gates when an in-place update is complete, set the next lifecycle state of a scheduled
 * pod, and add the short hash. At most one of these is done for each pod in one reconcile.
 *
 * @param unsettled the pods that may need a write, now or later
 */
export function upkeep(unsettled: readonly Pod[], input: PodUpkeepInput): Action[] {
  return unsettled.flatMap((pod) => upkeepOf(pod, input) ?? []);
}

function upkeepOf(pod: Pod, input: PodUpkeepInput): PatchAction | undefined {
  const { now } = input;
  const labels = pod.metadata.labels ?? {};
  const base = { do: 'patch', kind: 'Pod', name: pod.metadata.name } as const;
  const waitsForUpdate = input.waitsForUpdate(pod);
  const course = {
    leaves: input.isLeaving(pod),
    waitsForUpdate,
    isComplete: isInPlaceUpdateComplete(pod, now),
  };
  const state = nextState(input.lifecycle, pod, course);
  const becomes = state === undefined ? undefined : enterState(input.lifecycle, pod, state, now);
  const later = deferredChange(pod, now, input.canResize);
  const ready = needsReadyGate(pod, now) && !waitsForUpdate ? openGate(now) : undefined;
  const kruise = kruiseReadyCondition(pod, state ?? factsOf(pod).lifecycle, now);
  const gates = [ready, kruise].filter((gate) => gate !== undefined);
  if (later?.do === 'patch') {
    const { verb, body, resize, reason } = later;
    const change: PatchAction = { ...base, verb, body, reason };
    return resize === undefined
      ? change
      : { ...base, verb: 'resize', subresource: 'resize', body: resize, reason, next: change };
  }
  if (gates.length > 0 && pod.spec.nodeName) {
    const reason = isDrained(pod) ? 'its update in place is complete' : 'nothing blocks its traffic';
    return {
      ...base,
      verb: `set ${gates.map(({ type, status }) => `${type}=${status}`).join(' and ')}`,
      subresource: 'status',
      body: conditionsPatch(pod, gates),
      reason: ready === undefined ? `nothing blocks ${KRUISE_POD_READY}` : reason,
      ...(becomes === undefined ? {} : { next: becomes }),
    };
  }
  if (becomes !== undefined) return becomes;
  if (labels[SHORT_HASH_LABEL] !== undefined) return undefined;
  const shortHash = input.shortHashOf(pod);
  if (shortHash === undefined) return undefined;
  const body = withResourceVersion(pod, { metadata: { labels: { [SHORT_HASH_LABEL]: shortHash } } });
  return { ...base, verb: 'label', body, reason: `lacks ${SHORT_HASH_LABEL}` };
}

/** Explains which pods have an update that can never finish. */
export function stuckPods(unsettled: readonly Pod[], canResize: boolean): Explanation[] {
  return unsettled.flatMap((pod) => {
    const stuck = stuckBy(pod, canResize);
    const about = pod.metadata.name;
    return stuck === undefined
      ? []
      : [
          {
            about,
            reason: `stays out of traffic: ${stuck}`,
            failure: `the update of pod ${about} cannot finish: ${stuck}`,
          },
        ];
  });
}
