import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { compareCodePoints, contentHash, sortedKeys } from '../values/canonical-json.ts';
import { formatQuantity, parseQuantity, roundUpToMilli } from '../values/quantity.ts';
import type { Shape } from './shape.ts';
import { templateShape } from './shape.ts';

/**
 * The canonical form of a pod template: what it sets beyond the defaults of semantics version "1". Values equal to their
 * default, nulls and creationTimestamp are removed, and so are empty values where they mean absence. Quantities are
 * canonical, maps are sorted, lists keep their order. Fields that are not in the tables stay as they are.
 * Idempotent; the input is not modified.
 */
export function canonicalTemplate(template: JsonObject): JsonObject {
  const canonical = canonicalObject(template, templateShape);
  const { spec, child } = canonical;
  if (isObject(child)) return { ...canonical, child: canonicalChild(child) };
  return isObject(spec) ? { ...canonical, spec: canonicalSpec(spec) } : canonical;
}

/** Of a template of objects that have a template of pods themselves: that one is canonical, the rest is as it is. */
function canonicalChild(child: JsonObject): JsonObject {
  const { spec } = child;
  if (!isObject(spec) || !isObject(spec['template'])) return child;
  return { ...child, spec: { ...spec, template: canonicalTemplate(spec['template']) } };
}

/** Identity of a pod template: `h1:` and 32 hexadecimal digits over its canonical form. */
export function templateHash(template: JsonObject): string {
  return contentHash(canonicalTemplate(template));
}

function canonicalObject(value: JsonObject, shape: Shape | undefined): JsonObject {
  const canonical: JsonObject = {};
  for (const key of sortedKeys(value)) {
    const member = canonicalMember(value[key], shape?.fields.get(key));
    if (member !== undefined) setMember(canonical, key, member);
  }
  return canonical;
}

/** Sets a member. A key may be `__proto__`, for which an assignment would set the prototype. */
function setMember(object: JsonObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** The canonical member; undefined: it means the same as its absence. */
function canonicalMember(value: Json | undefined, shape: Shape | undefined): Json | undefined {
  if (value === undefined || value === null || shape?.ignored) return undefined;
  const canonical = canonicalValue(value, shape);
  if (shape?.emptyMeansAbsent && isEmpty(canonical)) return undefined;
  return shape?.default !== undefined && shape.default.value === canonical ? undefined : canonical;
}

function canonicalValue(value: Json, shape: Shape | undefined): Json {
  if (shape?.quantity === 'single') return canonicalQuantity(value, false);
  if (Array.isArray(value)) return value.map((item) => canonicalValue(item, shape?.items));
  if (!isObject(value)) return value;
  return shape?.quantity === 'list' ? canonicalResourceList(value) : canonicalObject(value, shape);
}

function canonicalResourceList(list: JsonObject): JsonObject {
  const canonical: JsonObject = {};
  for (const name of sortedKeys(list)) {
    const value = list[name];
    if (value !== undefined && value !== null) setMember(canonical, name, canonicalQuantity(value, true));
  }
  return canonical;
}

/** Common quantities that are canonical already, so that most templates need no big integers. */
const alreadyCanonical = /^[1-9][0-9]{0,2}(?:m|[kMGTPE]|[KMGTPE]i|)$/;

/** A text that is no quantity stays as it is: the validator reports it, and it is part of the identity. */
function canonicalQuantity(value: Json, toMilli: boolean): Json {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  if (typeof value === 'string' && alreadyCanonical.test(value)) return value;
  const quantity = parseQuantity(value);
  if (quantity === undefined) return value;
  return formatQuantity(toMilli ? roundUpToMilli(quantity) : quantity);
}

/** Applies the defaults that depend on another field, to a spec whose own fields are canonical. */
function canonicalSpec(spec: JsonObject): JsonObject {
  const changed = withoutServiceAccountAlias(spec);
  const lists: JsonObject = {};
  for (const [field, rule] of dependentDefaults) {
    const list = changed[field];
    if (Array.isArray(list)) lists[field] = list.map((item) => (isObject(item) ? rule(item) : item));
  }
  // Fields that are there already keep their place among the sorted keys.
  return { ...changed, ...lists };
}

/** `serviceAccount` is the old name of `serviceAccountName`, which takes precedence. */
function withoutServiceAccountAlias(spec: JsonObject): JsonObject {
  const { serviceAccount, ...rest } = spec;
  if (typeof serviceAccount !== 'string') return spec;
  if (serviceAccount === '' || rest['serviceAccountName'] !== undefined) return rest;
  return sortedObject({ ...rest, serviceAccountName: serviceAccount });
}

const dependentDefaults: readonly [field: string, rule: (item: JsonObject) => JsonObject][] = [
  ['containers', withoutLimitsAsRequests],
  [
    'initContainers',
    (item) => withoutPullPolicyByTag(withoutLimitsAsRequests(item), 'image', 'imagePullPolicy'),
  ],
  ['volumes', canonicalVolume],
];

/** Removes requests that equal the limit: without a request, Kubernetes uses the limit. */
function withoutLimitsAsRequests(container: JsonObject): JsonObject {
  const resources = container['resources'];
  if (!isObject(resources) || !isObject(resources['limits']) || !isObject(resources['requests']))
    return container;
  const limits = resources['limits'];
  const requests = Object.entries(resources['requests']);
  const explicit = requests.filter(
    ([name, request]) => !(Object.hasOwn(limits, name) && limits[name] === request),
  );
  if (explicit.length === requests.length) return container;
  const { requests: _, ...others } = resources;
  return {
    ...container,
    resources: explicit.length === 0 ? others : { ...others, requests: Object.fromEntries(explicit) },
  };
}

/** A volume that names no source is an emptyDir; an image volume pulls like an init container. */
function canonicalVolume(volume: JsonObject): JsonObject {
  const keys = Object.keys(volume);
  if (keys.length === 1 && keys[0] === 'name') return { emptyDir: {}, ...volume };
  const image = volume['image'];
  return isObject(image)
    ? { ...volume, image: withoutPullPolicyByTag(image, 'reference', 'pullPolicy') }
    : volume;
}

/**
 * An item without its pull policy, if that is the one that Kubernetes gives to it: Always when the tag is `latest` or there
 * is neither tag nor digest, else IfNotPresent.
 */
export function withoutPullPolicyByTag(
  item: JsonObject,
  imageField: string,
  policyField: string,
): JsonObject {
  if (item[policyField] !== pullPolicyByTag(item[imageField])) return item;
  const { [policyField]: _, ...rest } = item;
  return rest;
}

/** The pull policy that Kubernetes gives to an image. */
export function pullPolicyByTag(image: Json | undefined): 'Always' | 'IfNotPresent' {
  return typeof image === 'string' && !isLatest(image) ? 'IfNotPresent' : 'Always';
}

function isLatest(image: string): boolean {
  const [reference = '', digest] = image.split('@', 2);
  const name = reference.slice(reference.lastIndexOf('/') + 1);
  const colon = name.indexOf(':');
  return colon < 0 ? digest === undefined : name.slice(colon + 1) === 'latest';
}

function sortedObject(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => compareCodePoints(a, b)));
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(value: Json): boolean {
  if (value === '' || value === 0 || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}
