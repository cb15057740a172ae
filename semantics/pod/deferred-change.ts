import type { JsonObject } from '../../schemas/wire/json.ts';
import { type Grace, type InPlaceState, readMetadataPatch } from './annotation-shapes.ts';
import { factsOf } from './facts.ts';
import { containerStatus, withResourceVersion, isBatchComplete } from './in-place.ts';
import { graceOf, hasNextBatch, inPlaceState, isStaleGrace, merged, renamed } from './in-place-state.ts';
import { firstBatch } from './launch-priority.ts';
import { isToBeResized, mergedResources, resizeSpec } from './resize.ts';
import { type ContainerChanges, deferRest } from './start-update.ts';
import { timeOf, timestamp } from '../values/timestamp.ts';
import {
  GRACE_ANNOTATION,
  IN_PLACE_STATE_ANNOTATION,
  OLD_GRACE_ANNOTATION,
  OLD_STATE_ANNOTATION,
  type Pod,
} from './types.ts';
import { memberOf } from '../values/read.ts';

/**
 * What to do about the deferred part of an in-place update. `resize`: the patch of `pods/resize` that comes before that of the
 * pod. `until`: when to decide again even if nothing changes, milliseconds since 1970.
 */
export type DeferredChange =
  | { do: 'patch'; verb: string; body: JsonObject; resize?: JsonObject; reason: string }
  | { do: 'wait'; until: number | undefined };

/**
 * What to do about the deferred change of a pod; undefined: it has none. OpenKruise starts an in-place update with the labels
 * of the pod, and may defer its images: until a grace period is over, or until the containers of higher launch priority are
 * ready (OpenKruise inplace-update, rules 6.4 and 6.5). Such a pod is drained, and counts as being on its new revision. So an
 * adopted pod must be finished. An update that resizes is deferred as a whole when this runtime starts it: as long as no batch
 * is recorded, it waits for nothing.
 *
 * @param canResize whether running containers can be resized in this cluster
 */
export function deferredChange(pod: Pod, now: number, canResize = true): DeferredChange | undefined {
  if (!factsOf(pod).mayHaveDeferred) return undefined;
  const state = inPlaceState(pod);
  const grace = graceOf(pod);
  if (grace !== undefined) {
    if (isStaleGrace(pod, grace)) return dropGrace(pod);
    if (grace === 'unreadable' || state === undefined || stuckBy(pod, canResize) !== undefined)
      return waitForever;
    return afterGrace(pod, grace, state, now);
  }
  if (state === undefined || !hasNextBatch(state)) return undefined;
  const required = state.preCheckBeforeNext?.containersRequiredReady ?? [];
  if (stuckBy(pod, canResize) !== undefined) return waitForever;
  const isStarted = (state.containerBatchesRecord ?? []).length > 0;
  const isReady = required.every((name) => containerStatus(pod, name)?.ready === true);
  if (isStarted && !(isReady && isBatchComplete(pod, now))) return waitForever;
  const change = {
    images: state.nextContainerImages ?? {},
    resources: mergedResources(state.nextContainerResources, undefined),
    metadata: merged(Object.values(state.nextContainerRefMetadata ?? {})),
    awaited: isStarted ? [] : required,
  };
  const patches = batchPatch(pod, state, change, now);
  return {
    do: 'patch',
    verb: verbOf(patches.body, isStarted),
    ...patches,
    reason: isStarted
      ? 'the containers that must be ready first are ready'
      : `its update to ${state.revision} is recorded`,
  };
}

/**
 * Why the deferred change of a pod can never be written, as a clause that names the annotation; undefined: it can. The pod
 * stays out of traffic until a user fixes it.
 */
export function stuckBy(pod: Pod, canResize = true): string | undefined {
  if (!factsOf(pod).mayHaveDeferred) return undefined;
  const [graceKey, stateKey] = annotationKeys(pod);
  const state = inPlaceState(pod);
  const grace = graceOf(pod);
  if (grace === undefined) {
    return asksForResources(state?.nextContainerResources) && !canResize
      ? `its annotation ${stateKey} asks for other resources, ${UNSERVED}`
      : undefined;
  }
  if (grace === 'unreadable') return `its annotation ${graceKey} cannot be read`;
  if (isStaleGrace(pod, grace)) return undefined;
  if (state === undefined)
    return `its annotation ${stateKey} is missing or cannot be read, and ${graceKey} needs it`;
  if (metadataPatchOf(grace) === undefined)
    return `metaDataPatch of its annotation ${graceKey} cannot be read`;
  if (asksForResources(grace.containerResources) && !canResize)
    return `its annotation ${graceKey} asks for other resources, ${UNSERVED}`;
  return undefined;
}

const UNSERVED = 'and this cluster does not let the runtime patch pods/resize';

