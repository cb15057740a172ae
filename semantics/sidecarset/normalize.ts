import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { type PriorityStrategy, readPriorities } from '../pod/priority.ts';
import { readScatter, type ScatterTerm } from '../pod/scatter.ts';
import type { IntOrPercent } from '../values/int-or-percent.ts';
import { isObject } from '../values/json-shape.ts';
import { intOrPercentOf, listOf, numberOf, objectOf } from '../values/read.ts';
import { NAMESPACE_NAME_LABEL } from '../values/namespace-label.ts';
import type { LabelSelector } from '../values/selector.ts';
import { BASE_ANNOTATION, CANARY_ANNOTATION, CUSTOM_VERSION_LABEL } from './resource.ts';

/** A variable that is copied from a container of the pod; the container is named, or found by a field of the pod. */
export interface TransferEnv {
  container: string | undefined;
  /** `metadata.labels['KEY']` or `metadata.annotations['KEY']`. */
  fieldPath: string | undefined;
  /** Sorted, each once. */
  names: readonly string[];
}

/** How resources follow from those of other containers. An absent expression sets no amount. */
export interface ResourcesPolicy {
  mode: 'sum' | 'max';
  pattern: string;
  limits: Readonly<Record<string, string>>;
  requests: Readonly<Record<string, string>>;
}

/** One container of a set. */
export interface Sidecar {
  name: string;
  /** The fields of a container, without those of a set, as they were written. */
  container: JsonObject;
  isBefore: boolean;
  /** The image of the idle half; undefined: there is only one container. */
  emptyImage: string | undefined;
  sharesVolumes: boolean;
  sharesDevices: boolean;
  transferEnv: readonly TransferEnv[];
  resourcesPolicy: ResourcesPolicy | undefined;
  /** An init container with restartPolicy Always. */
  isNative: boolean;
}

/** What a set gives to pods; an older revision of it has its own. */
export interface Injectable {
  initContainers: readonly Sidecar[];
  containers: readonly Sidecar[];
  volumes: readonly JsonObject[];
  imagePullSecrets: readonly JsonObject[];
  patchPodMetadata: readonly PodMetadataPatch[];
}

/** Annotations for pods, with one policy. */
export interface PodMetadataPatch {
  annotations: Readonly<Record<string, string>>;
  policy: 'Retain' | 'Overwrite' | 'MergePatchJson';
}

/** Which older revision new pods get. */
export interface PinnedRevision {
  name: string | undefined;
  customVersion: string | undefined;
  isPartial: boolean;
}

/** A set as its rules read it: both served versions are one. */
export interface NormalSidecarSet extends Injectable {
  name: string;
  /** Undefined or empty: it matches no pod. */
  selector: LabelSelector | undefined;
  /** Undefined: every namespace. */
  namespaceSelector: LabelSelector | undefined;
  isRolling: boolean;
  isPaused: boolean;
  updateSelector: LabelSelector | undefined;
  partition: IntOrPercent | undefined;
  maxUnavailable: IntOrPercent;
  priorities: PriorityStrategy | undefined;
  scatter: readonly ScatterTerm[];
  injectionPaused: boolean;
  pinned: PinnedRevision | undefined;
  historyLimit: number;
  customVersion: string | undefined;
  /** The set that this one replaces where both match; undefined: it is no canary. */
  base: string | undefined;
}

/** The fields of a set in a container of it. */
const OWN_FIELDS: readonly string[] = [
  'podInjectPolicy',
  'upgradeStrategy',
  'shareVolumePolicy',
  'shareVolumeDevicePolicy',
  'transferEnv',
  'resourcesPolicy',
];

/**
 * Reads either served version (OpenKruise sidecarset, sections 2 and 7.1): `namespace` and the label of the custom version are
 * read as the fields of v1beta1. The object must be valid against the schema; a field of another type is read as absent.
 */
export function normalizeSidecarSet(object: KubeObject): NormalSidecarSet {
  const spec = objectOf(object['spec']);
  const update = objectOf(spec['updateStrategy']);
  const injection = objectOf(spec['injectionStrategy']);
  const { labels = {}, annotations = {} } = object.metadata;
  const base = annotations[CANARY_ANNOTATION] === 'true' ? annotations[BASE_ANNOTATION] : undefined;
  return {
    name: object.metadata.name,
    selector: selectorOf(spec['selector']),
    namespaceSelector: namespaceSelectorOf(spec),
    ...injectableOf(spec),
    isRolling: update['type'] !== 'NotUpdate',
    isPaused: update['paused'] === true,
    updateSelector: selectorOf(update['selector']),
    partition: intOrPercentOf(update['partition']),
    maxUnavailable: intOrPercentOf(update['maxUnavailable']) ?? 1,
    priorities: readPriorities(update['priorityStrategy']),
    scatter: readScatter(update['scatterStrategy']),
    injectionPaused: injection['paused'] === true,
    pinned: pinnedOf(injection['revision']),
    historyLimit: Math.max(1, numberOf(spec['revisionHistoryLimit']) ?? 10),
    customVersion: filledText(spec['customVersion']) ?? filledText(labels[CUSTOM_VERSION_LABEL]),
    base: filledText(base),
  };
}

