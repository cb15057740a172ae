import { createHash } from 'node:crypto';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { canonicalJson, contentHash, sortedKeys } from '../values/canonical-json.ts';
import { type Intern, keyOf } from '../pod/intern.ts';
import { isObject } from '../values/json-shape.ts';
import { objectOf, textOf } from '../values/read.ts';

/** The content of a ConfigMap or Secret: all but what identifies it. Maps that are empty are absent. */
export interface Content {
  data?: JsonObject;
  binaryData?: JsonObject;
  immutable?: boolean;
  /** Of a Secret alone. */
  type?: string;
}

/**
 * The content of an object as the server stores it, so that what is written and what is read can be compared: `stringData` of a Secret
 * is in `data`, a Secret has a type, and base64 is canonical. A field of another type is read as absent.
 */
export function contentOf(object: Readonly<Record<string, unknown>>): Content {
  const isSecret = object['kind'] === 'Secret';
  const data = isSecret ? secretData(object) : objectOf(object['data']);
  const binaryData = isSecret ? {} : mapped(objectOf(object['binaryData']), canonicalBase64);
  const { immutable } = object;
  return {
    ...(Object.keys(data).length > 0 && { data }),
    ...(Object.keys(binaryData).length > 0 && { binaryData }),
    ...(typeof immutable === 'boolean' && { immutable }),
    ...(isSecret && { type: textOf(object['type']) === '' ? 'Opaque' : textOf(object['type']) }),
  };
}

function secretData({ data, stringData }: Readonly<Record<string, unknown>>): JsonObject {
  return {
    ...mapped(objectOf(data), canonicalBase64),
    ...mapped(objectOf(stringData), (text) => Buffer.from(text, 'utf8').toString('base64')),
  };
}

function mapped(map: JsonObject, change: (text: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(textOf(value))]));
}

/** The server keeps the bytes: what it answers has no line ends, and no bits that no byte has. */
function canonicalBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('base64');
}

/** What is cached of the content of a copy: enough to see that it differs, and to remove what should not be there. */
export interface CopiedContent {
  hash: string;
  /** The keys of its maps. */
  keys: { data: string[]; binaryData: string[] };
}

/** The content of an object, by its hash. */
export function copiedContent(content: Content): CopiedContent {
  return {
    hash: contentHash(content),
    keys: { data: sortedKeys(content.data ?? {}), binaryData: sortedKeys(content.binaryData ?? {}) },
  };
}

const SCREENED: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/**
 * The hash in the annotation of a copy: SHA-256 of the JSON of `spec.resource` as the API server serves it, in hexadecimal digits
 * (OpenKruise resourcedistribution, section 5). The server sorts keys, and screens five characters.
 */
export function resourceHash(resource: JsonObject): string {
  const text = canonicalJson(resource).replaceAll(/[<>&\u2028\u2029]/g, (char) => SCREENED[char] ?? char);
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** What a cached copy has in place of its content. */
const CONTENT = 'content';

/**
 * A copy as it is cached: its values stay in the cluster, however many copies there are, and what copies of one object have alike is
 * there once.
 */
export function projectCopy(object: KubeObject, intern: Intern): KubeObject {
  const {
    managedFields: _fields,
    name,
    labels,
    annotations,
    ownerReferences,
    finalizers,
    ...own
  } = object.metadata;
  const shared = <Value extends object>(value: Value): Value => intern.value(keyOf(value), () => value);
  return {
    apiVersion: intern.text(object.apiVersion),
    kind: intern.text(object.kind),
    metadata: {
      // A literal that begins with a spread has a shape of its own, which is as large as all the rest of a copy.
      name: intern.text(name),
      ...own,
      ...(own.namespace !== undefined && { namespace: intern.text(own.namespace) }),
      ...(own.creationTimestamp !== undefined && { creationTimestamp: intern.text(own.creationTimestamp) }),
      ...(labels !== undefined && { labels: shared(labels) }),
      ...(annotations !== undefined && { annotations: shared(annotations) }),
      ...(finalizers !== undefined && { finalizers: shared(finalizers) }),
      ...(ownerReferences !== undefined && { ownerReferences: shared(ownerReferences) }),
    },
    [CONTENT]: shared(copiedContent(contentOf(object))),
  };
}

/** The content of a copy, which is cached whole where another kind has children of this resource, too. */
export function cachedContent(copy: KubeObject): CopiedContent {
  const known = copy[CONTENT];
  return isObject(known) ? (known as unknown as CopiedContent) : copiedContent(contentOf(copy));
}
