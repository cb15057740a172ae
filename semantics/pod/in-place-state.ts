import type { JsonObject } from '../../schemas/wire/json.ts';
import { shortHash } from './revision-label.ts';
import { carriedChange, carriedFinalizers } from './reserved-keys.ts';
import { isObject } from '../values/json-shape.ts';
import {
  type Grace,
  type InPlaceState,
  type OwnMetadata,
  readGrace,
  readInPlaceState,
} from './annotation-shapes.ts';
import {
  GRACE_ANNOTATION,
  IN_PLACE_STATE_ANNOTATION,
  OLD_GRACE_ANNOTATION,
  OLD_STATE_ANNOTATION,
  type Pod,
  REVISION_LABEL,
} from './types.ts';

/** Cached by pod: an observed pod is immutable, and its state is read many times. */
const states = new WeakMap<Pod, { state: InPlaceState | undefined }>();

/** The state annotation; undefined: there is none, or it is invalid. An invalid one must not block a pod forever. */
export function inPlaceState(pod: Pod): InPlaceState | undefined {
  const { annotations } = pod.metadata;
  const text = annotations?.[IN_PLACE_STATE_ANNOTATION] ?? annotations?.[OLD_STATE_ANNOTATION];
  if (text === undefined) return undefined;
  let known = states.get(pod);
  if (known === undefined) {
    known = { state: parseState(text) };
    states.set(pod, known);
  }
  return known.state;
}

let last: { text: string; state: InPlaceState | undefined } = { text: '', state: undefined };

/** Caches the last text: pods that were updated together have the same one. */
function parseState(text: string): InPlaceState | undefined {
  if (text !== last.text) last = { text, state: readInPlaceState(text) };
  return last.state;
}

/** The change that waits for the end of a grace period; undefined: there is none. */
export function graceOf(pod: Pod): Grace | 'unreadable' | undefined {
  const { annotations } = pod.metadata;
  const text = annotations?.[GRACE_ANNOTATION] ?? annotations?.[OLD_GRACE_ANNOTATION];
  if (text === undefined || text === '') return undefined;
  return readGrace(text) ?? 'unreadable';
}

/** Adds to a change of annotations the removal of those with old names that the pod still has. */
export function renamed(pod: Pod, annotations: Record<string, string | null>): Record<string, string | null> {
  const old = [OLD_STATE_ANNOTATION, OLD_GRACE_ANNOTATION].filter(
    (key) => pod.metadata.annotations?.[key] !== undefined,
  );
  return { ...annotations, ...Object.fromEntries(old.map((key) => [key, null])) };
}

/** Whether the pod is in a grace period, at whose end it gets the images that belong to its labels. */
export function isInGrace(pod: Pod): boolean {
  const grace = graceOf(pod);
  return grace !== undefined && !isStaleGrace(pod, grace);
}

/**
 * Merges several changes of metadata; of one key the last value applies. All of them follow from templates, also those that
 * OpenKruise has deferred, so reserved keys are left out.
 */
export function merged(parts: readonly OwnMetadata[], patch: JsonObject = {}): JsonObject {
  const all = [patch as OwnMetadata, ...parts];
  const entriesOf = (section: 'labels' | 'annotations'): Record<string, string | null> =>
    Object.fromEntries(all.flatMap((part) => Object.entries(part[section] ?? {})));
  const { finalizers } = patch;
  return {
    ...patch,
    ...(Array.isArray(finalizers) ? { finalizers: carriedFinalizers(finalizers as string[]) } : {}),
    labels: carriedChange(entriesOf('labels'), 'labels'),
    annotations: carriedChange(entriesOf('annotations'), 'annotations'),
  };
}

/** Whether the pod was updated to another revision since its grace period started, so that the period is void. */
export function isStaleGrace(pod: Pod, grace: Grace | 'unreadable'): boolean {
  return (
    grace !== 'unreadable' &&
    shortHash(grace.revision) !== shortHash(pod.metadata.labels?.[REVISION_LABEL] ?? '')
  );
}

/** Whether part of the pod's in-place update is still to be written: after its grace period, or in a later batch. */
export function hasDeferred(pod: Pod): boolean {
  return isInGrace(pod) || hasNextBatch(inPlaceState(pod));
}

export function hasNextBatch(state: InPlaceState | undefined): boolean {
  const { nextContainerImages, nextContainerRefMetadata, nextContainerResources } = state ?? {};
  return [nextContainerImages, nextContainerRefMetadata, nextContainerResources].some(
    (next) => isObject(next) && Object.keys(next).length > 0,
  );
}