/** What a spec, or the content of a revision, gives to pods. */
export function injectableOf(spec: JsonObject): Injectable {
  return {
    initContainers: listOf(spec['initContainers']).map((each) => sidecarOf(each, 'AfterAppContainer')),
    containers: listOf(spec['containers']).map((each) => sidecarOf(each, 'BeforeAppContainer')),
    volumes: listOf(spec['volumes']),
    imagePullSecrets: listOf(spec['imagePullSecrets']),
    patchPodMetadata: listOf(spec['patchPodMetadata']).map(({ annotations, patchPolicy }) => ({
      annotations: textsOf(annotations),
      policy: patchPolicy === 'Overwrite' || patchPolicy === 'MergePatchJson' ? patchPolicy : 'Retain',
    })),
  };
}

/** The fields of a container alone. */
export function plainContainer(sidecar: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(sidecar).filter(([field]) => !OWN_FIELDS.includes(field)));
}

/** The fields of a set in a container of it. */
export function ownFields(sidecar: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(sidecar).filter(([field]) => OWN_FIELDS.includes(field)));
}

function sidecarOf(sidecar: JsonObject, usual: string): Sidecar {
  const { upgradeType, hotUpgradeEmptyImage } = objectOf(sidecar['upgradeStrategy']);
  return {
    name: filledText(sidecar['name']) ?? '',
    container: plainContainer(sidecar),
    isBefore: (filledText(sidecar['podInjectPolicy']) ?? usual) === 'BeforeAppContainer',
    emptyImage: upgradeType === 'HotUpgrade' ? (filledText(hotUpgradeEmptyImage) ?? '') : undefined,
    sharesVolumes: objectOf(sidecar['shareVolumePolicy'])['type'] === 'enabled',
    sharesDevices: objectOf(sidecar['shareVolumeDevicePolicy'])['type'] === 'enabled',
    transferEnv: listOf(sidecar['transferEnv']).map(transferOf),
    resourcesPolicy: isObject(sidecar['resourcesPolicy'])
      ? resourcesPolicyOf(objectOf(sidecar['resourcesPolicy']))
      : undefined,
    isNative: sidecar['restartPolicy'] === 'Always',
  };
}

function transferOf(entry: JsonObject): TransferEnv {
  const { fieldPath } = objectOf(objectOf(entry['sourceContainerNameFrom'])['fieldRef']);
  const names = Array.isArray(entry['envNames']) ? entry['envNames'] : [];
  const all = [entry['envName'], ...names].flatMap((each) => filledText(each) ?? []);
  return {
    container: filledText(entry['sourceContainerName']),
    fieldPath: filledText(fieldPath),
    names: [...new Set(all)].sort(),
  };
}

function resourcesPolicyOf(policy: JsonObject): ResourcesPolicy {
  const { limits, requests } = objectOf(policy['resourcesExpr']);
  return {
    mode: policy['targetContainersMode'] === 'max' ? 'max' : 'sum',
    pattern: filledText(policy['targetContainersNameRegex']) ?? '.*',
    limits: textsOf(limits),
    requests: textsOf(requests),
  };
}

function pinnedOf(revision: unknown): PinnedRevision | undefined {
  const { revisionName, customVersion, policy } = objectOf(revision);
  const [name, version] = [filledText(revisionName), filledText(customVersion)];
  if (name === undefined && version === undefined) return undefined;
  return { name, customVersion: version, isPartial: policy === 'Partial' };
}

function namespaceSelectorOf(spec: JsonObject): LabelSelector | undefined {
  const namespace = filledText(spec['namespace']);
  if (namespace !== undefined) return { matchLabels: { [NAMESPACE_NAME_LABEL]: namespace } };
  return selectorOf(spec['namespaceSelector']);
}

function selectorOf(value: unknown): LabelSelector | undefined {
  return isObject(value) ? value : undefined;
}

function textsOf(value: unknown): Record<string, string> {
  const entries = Object.entries(objectOf(value));
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** A text; undefined: it is empty, as in Go, or none. */
function filledText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
