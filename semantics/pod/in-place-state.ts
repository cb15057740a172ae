import type { JsonObject } from '../../schemas/wire/json.ts';
import { shortHash } from '../revision/revisions.ts';
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

/** A pod is immutable once seen, and its state is asked for many times. */
const states = new WeakMap<Pod, { state: InPlaceState | undefined }>();

/** The state annotation, or undefined when there is none or it cannot be read: an unreadable one must not block for ever. */
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

/** Pods that are taken together have the same to tell. */
function parseState(text: string): InPlaceState | undefined {
  if (text !== last.text) last = { text, state: readInPlaceState(text) };
  return last.state;
}

/** The change that waits for the end of a grace period; undefined: none does. What cannot be read waits for ever. */
export function graceOf(pod: Pod): Grace | 'unreadable' | undefined {
  const { annotations } = pod.metadata;
  const text = annotations?.[GRACE_ANNOTATION] ?? annotations?.[OLD_GRACE_ANNOTATION];
  if (text === undefined || text === '') return undefined;
  return readGrace(text) ?? 'unreadable';
}

/** Annotations as they are to be, and those of the old names gone that the pod still has. */
export function renamed(pod: Pod, annotations: Record<string, string | null>): Record<string, string | null> {
  const old = [OLD_STATE_ANNOTATION, OLD_GRACE_ANNOTATION].filter(
    (key) => pod.metadata.annotations?.[key] !== undefined,
  );
  return { ...annotations, ...Object.fromEntries(old.map((key) => [key, null])) };
}

/** A grace period is under way, at whose end the pod gets what its labels say already. */
export function isInGrace(pod: Pod): boolean {
  const grace = graceOf(pod);
  return grace !== undefined && !isStaleGrace(pod, grace);
}

/**
 * One change of metadata out of the pod's own and several others, of which the last one wins. All of them follow from
 * templates, also those that OpenKruise has left for later: a reserved key is in none of them.
 */
export function merged(parts: readonly OwnMetadata[], patch: JsonObject = {}): JsonObject {
  const all = [patch as OwnMetadata, ...parts];
  const whole = (section: 'labels' | 'annotations'): Record<string, string | null> =>
    Object.fromEntries(all.flatMap((part) => Object.entries(part[section] ?? {})));
  const { finalizers } = patch;
  return {
    ...patch,
    ...(Array.isArray(finalizers) ? { finalizers: carriedFinalizers(finalizers as string[]) } : {}),
    labels: carriedChange(whole('labels'), 'labels'),
    annotations: carriedChange(whole('annotations'), 'annotations'),
  };
}

/** The pod has been taken to another revision since its grace period began, which has no meaning any more. */
export function isStaleGrace(pod: Pod, grace: Grace | 'unreadable'): boolean {
  return (
    grace !== 'unreadable' &&
    shortHash(grace.revision) !== shortHash(pod.metadata.labels?.[REVISION_LABEL] ?? '')
  );
}

/** Something of the pod's update in place has not been written into the pod yet: its grace period, or a later batch. */
export function hasDeferred(pod: Pod): boolean {
  return isInGrace(pod) || hasNextBatch(inPlaceState(pod));
}

export function hasNextBatch(state: InPlaceState | undefined): boolean {
  const { nextContainerImages, nextContainerRefMetadata, nextContainerResources } = state ?? {};
  return [nextContainerImages, nextContainerRefMetadata, nextContainerResources].some(
    (next) => isObject(next) && Object.keys(next).length > 0,
  );
}
