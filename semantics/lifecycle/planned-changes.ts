import { isBeingUpdated } from './states.ts';
import { unexplainedOf, updatedInPlaceAt } from '../pod/in-place.ts';
import { recreatedUntil } from '../pod/recreated.ts';
import { hasUnfinishedSidecarChange, sidecarChanges } from '../pod/sidecar-changes.ts';
import type { Pod } from '../pod/types.ts';

/**
 * Restarts of all containers of a pod that no planned write has caused: neither an update in place of its owner, nor one of its
 * sidecars. Counted are those since the last planned write to each container, init containers included.
 */
export function restartsBesidesPlanned(pod: Pod): number {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  const bySets = sidecarChanges(pod);
  let restarts = 0;
  for (const { restartCount = 0 } of initContainerStatuses) restarts += restartCount;
  for (const status of containerStatuses) {
    const { name, restartCount = 0 } = status;
    const explained = bySets.restarts.get(name) ?? 0;
    restarts += Math.min(unexplainedOf(pod, status), Math.max(restartCount - explained, 0));
  }
  return restarts;
}

/** When a planned write last changed the containers of a pod, milliseconds since 1970; 0: none did. */
export function plannedChangeAt(pod: Pod): number {
  return Math.max(updatedInPlaceAt(pod) ?? 0, sidecarChanges(pod).at);
}

/**
 * Until when a planned write may be why a pod is not available, milliseconds since 1970; 0: none is. Infinity: that ends by a change of
 * the pod.
 */
export function changingUntil(pod: Pod): number {
  return isBeingUpdated(pod) || hasUnfinishedSidecarChange(pod) ? Infinity : recreatedUntil(pod);
}
