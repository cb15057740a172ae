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
 * What the annotations of an update in place must look like to be believed. OpenKruise and this project write them, and
 * anybody who may patch a pod can change them: the whole shape is checked once, here, so that no rule meets another one.
 */

/** What the state annotation remembers of the last in-place update (section 3.1), keys in the order it is written. */
export interface InPlaceState {
  revision: string;
  updateTimestamp: string;
  /** Each changed container as reported before the patch. */
  lastContainerStatuses: Record<string, { imageID: string }> | null;
  updateImages?: boolean;
  /** Labels or annotations changed that the environment of containers is read from: OpenKruise's; here it is never begun. */
  updateEnvFromMetadata?: boolean;
  /**
   * Restarts of every container before the patch. Ours (OpenKruise reads past it): with it a restart of the update itself
   * is told from one that came later, without another write.
   */
  restartCounts?: Record<string, number>;
  /**
   * Containers that an earlier, unfinished update may still be restarting, with their restarts when this one began. Ours:
   * their kubelet may be stopping what still looks well.
   */
  unsettled?: Record<string, number>;
  containerBatchesRecord?: { timestamp: string; containers: string[] }[];
  /** What OpenKruise has left for later batches, by container: images, labels and annotations, resources. */
  nextContainerImages?: Record<string, string> | undefined;
  nextContainerRefMetadata?: Record<string, OwnMetadata> | undefined;
  nextContainerResources?: Record<string, object> | undefined;
  /** The containers that have to be ready before the next batch. */
  preCheckBeforeNext?: { containersRequiredReady?: string[] } | undefined;
}

/** Labels and annotations; null takes one away. */
export interface OwnMetadata {
  labels?: Record<string, string | null>;
  annotations?: Record<string, string | null>;
}

/** The change that OpenKruise carries out when its grace period is over (OpenKruise inplace-update, section 3.2). */
export interface Grace {
  revision: string;
  containerImages?: Record<string, string>;
  containerRefMetadata?: Record<string, OwnMetadata>;
  containerResources?: Record<string, object>;
  /** A strategic merge patch of labels, annotations and finalizers, in base64. */
  metaDataPatch?: string;
  graceSeconds?: number;
}

/** Seconds as the API has them: an int32. */
const MOST_SECONDS = 2_147_483_647;

const isTextOrNull = (value: unknown): boolean => value === null || isText(value);
const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const isTextMap = isMapOf(isText);
const isSeconds = (value: unknown): boolean => isWhole(value) && value <= MOST_SECONDS;

/** Labels and annotations of a change; what else Go's ObjectMeta writes is not read. */
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

/** The text of the state annotation as a state; undefined: it cannot be read. */
export function readInPlaceState(text: string): InPlaceState | undefined {
  const state = withoutNulls(parsedJson(text), ['lastContainerStatuses']);
  if (!isObject(state)) return undefined;
  const batches = state['containerBatchesRecord'];
  // What Go writes of an empty list or a time that was never set is null.
  if (Array.isArray(batches)) state['containerBatchesRecord'] = batches.map(withoutBatchNulls);
  return hasFields(state, STATE) ? (state as object as InPlaceState) : undefined;
}

/** The text of the grace annotation as the change that waits; undefined: it cannot be read. */
export function readGrace(text: string): Grace | undefined {
  const grace = withoutNulls(parsedJson(text), []);
  return hasFields(grace, GRACE) ? (grace as object as Grace) : undefined;
}

const FINALIZERS = ['finalizers', '$deleteFromPrimitiveList/finalizers', '$setElementOrder/finalizers'];

/**
 * Labels, annotations and finalizers out of OpenKruise's `metaDataPatch`, a strategic merge patch in base64; undefined: it
 * cannot be read. Nothing else of it is taken over: a patch that names a uid or a version would lose its own guard.
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

/** The object without the fields that Go leaves null; undefined: it is none. */
function withoutNulls(value: unknown, kept: readonly string[]): Record<string, unknown> | undefined {
  if (!isObject(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).filter(([field, each]) => each !== null || kept.includes(field)),
  );
}

function withoutBatchNulls(batch: unknown): unknown {
  if (!isObject(batch)) return batch;
  return { ...batch, timestamp: batch['timestamp'] ?? '', containers: batch['containers'] ?? [] };
}
