import type { JsonObject } from '../../schemas/wire/json.ts';
import {
  hasFields,
  isListOf,
  isMapOf,
  isObject,
  isOptional,
  isText,
  isWhole,
  parsedJson,
} from '../values/json-shape.ts';

/**
 * The JSON in the annotations of an in-place update. OpenKruise and this runtime write them, and any user who may patch a pod
 * can change them. The whole type is checked once, here, so that no rule reads an unexpected value.
 */

/** The state annotation of the last in-place update (OpenKruise inplace-update, section 3.1), with keys in their written order. */
export interface InPlaceState {
  revision: string;
  updateTimestamp: string;
  /** Each changed container, as its status was before the patch. */
  lastContainerStatuses: Record<string, { imageID: string }> | null;
  updateImages?: boolean;
  /** The cpu or memory of containers changes. */
  updateResources?: boolean;
  /** Labels or annotations changed that the environment of containers refers to. Only OpenKruise starts such updates. */
  updateEnvFromMetadata?: boolean;
  /**
   * Restarts of every container before the patch, to tell restarts by the update from later ones. Only this runtime writes
   * it; OpenKruise ignores it.
   */
  restartCounts?: Record<string, number>;
  /**
   * Containers that an earlier, unfinished update may still restart, with their restarts when this one started: the kubelet
   * may be stopping containers whose status is still good. Only this runtime writes it.
   */
  unsettled?: Record<string, number>;
  containerBatchesRecord?: { timestamp: string; containers: string[] }[];
  /** What is left for later batches, by container: images, labels and annotations, resources. */
  nextContainerImages?: Record<string, string> | undefined;
  nextContainerRefMetadata?: Record<string, OwnMetadata> | undefined;
  nextContainerResources?: Record<string, object> | undefined;
  /** The containers that must be ready before the next batch. */
  preCheckBeforeNext?: { containersRequiredReady?: string[] } | undefined;
}

/** A change of labels and annotations; null removes a key. */
export interface OwnMetadata {
  labels?: Record<string, string | null>;
  annotations?: Record<string, string | null>;
}

/** The change to be made when a grace period of OpenKruise is over (OpenKruise inplace-update, section 3.2). */
export interface Grace {
  revision: string;
  containerImages?: Record<string, string>;
  containerRefMetadata?: Record<string, OwnMetadata>;
  containerResources?: Record<string, object>;
  /** A strategic merge patch of labels, annotations and finalizers, in base64. */
  metaDataPatch?: string;
  graceSeconds?: number;
}

/** The most seconds in the API: an int32. */
const MAX_SECONDS = 2_147_483_647;

const isTextOrNull = (value: unknown): boolean => value === null || isText(value);
const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const isTextMap = isMapOf(isText);
const isSeconds = (value: unknown): boolean => isWhole(value) && value <= MAX_SECONDS;

/** Labels and annotations of a change. Other fields of Go's ObjectMeta are ignored. */
const isMetadata = (value: unknown): boolean =>
  hasFields(value, {
    labels: isNothingOr(isMapOf(isTextOrNull)),
    annotations: isNothingOr(isMapOf(isTextOrNull)),
  });

const isBatch = (value: unknown): boolean =>
  hasFields(value, { timestamp: isText, containers: isListOf(isText) });

const STATE = {
  revision: isText,
  updateTimestamp: isOptional(isText),
  lastContainerStatuses: isNothingOr(isMapOf((each) => hasFields(each, { imageID: isOptional(isText) }))),
  updateImages: isOptional(isFlag),
  updateResources: isOptional(isFlag),
  updateEnvFromMetadata: isOptional(isFlag),
  restartCounts: isOptional(isMapOf(isWhole)),
  unsettled: isOptional(isMapOf(isWhole)),
  containerBatchesRecord: isOptional(isListOf(isBatch)),
  nextContainerImages: isOptional(isTextMap),
  nextContainerRefMetadata: isOptional(isMapOf(isMetadata)),
  nextContainerResources: isOptional(isMapOf(isObject)),
  preCheckBeforeNext: isOptional((value) =>
    hasFields(value, { containersRequiredReady: isNothingOr(isListOf(isText)) }),
  ),
};

const GRACE = {
  revision: isText,
  containerImages: isOptional(isTextMap),
  containerRefMetadata: isOptional(isMapOf(isMetadata)),
  containerResources: isOptional(isMapOf(isObject)),
  metaDataPatch: isOptional(isText),
  graceSeconds: isOptional(isSeconds),
};

/** Parses the state annotation; undefined: it is invalid. */
export function readInPlaceState(text: string): InPlaceState | undefined {
  const state = withoutNulls(parsedJson(text), ['lastContainerStatuses']);
  if (!isObject(state)) return undefined;
  const batches = state['containerBatchesRecord'];
  // Go writes an empty list, or a time that was never set, as null.
  if (Array.isArray(batches)) state['containerBatchesRecord'] = batches.map(withoutBatchNulls);
  return hasFields(state, STATE) ? (state as object as InPlaceState) : undefined;
}

/** Parses the grace annotation; undefined: it is invalid. */
export function readGrace(text: string): Grace | undefined {
  const grace = withoutNulls(parsedJson(text), []);
  return hasFields(grace, GRACE) ? (grace as object as Grace) : undefined;
}

const FINALIZERS = ['finalizers', '$deleteFromPrimitiveList/finalizers', '$setElementOrder/finalizers'];

/**
 * Parses labels, annotations and finalizers of OpenKruise's `metaDataPatch`, a strategic merge patch in base64; undefined: it
 * is invalid. Other fields are ignored: a uid or a version in it would replace those that the patch is bound to.
 */
export function readMetadataPatch(base64: string): JsonObject | undefined {
  const patch = parsedBase64(base64);
  if (!isObject(patch)) return undefined;
  const { metadata = patch } = patch;
  if (!isMetadata(metadata) || !isObject(metadata)) return undefined;
  const found: JsonObject = {};
  for (const field of ['labels', 'annotations', ...FINALIZERS]) {
    const value = metadata[field];
    if (value === undefined || value === null) continue;
    if (FINALIZERS.includes(field) && !isListOf(isText)(value)) return undefined;
    found[field] = value as JsonObject;
  }
  return found;
}

function parsedBase64(base64: string): unknown {
  try {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    return parsedJson(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function isNothingOr(test: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || value === null || test(value);
}

/** The object without fields that are null, as Go writes them; undefined: the value is no object. */
function withoutNulls(value: unknown, nullable: readonly string[]): Record<string, unknown> | undefined {
  if (!isObject(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).filter(([field, each]) => each !== null || nullable.includes(field)),
  );
}

function withoutBatchNulls(batch: unknown): unknown {
  if (!isObject(batch)) return batch;
  return { ...batch, timestamp: batch['timestamp'] ?? '', containers: batch['containers'] ?? [] };
}
