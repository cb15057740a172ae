import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { withoutPullPolicyByTag } from '../template/canonical.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { isObject } from '../values/json-shape.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { remembered } from '../values/remembered.ts';
import { setHashes, type SetHashes } from './hash.ts';
import { HASH_ANNOTATION, IMAGELESS_HASH_ANNOTATION } from './resource.ts';

/** The fields of a spec that a revision has its own of (OpenKruise sidecarset, rule 5.5). */
export const REVISED = [
  'containers',
  'initContainers',
  'volumes',
  'imagePullSecrets',
  'patchPodMetadata',
] as const;

/**
 * What a set gives to pods, as the content that its revisions are compared by. It has the shape of a pod template, so that the
 * rules of templates apply. A field of a set with its default value is left out: an API server may have filled it in.
 */
export function contentOfSpec(spec: JsonObject): JsonObject {
  const content: JsonObject = {};
  for (const field of REVISED) {
    const list = listOf(spec[field]);
    if (list.length === 0) continue;
    if (field === 'containers') content[field] = list.map((each) => sidecar(each, 'BeforeAppContainer'));
    else if (field === 'initContainers')
      content[field] = list.map((each) => sidecar(each, 'AfterAppContainer'));
    else if (field === 'patchPodMetadata')
      content[field] = list.map((each) => without(each, 'patchPolicy', 'Retain'));
    else content[field] = list;
  }
  return { spec: content };
}

/**
 * The `data` of a revision: the fields of the spec themselves, those that are absent as null (OpenKruise sidecarset, rule 5.5).
 */
export function revisionDataOf(spec: JsonObject): JsonObject {
  return {
    spec: {
      $patch: 'replace',
      ...Object.fromEntries([...REVISED].sort().map((field) => [field, spec[field] ?? null])),
    },
  };
}

/** The fields of a spec that a revision holds, whichever form it was written in. */
export function revisedSpec({ data }: KubeObject): JsonObject {
  const spec = objectOf(objectOf(data)['spec']);
  return isObject(spec['template']) ? objectOf(objectOf(spec['template'])['spec']) : spec;
}

/** The hashes of a revision: those that it was written with, so that they equal those of pods that have it. */
export const revisionHashes = remembered(readHashes);

function readHashes(revision: KubeObject): SetHashes {
  const { annotations = {} } = revision.metadata;
  const [hash, imageless] = [annotations[HASH_ANNOTATION], annotations[IMAGELESS_HASH_ANNOTATION]];
  if (hash !== undefined && imageless !== undefined) return { hash, imageless };
  const hashes = setHashes(revisedSpec(revision));
  return { hash: hash ?? hashes.hash, imageless: imageless ?? hashes.imageless };
}

/**
 * Whether two contents differ in images of containers alone, so that a pod goes from one to the other in place (OpenKruise
 * sidecarset, rule 6.9). What only new pods get is not compared: volumes, pull secrets, annotations, plain init containers. A
 * pull policy that follows from the tag of an image is part of the image.
 */
export function differInImagesAlone(from: JsonObject, to: JsonObject): boolean {
  return withoutImages(from) === withoutImages(to);
}

function withoutImages(content: JsonObject): string {
  const spec = objectOf(content['spec']);
  const inits = listOf(spec['initContainers']);
  const hasNative = inits.some(({ restartPolicy }) => restartPolicy === 'Always');
  return canonicalJson({
    containers: listOf(spec['containers']).map(withoutImage),
    initContainers: hasNative ? inits : [],
  });
}

function withoutImage(container: JsonObject): JsonObject {
  const { image: _, ...rest } = withoutPullPolicyByTag(container, 'image', 'imagePullPolicy');
  return rest;
}

/** A container, with the pull policy that its tag implies, and without the defaults of the fields of a set. */
function sidecar(container: JsonObject, inject: string): JsonObject {
  const {
    upgradeStrategy,
    shareVolumePolicy,
    shareVolumeDevicePolicy,
    transferEnv,
    resourcesPolicy,
    ...rest
  } = without(container, 'podInjectPolicy', inject);
  const upgrade = without(objectOf(upgradeStrategy), 'upgradeType', 'ColdUpgrade');
  const share = without(objectOf(shareVolumePolicy), 'type', 'disabled');
  const devices = without(objectOf(shareVolumeDevicePolicy), 'type', 'disabled');
  const resources = without(objectOf(resourcesPolicy), 'targetContainersNameRegex', '.*');
  const transfers = listOf(transferEnv).map(withoutVersion);
  return {
    ...withPullPolicy(rest),
    ...filled({ upgradeStrategy: upgrade, shareVolumePolicy: share, shareVolumeDevicePolicy: devices }),
    ...(isObject(resourcesPolicy) && { resourcesPolicy: resources }),
    ...(transfers.length > 0 && { transferEnv: transfers }),
  };
}

/** As of a container without a policy the rules of templates read `Always`, which OpenKruise writes into CloneSets only. */
function withPullPolicy(container: JsonObject): JsonObject {
  if (textOf(container['imagePullPolicy']) !== '') return container;
  const implied = { ...container, imagePullPolicy: 'Always' };
  const isAlways = withoutPullPolicyByTag(implied, 'image', 'imagePullPolicy') !== implied;
  return { ...container, imagePullPolicy: isAlways ? 'Always' : 'IfNotPresent' };
}

function withoutVersion(entry: JsonObject): JsonObject {
  const from = objectOf(entry['sourceContainerNameFrom']);
  if (!isObject(from['fieldRef'])) return entry;
  const fieldRef = without(objectOf(from['fieldRef']), 'apiVersion', 'v1');
  return { ...entry, sourceContainerNameFrom: { ...from, fieldRef } };
}

function without(object: JsonObject, field: string, value: string): JsonObject {
  if (object[field] !== value) return object;
  const { [field]: _, ...rest } = object;
  return rest;
}

function filled(members: Record<string, JsonObject>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, each]) => Object.keys(each).length > 0));
}