/** The keys of the annotations for grace period and state on this pod: the present or the old ones. */
function annotationKeys({ metadata: { annotations = {} } }: Pod): readonly [grace: string, state: string] {
  const named = (key: string, old: string): string =>
    annotations[key] === undefined && annotations[old] !== undefined ? old : key;
  return [
    named(GRACE_ANNOTATION, OLD_GRACE_ANNOTATION),
    named(IN_PLACE_STATE_ANNOTATION, OLD_STATE_ANNOTATION),
  ];
}

/** What a write of the pod does. Where it changes no image, the containers were resized by the request before. */
function verbOf(body: JsonObject, isStarted: boolean): string {
  const next = isStarted ? 'next ' : '';
  return body['spec'] === undefined ? `record ${next}resize` : `update ${next}containers`;
}

const waitForever: DeferredChange = { do: 'wait', until: undefined };

function afterGrace(pod: Pod, grace: Grace, state: InPlaceState, now: number): DeferredChange {
  const until = timeOf(state.updateTimestamp) + (grace.graceSeconds ?? 0) * 1000;
  if (until > now) return { do: 'wait', until };
  const patch = metadataPatchOf(grace) ?? {};
  const metadata = merged(Object.values(grace.containerRefMetadata ?? {}), patch);
  const change = {
    images: grace.containerImages ?? {},
    resources: mergedResources(grace.containerResources, undefined),
    metadata,
    awaited: [],
  };
  return {
    do: 'patch',
    verb: 'end grace period',
    ...batchPatch(pod, state, change, now),
    reason: `it started ${state.updateTimestamp} and is over`,
  };
}

/** The patch for a pod that was updated to another revision since its grace period started. */
function dropGrace(pod: Pod): DeferredChange {
  return {
    do: 'patch',
    verb: 'drop grace period',
    body: withResourceVersion(pod, { metadata: { annotations: renamed(pod, { [GRACE_ANNOTATION]: null }) } }),
    reason: 'the pod was updated to another revision since it started',
  };
}

/** Whether the change is about resources. */
function asksForResources(resources: Record<string, object> | undefined): boolean {
  return Object.keys(resources ?? {}).length > 0;
}

/** The metadata patch of a deferred change; undefined: it is invalid. */
function metadataPatchOf({ metaDataPatch }: Grace): JsonObject | undefined {
  return metaDataPatch === undefined ? {} : readMetadataPatch(metaDataPatch);
}

/**
 * The patch that updates the next containers, and records in the state annotation what they were before; and the patch that
 * resizes them first, unless that was sent before.
 *
 * `awaited`: containers that count in the order of batches, although they do not change.
 */
function batchPatch(
  pod: Pod,
  before: InPlaceState,
  change: ContainerChanges & { metadata: JsonObject; awaited: readonly string[] },
  now: number,
): { body: JsonObject; resize?: JsonObject } {
  const { images, resources, metadata, awaited } = change;
  const names = [...Object.keys(images), ...Object.keys(resources), ...awaited];
  const line = firstBatch(pod, [...new Set(names)].sort());
  const containers = line.filter((name) => Object.hasOwn(images, name) || Object.hasOwn(resources, name));
  const restarted = containers.filter((name) => Object.hasOwn(images, name));
  const resized = containers.filter((name) => Object.hasOwn(resources, name));
  // A process that ends after each resize would never come to the pod: what has been sent is not sent again.
  const unsent = resized.filter((name) => isToBeResized(pod, name, resources[name] ?? {}));
  // Keys that are undefined are not written.
  const state: InPlaceState = {
    ...before,
    nextContainerImages: undefined,
    nextContainerRefMetadata: undefined,
    nextContainerResources: undefined,
    preCheckBeforeNext: undefined,
  };
  for (const name of restarted) {
    const imageID = containerStatus(pod, name)?.imageID;
    if (imageID === undefined || memberOf(state.lastContainerStatuses, name) !== undefined) continue;
    state.lastContainerStatuses = { ...state.lastContainerStatuses, [name]: { imageID } };
  }
  if (restarted.length > 0) state.updateImages = true;
  if (resized.length > 0) state.updateResources = true;
  deferRest(state, change, containers, line);
  const changed = [...new Set([...containers, ...Object.keys(before.nextContainerRefMetadata ?? {})])].sort();
  state.containerBatchesRecord = [
    ...(state.containerBatchesRecord ?? []),
    { timestamp: timestamp(now), containers: changed },
  ];
  const annotations = renamed(pod, {
    ...(metadata['annotations'] as Record<string, string | null>),
    [IN_PLACE_STATE_ANNOTATION]: JSON.stringify(state),
    [GRACE_ANNOTATION]: null,
  });
  const patch: JsonObject = { metadata: { ...metadata, annotations } };
  if (restarted.length > 0)
    patch['spec'] = { containers: restarted.map((name) => ({ name, image: images[name] ?? '' })) };
  const body = withResourceVersion(pod, patch);
  if (unsent.length === 0) return { body };
  const given = Object.fromEntries(unsent.map((name) => [name, resources[name] ?? {}]));
  return { body, resize: withResourceVersion(pod, { spec: resizeSpec(given) }) };
}
