import type { JsonObject } from '../../schemas/wire/json.ts';
import type { InPlacePatch } from '../template/inplace-images.ts';
import type { Resources } from '../template/amounts.ts';
import { timestamp } from '../values/timestamp.ts';
import type { InPlaceState } from './annotation-shapes.ts';
import { START_REASON } from './facts.ts';
import { containerStatus, isBatchComplete, unsettledContainers, withResourceVersion } from './in-place.ts';
import { hasNextBatch, inPlaceState, merged, renamed } from './in-place-state.ts';
import { firstBatch } from './launch-priority.ts';
import { carriedFinalizers } from './reserved-keys.ts';
import { mergedResources } from './resize.ts';
import {
  IN_PLACE_READY,
  IN_PLACE_STATE_ANNOTATION,
  type Pod,
  REVISION_LABEL,
  SHORT_HASH_LABEL,
} from './types.ts';
import { revisionLabel } from './revision-label.ts';
import { unreadyBy } from './unready.ts';

/**
 * The patch that drains a pod before its containers change (OpenKruise inplace-update, rule 6.3 step 2): the condition of
 * the gate becomes False, and Ready as well if the containers are ready, so that endpoints do not wait for the kubelet. A
 * strategic merge patch of the status.
 */
export function drainPatch(pod: Pod, now: number): JsonObject {
  const closed = {
    type: IN_PLACE_READY,
    status: 'False',
    reason: START_REASON,
    lastTransitionTime: timestamp(now),
  };
  return withResourceVersion(pod, {
    status: { conditions: [closed, ...unreadyBy(pod, IN_PLACE_READY, now)] as JsonObject[] },
  });
}

/**
 * The patch that updates a pod: revision labels, images and metadata, and the state annotation.
 *
 * A resize is another request, and a process may end between the two. So an update that resizes only records here what is to
 * change, images too, and the upkeep of the pod continues from the record (`deferredChange`).
 */
export function startPatch(
  pod: Pod,
  revision: { name: string; shortHash: string },
  change: InPlacePatch,
  now: number,
): JsonObject {
  const at = timestamp(now);
  // Includes what an earlier update has deferred, except what this one changes again.
  const before = inPlaceState(pod);
  const images = { ...before?.nextContainerImages, ...change.images };
  const metadata = merged([...Object.values(before?.nextContainerRefMetadata ?? {}), change.metadata]);
  const resources = mergedResources(before?.nextContainerResources, change.resize?.resources);
  const resizes = Object.keys(resources).length > 0;
  const awaited = awaitedContainers(pod, now);
  // Containers that are waited for count in the order of batches, even if they do not change again.
  const line = firstBatch(pod, [...new Set([...Object.keys(images), ...awaited])].sort());
  const containers = resizes ? [] : line.filter((name) => Object.hasOwn(images, name));
  const state: InPlaceState = { revision: revision.name, updateTimestamp: at, lastContainerStatuses: null };
  if (containers.length > 0) {
    state.lastContainerStatuses = {};
    for (const name of containers) {
      const status = containerStatus(pod, name);
      if (status?.imageID === undefined) continue;
      state.lastContainerStatuses[name] = { imageID: status.imageID };
    }
  }
  if (resizes ? Object.keys(images).length > 0 : containers.length > 0) state.updateImages = true;
  if (resizes) state.updateResources = true;
  deferRest(state, { images, resources }, containers, resizes ? awaited : line);
  state.restartCounts = Object.fromEntries(
    (pod.status?.containerStatuses ?? []).map((status) => [status.name, status.restartCount ?? 0]),
  );
  const unsettled = unsettledContainers(pod, now);
  if (unsettled !== undefined) state.unsettled = unsettled;
  if (!resizes) state.containerBatchesRecord = [{ timestamp: at, containers }];
  const patch: JsonObject = {
    metadata: {
      labels: {
        ...(metadata['labels'] as JsonObject),
        [REVISION_LABEL]: revisionLabel(revision),
        [SHORT_HASH_LABEL]: revision.shortHash,
      },
      annotations: renamed(pod, {
        ...(metadata['annotations'] as Record<string, string | null>),
        [IN_PLACE_STATE_ANNOTATION]: JSON.stringify(state),
      }),
      ...(change.metadata.finalizers ? { finalizers: carriedFinalizers(change.metadata.finalizers) } : {}),
      ...(change.metadata.removedFinalizers
        ? { '$deleteFromPrimitiveList/finalizers': change.metadata.removedFinalizers }
        : {}),
    },
  };
  if (containers.length > 0) {
    patch['spec'] = { containers: containers.map((name) => ({ name, image: images[name] ?? '' })) };
  }
  return withResourceVersion(pod, patch);
}

/** What changes of containers, by their names. */
export interface ContainerChanges {
  images: Readonly<Record<string, string>>;
  resources: Readonly<Record<string, Resources>>;
}

/** Containers that the next batch of an update waits for: they are not ready, or not known to have been restarted. */
function awaitedContainers(pod: Pod, now: number): string[] {
  const state = inPlaceState(pod);
  if (!hasNextBatch(state)) return [];
  const required = state?.preCheckBeforeNext?.containersRequiredReady ?? [];
  const isComplete = isBatchComplete(pod, now);
  return required.filter((name) => !isComplete || containerStatus(pod, name)?.ready !== true);
}

/**
 * Defers the containers that are not in this batch to a later one, which starts when those before it are ready (OpenKruise
 * inplace-update, rule 6.4 steps 3 and 6). Writes to `state`.
 *
 * @param first the containers before it: this batch, and what an earlier one has left unfinished
 */
export function deferRest(
  state: InPlaceState,
  { images, resources }: ContainerChanges,
  batch: readonly string[],
  first: readonly string[] = batch,
): void {
  const left = <Value>(changes: Readonly<Record<string, Value>>): Record<string, Value> | undefined => {
    const rest = Object.entries(changes).filter(([name]) => !batch.includes(name));
    return rest.length === 0 ? undefined : Object.fromEntries(rest.sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  const [nextImages, nextResources] = [left(images), left(resources)];
  if (nextImages !== undefined) state.nextContainerImages = nextImages;
  if (nextResources !== undefined) state.nextContainerResources = nextResources;
  if ((nextImages ?? nextResources) === undefined || first.length === 0) return;
  state.preCheckBeforeNext = { containersRequiredReady: [...first].sort() };
}
