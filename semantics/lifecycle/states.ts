import type { JsonObject } from '../../schemas/wire/json.ts';
import type { EventDraft, PatchAction } from '../decision.ts';
import { factsOf } from '../pod/facts.ts';
import { isDrained, withResourceVersion } from '../pod/in-place.ts';
import { LIFECYCLE_LABEL, LIFECYCLE_TIME_ANNOTATION, type Pod } from '../pod/types.ts';
import { timestamp } from '../values/timestamp.ts';
import { isWhole, type Lifecycle } from './hooks.ts';

/** The states of a pod (OpenKruise inplace-update, section 5). A pod in any other state than Normal is not available. */
export type LifecycleState =
  | 'PreparingNormal'
  | 'Normal'
  | 'PreparingUpdate'
  | 'Updating'
  | 'Updated'
  | 'PreparingDelete';

/** The labels and annotations that record a state. */
export function stateMetadata(
  state: LifecycleState,
  now: number,
): { labels: Record<string, string>; annotations: Record<string, string> } {
  return {
    labels: { [LIFECYCLE_LABEL]: state },
    annotations: { [LIFECYCLE_TIME_ANNOTATION]: timestamp(now) },
  };
}

/** Records the state of a pod. */
export function setState(
  pod: Pod,
  state: LifecycleState,
  { reason, event, more = {} }: { reason: string; event?: EventDraft; more?: JsonObject },
  now: number,
): PatchAction {
  const { labels, annotations } = stateMetadata(state, now);
  const metadata = { ...more, labels: { ...(more['labels'] as JsonObject), ...labels }, annotations };
  return {
    do: 'patch',
    kind: 'Pod',
    name: pod.metadata.name,
    verb: `set lifecycle ${state}`,
    body: withResourceVersion(pod, { metadata }),
    reason,
    ...(event === undefined ? {} : { event }),
  };
}

/** The state in which a pod is created: PreparingNormal if the hook preNormal lacks a handler on it, else Normal. */
export function firstState({ preNormal }: Lifecycle, pod: Pick<Pod, 'metadata'>): LifecycleState {
  return preNormal === undefined || isWhole(preNormal, pod) ? 'Normal' : 'PreparingNormal';
}

/** The state after an update: Updated until every handler of the hook is on the pod again, else Normal. */
function afterUpdate({ inPlaceUpdate }: Lifecycle, pod: Pod): LifecycleState {
  return inPlaceUpdate === undefined || isWhole(inPlaceUpdate, pod) ? 'Normal' : 'Updated';
}

/** What the next state of a pod depends on, beyond the pod and the hooks. */
export interface Course {
  /** The pod is to be deleted. */
  leaves: boolean;
  /** The pod is prepared for an update that is still to come. */
  waitsForUpdate: boolean;
  /** Its last update in place is complete. */
  isComplete: boolean;
}

/**
 * The state that a pod enters by itself (OpenKruise inplace-update, rule 6.9, "refresh"); undefined: it stays in its state.
 * It includes states that OpenKruise left unfinished.
 *
 * Two deviations: a pod that was prepared for an update or a deletion that does not come returns at once, and without the
 * hook inPlaceUpdate an updated pod becomes Normal without being Updated first.
 */
export function nextState(lifecycle: Lifecycle, pod: Pod, course: Course): LifecycleState | undefined {
  if (!course.isComplete || !factsOf(pod).scheduled) return undefined;
  switch (factsOf(pod).lifecycle) {
    case 'PreparingDelete':
      return course.leaves ? undefined : firstState(lifecycle, pod);
    case 'PreparingNormal':
      return firstState(lifecycle, pod) === 'Normal' ? 'Normal' : undefined;
    case 'PreparingUpdate':
      return course.waitsForUpdate ? undefined : afterUpdate(lifecycle, pod);
    case 'Updating':
      return afterUpdate(lifecycle, pod);
    case 'Updated':
      return afterUpdate(lifecycle, pod) === 'Normal' ? 'Normal' : undefined;
    case undefined:
    default:
      return undefined;
  }
}

/** Whether a pod waits for its deletion: it no longer counts on the side of its revision (OpenKruise workloads, rule 6.3). */
export function isPreparingDelete(pod: Pod): boolean {
  return factsOf(pod).lifecycle === 'PreparingDelete';
}

export function isPreparingUpdate(pod: Pod): boolean {
  return factsOf(pod).lifecycle === 'PreparingUpdate';
}

/** Whether an update of a pod has begun, and its containers have yet to change: it comes before other updates. */
export function isBegun(pod: Pod): boolean {
  const { drained, lifecycle } = factsOf(pod);
  return drained || lifecycle === 'PreparingUpdate';
}

/** Whether an update is why a pod is not available. */
export function isBeingUpdated(pod: Pod): boolean {
  return isDrained(pod) || ['PreparingUpdate', 'Updating', 'Updated'].includes(factsOf(pod).lifecycle ?? '');
}
