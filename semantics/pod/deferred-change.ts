import type { JsonObject } from '../../schemas/wire/json.ts';
import { type Grace, type InPlaceState, readMetadataPatch } from './annotation-shapes.ts';
import { factsOf } from './facts.ts';
import { containerStatus, withResourceVersion, isBatchComplete, deferRest } from './in-place.ts';
import { graceOf, hasNextBatch, inPlaceState, isStaleGrace, merged, renamed } from './in-place-state.ts';
import { firstBatch } from './launch-priority.ts';
import { timestamp } from '../values/timestamp.ts';
import {
  GRACE_ANNOTATION,
  IN_PLACE_STATE_ANNOTATION,
  OLD_GRACE_ANNOTATION,
  OLD_STATE_ANNOTATION,
  type Pod,
} from './types.ts';

/**
 * What is to be done about the part of an update in place that OpenKruise has put off. `until`: when that may change
 * though nothing happens, milliseconds since 1970.
 */
export type DeferredChange =
  { do: 'patch'; verb: string; body: JsonObject; reason: string } | { do: 'wait'; until: number | undefined };

/**
 * OpenKruise begins an update in place with the pod's labels, and may leave its images for later: until a grace period is
 * over, or until the containers of higher launch priority are ready (OpenKruise inplace-update, rules 6.4 and 6.5). Such a
 * pod is out of traffic, and counts as being on its new revision: whoever takes it over has to bring it to an end.
 * Undefined: nothing is put off.
 */
export function deferredChange(pod: Pod, now: number): DeferredChange | undefined {
  if (!factsOf(pod).mayHaveDeferred) return undefined;
  const state = inPlaceState(pod);
  const grace = graceOf(pod);
  if (grace !== undefined) {
    if (isStaleGrace(pod, grace)) return drop(pod);
    if (grace === 'unreadable' || state === undefined || stuckBy(pod) !== undefined) return forEver;
    return afterGrace(pod, grace, state, now);
  }
  if (state === undefined || !hasNextBatch(state)) return undefined;
  const required = state.preCheckBeforeNext?.containersRequiredReady ?? [];
  const isReady = required.every((name) => containerStatus(pod, name)?.ready === true);
  if (!isReady || !isBatchComplete(pod, now) || stuckBy(pod) !== undefined) return forEver;
  const change = {
    images: state.nextContainerImages ?? {},
    metadata: merged(Object.values(state.nextContainerRefMetadata ?? {})),
  };
  const reason = 'the containers that must be ready first are ready';
  return { do: 'patch', verb: 'update next containers', body: batchPatch(pod, state, change, now), reason };
}

/**
 * What keeps the put-off part of a pod's update from ever being written, as a clause that names the annotation: the pod
 * stays out of traffic until somebody does something about it. Undefined: nothing does.
 */
export function stuckBy(pod: Pod): string | undefined {
  if (!factsOf(pod).mayHaveDeferred) return undefined;
  const [graceKey, stateKey] = annotationKeys(pod);
  const state = inPlaceState(pod);
  const grace = graceOf(pod);
  if (grace === undefined) {
    return asksForResources(state?.nextContainerResources)
      ? `its annotation ${stateKey} asks for other resources, which are not changed here`
      : undefined;
  }
  if (grace === 'unreadable') return `its annotation ${graceKey} cannot be read`;
  if (isStaleGrace(pod, grace)) return undefined;
  if (state === undefined)
    return `its annotation ${stateKey} is missing or cannot be read, and ${graceKey} needs it`;
  if (metadataPatchOf(grace) === undefined)
    return `metaDataPatch of its annotation ${graceKey} cannot be read`;
  if (asksForResources(grace.containerResources))
    return `its annotation ${graceKey} asks for other resources, which are not changed here`;
  return undefined;
}

/** What the annotations of grace period and state are called on this pod. */
function annotationKeys({ metadata: { annotations = {} } }: Pod): readonly [grace: string, state: string] {
  const named = (key: string, old: string): string =>
    annotations[key] === undefined && annotations[old] !== undefined ? old : key;
  return [
    named(GRACE_ANNOTATION, OLD_GRACE_ANNOTATION),
    named(IN_PLACE_STATE_ANNOTATION, OLD_STATE_ANNOTATION),
  ];
}

const forEver: DeferredChange = { do: 'wait', until: undefined };

function afterGrace(pod: Pod, grace: Grace, state: InPlaceState, now: number): DeferredChange {
  const until = (Date.parse(state.updateTimestamp) || 0) + (grace.graceSeconds ?? 0) * 1000;
  if (until > now) return { do: 'wait', until };
  const patch = metadataPatchOf(grace) ?? {};
  const metadata = merged(Object.values(grace.containerRefMetadata ?? {}), patch);
  const change = { images: grace.containerImages ?? {}, metadata };
  const body = batchPatch(pod, state, change, now);
  return {
    do: 'patch',
    verb: 'end grace period',
    body,
    reason: `it started ${state.updateTimestamp} and is over`,
  };
}

/** The pod goes another way by now. */
function drop(pod: Pod): DeferredChange {
  return {
    do: 'patch',
    verb: 'drop grace period',
    body: withResourceVersion(pod, { metadata: { annotations: renamed(pod, { [GRACE_ANNOTATION]: null }) } }),
    reason: 'the pod was updated to another revision since it started',
  };
}

/** Resources of running containers are not changed here. */
function asksForResources(resources: Record<string, object> | undefined): boolean {
  return Object.keys(resources ?? {}).length > 0;
}

/** Undefined: it cannot be read. */
function metadataPatchOf({ metaDataPatch }: Grace): JsonObject | undefined {
  return metaDataPatch === undefined ? {} : readMetadataPatch(metaDataPatch);
}

/** The next containers get what waits for them, and the state tells what they were before. */
function batchPatch(
  pod: Pod,
  before: InPlaceState,
  { images, metadata }: { images: Record<string, string>; metadata: JsonObject },
  now: number,
): JsonObject {
  const containers = firstBatch(pod, Object.keys(images).sort());
  // Keys that are undefined are not written.
  const state: InPlaceState = {
    ...before,
    nextContainerImages: undefined,
    nextContainerRefMetadata: undefined,
    nextContainerResources: undefined,
    preCheckBeforeNext: undefined,
  };
  for (const name of containers) {
    const imageID = containerStatus(pod, name)?.imageID;
    if (imageID === undefined || state.lastContainerStatuses?.[name] !== undefined) continue;
    state.lastContainerStatuses = { ...state.lastContainerStatuses, [name]: { imageID } };
  }
  if (containers.length > 0) state.updateImages = true;
  deferRest(state, images, containers);
  const touched = [...new Set([...containers, ...Object.keys(before.nextContainerRefMetadata ?? {})])].sort();
  state.containerBatchesRecord = [
    ...(state.containerBatchesRecord ?? []),
    { timestamp: timestamp(now), containers: touched },
  ];
  const annotations = renamed(pod, {
    ...(metadata['annotations'] as Record<string, string | null>),
    [IN_PLACE_STATE_ANNOTATION]: JSON.stringify(state),
    [GRACE_ANNOTATION]: null,
  });
  const patch: JsonObject = { metadata: { ...metadata, annotations } };
  if (containers.length > 0)
    patch['spec'] = { containers: containers.map((name) => ({ name, image: images[name] ?? '' })) };
  return withResourceVersion(pod, patch);
}
