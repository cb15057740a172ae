import { createHash } from 'node:crypto';
import type { PodSpec } from '../../schemas/pods/pod.ts';
import { withTemplateDefaults } from '../../schemas/pods/podDefaults.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { isObject } from '../values/json-shape.ts';
import { listOf, objectOf } from '../values/read.ts';
import { goSidecar } from './go-fields.ts';
import { ownFields, plainContainer } from './normalize.ts';
import { HASH_ANNOTATION, IMAGELESS_HASH_ANNOTATION } from './resource.ts';

/** The two hashes of a set: one over its containers, and one over what of them cannot change in place. */
export interface SetHashes {
  hash: string;
  imageless: string;
}

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * The hashes of the spec of a set, with its defaults, equal to OpenKruise's (sidecarset, rules 5.6 and 7.1). A spec that
 * was stored by OpenKruise has its defaults already, and gives the same hashes.
 */
export function setHashes(spec: JsonObject): SetHashes {
  return hashesOf({
    ...spec,
    ...defaultedList(spec, 'containers', 'BeforeAppContainer'),
    ...defaultedList(spec, 'initContainers', 'AfterAppContainer'),
  });
}

/**
 * The annotations of a set with its hashes, as OpenKruise's webhook writes them when it is created or changes (sidecarset, rule 7.1).
 * Its manager compares pods with these alone.
 */
export function stampOf(spec: JsonObject): Record<string, string> {
  const { hash, imageless } = setHashes(spec);
  return { [HASH_ANNOTATION]: hash, [IMAGELESS_HASH_ANNOTATION]: imageless };
}

/** The hashes of a spec as it is written, without any default. */
export function hashesOf(spec: JsonObject): SetHashes {
  return { hash: hashOf(hashedText(spec, false)), imageless: hashOf(hashedText(spec, true)) };
}

/** Init containers count as a whole, and only if one of them is a sidecar. */
function hashedText(spec: JsonObject, isImageless: boolean): string {
  const text = (list: readonly JsonObject[]): string =>
    `[${list.map((each) => goSidecar(isImageless ? withoutImage(each) : each)).join(',')}]`;
  const containers = Array.isArray(spec['containers']) ? text(listOf(spec['containers'])) : 'null';
  const inits = listOf(spec['initContainers']);
  const isNative = inits.some(({ restartPolicy }) => restartPolicy === 'Always');
  return `{"containers":${containers}${isNative ? `,"initContainers":${text(inits)}` : ''}}`;
}

function withoutImage({ image: _image, ...container }: JsonObject): JsonObject {
  return container;
}

function hashOf(text: string): string {
  const hex = createHash('sha256').update(text, 'utf8').digest('hex');
  return [...hex].map((digit) => ALPHABET.charAt(digit.charCodeAt(0) % ALPHABET.length)).join('');
}

function defaultedList(spec: JsonObject, list: string, inject: string): JsonObject {
  if (!Array.isArray(spec[list]) || spec[list].length === 0) return {};
  return { [list]: listOf(spec[list]).map((each) => withDefaults(each, inject)) };
}

/** A container with the defaults that OpenKruise's webhook writes. It writes none into startup probes. */
function withDefaults(sidecar: JsonObject, inject: string): JsonObject {
  const plain = plainContainer(sidecar);
  const spec = withTemplateDefaults({ containers: [plain] } as unknown as PodSpec);
  const container = objectOf(spec.containers[0]);
  const { startupProbe } = plain;
  const upgrade = objectOf(sidecar['upgradeStrategy']);
  const own = ownFields(sidecar);
  return {
    ...container,
    ...(startupProbe !== undefined && { startupProbe }),
    ...own,
    podInjectPolicy: own['podInjectPolicy'] ?? inject,
    upgradeStrategy: { ...upgrade, upgradeType: upgrade['upgradeType'] ?? 'ColdUpgrade' },
    shareVolumePolicy: { type: 'disabled', ...objectOf(sidecar['shareVolumePolicy']) },
    ...(Array.isArray(own['transferEnv']) && { transferEnv: listOf(own['transferEnv']).map(withVersion) }),
    ...(isObject(own['resourcesPolicy']) && {
      resourcesPolicy: { targetContainersNameRegex: '.*', ...objectOf(own['resourcesPolicy']) },
    }),
  };
}

function withVersion(entry: JsonObject): JsonObject {
  const from = objectOf(entry['sourceContainerNameFrom']);
  if (!isObject(from['fieldRef'])) return entry;
  const fieldRef = { apiVersion: 'v1', ...objectOf(from['fieldRef']) };
  return { ...entry, sourceContainerNameFrom: { ...from, fieldRef } };
}
