import type { Action, Explanation, PatchAction } from '../decision.ts';
import {
  conditionsPatch,
  withResourceVersion,
  isDrained,
  isInPlaceUpdateComplete,
  needsReadyGate,
  openGate,
} from './in-place.ts';
import { kruiseReadyCondition } from './kruise-ready.ts';
import { deferredChange, stuckBy } from './deferred-change.ts';
import { timestamp } from '../values/timestamp.ts';
import {
  KRUISE_POD_READY,
  LIFECYCLE_LABEL,
  LIFECYCLE_TIME_ANNOTATION,
  type Pod,
  SHORT_HASH_LABEL,
} from './types.ts';

/** What the upkeep of a pod asks the kind that owns it. */
export interface PodUpkeepInput {
  /** It was drained for an update that is still to come, and stays out of traffic. */
  waitsForUpdate(pod: Pod): boolean;
  /** It is to be deleted. */
  isLeaving(pod: Pod): boolean;
  /** The short hash of the revision that it is on; undefined: no revision object is left of it. */
  shortHashOf(pod: Pod): string | undefined;
  now: number;
}

/**
 * What is to be written on pods whatever happens to their owner (OpenKruise workloads, rule 6.5 step 1), paused or not:
 * carries on what OpenKruise has begun, opens the gates when an in-place update is complete, turns a scheduled pod Normal,
 * fills in the short hash. Of several things the first is done; the next reconcile does the next one.
 *
 * @param unsettled the pods that there is something to do about, or may be later
 */
export function upkeep(unsettled: readonly Pod[], ask: PodUpkeepInput): Action[] {
  return unsettled.flatMap((pod) => upkeepOf(pod, ask) ?? []);
}

function upkeepOf(pod: Pod, ask: PodUpkeepInput): PatchAction | undefined {
  const { now } = ask;
  const labels = pod.metadata.labels ?? {};
  const base = { do: 'patch', kind: 'Pod', name: pod.metadata.name } as const;
  const passes =
    isPassing(labels[LIFECYCLE_LABEL], !ask.isLeaving(pod)) &&
    Boolean(pod.spec.nodeName) &&
    isInPlaceUpdateComplete(pod, now);
  const later = deferredChange(pod, now);
  const ready = needsReadyGate(pod, now) && !ask.waitsForUpdate(pod) ? openGate(now) : undefined;
  const gates = [ready, kruiseReadyCondition(pod, now)].filter((gate) => gate !== undefined);
  if (later?.do === 'patch') return { ...base, verb: later.verb, body: later.body, reason: later.reason };
  if (gates.length > 0 && pod.spec.nodeName) {
    const reason = isDrained(pod) ? 'its update in place is complete' : 'nothing blocks its traffic';
    return {
      ...base,
      verb: 'open readiness gate',
      subresource: 'status',
      body: conditionsPatch(pod, gates),
      reason: ready === undefined ? `nothing blocks ${KRUISE_POD_READY}` : reason,
      ...(passes ? { next: toNormal(pod, now) } : {}),
    };
  }
  if (passes) return toNormal(pod, now);
  if (labels[SHORT_HASH_LABEL] !== undefined) return undefined;
  const shortHash = ask.shortHashOf(pod);
  if (shortHash === undefined) return undefined;
  const body = withResourceVersion(pod, { metadata: { labels: { [SHORT_HASH_LABEL]: shortHash } } });
  return { ...base, verb: 'label', body, reason: `lacks ${SHORT_HASH_LABEL}` };
}

/**
 * States that lead to Normal where no hook holds a pod back, those included that OpenKruise left behind half-way: of those
 * that it was about to delete, the ones that stay.
 */
function isPassing(state: string | undefined, stays: boolean): boolean {
  if (state === 'PreparingDelete') return stays;
  return ['PreparingNormal', 'PreparingUpdate', 'Updating', 'Updated'].includes(state ?? '');
}

function toNormal(pod: Pod, now: number): PatchAction {
  const metadata = {
    labels: { [LIFECYCLE_LABEL]: 'Normal' },
    annotations: { [LIFECYCLE_TIME_ANNOTATION]: timestamp(now) },
  };
  return {
    do: 'patch',
    kind: 'Pod',
    name: pod.metadata.name,
    verb: 'set lifecycle Normal',
    body: withResourceVersion(pod, { metadata }),
    reason: 'nothing blocks it',
  };
}

/** Pods whose update cannot be ended by what is known here. */
export function stuckPods(unsettled: readonly Pod[]): Explanation[] {
  return unsettled.flatMap((pod) => {
    const stuck = stuckBy(pod);
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
