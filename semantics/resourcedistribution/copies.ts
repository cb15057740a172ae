import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';
import { controllerReference } from '../owner.ts';
import { objectOf } from '../values/read.ts';
import { remembered } from '../values/remembered.ts';
import { cachedContent, type Content, contentOf, copiedContent, resourceHash } from './content.ts';
import { type NormalDistribution, normalizeDistribution } from './normalize.ts';
import { copiedKeys, keysText } from './copied-keys.ts';
import {
  type CopiedKind,
  COPY_LABEL,
  FROM_ANNOTATION,
  HASH_ANNOTATION,
  KEYS_ANNOTATION,
} from './resource.ts';

/** What all copies of a ResourceDistribution have in common. */
export interface Wanted {
  kind: CopiedKind;
  name: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  finalizers: readonly string[];
  content: Content;
  /** The hash of the content. */
  hash: string;
}

/** What the copies of a valid target are to be like. */
export const wantedCopy = remembered((target: KubeObject): Wanted =>
  computed(target, normalizeDistribution(target)),
);

function computed(target: KubeObject, { resource, kind = 'ConfigMap', name }: NormalDistribution): Wanted {
  const metadata = objectOf(resource['metadata']);
  const content = contentOf(resource);
  const own = {
    labels: texts(metadata['labels']),
    annotations: texts(metadata['annotations']),
    finalizers: listOfTexts(metadata['finalizers']),
  };
  const keys = keysText(own);
  return {
    kind,
    name,
    labels: { ...own.labels, [COPY_LABEL]: 'true' },
    annotations: {
      ...own.annotations,
      ...(keys !== undefined && { [KEYS_ANNOTATION]: keys }),
      [HASH_ANNOTATION]: resourceHash(resource),
      [FROM_ANNOTATION]: target.metadata.name,
    },
    finalizers: own.finalizers,
    content,
    hash: copiedContent(content).hash,
  };
}

function listOfTexts(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
}

function texts(map: unknown): Record<string, string> {
  const entries = Object.entries(objectOf(map));
  return Object.fromEntries(entries.filter((each): each is [string, string] => typeof each[1] === 'string'));
}

/** By target, as what is wanted: a thousand copies that wait for their turn have it once. */
const ownersOf = remembered((target: KubeObject): OwnerReference[] => [controllerReference(target)]);

/** The copy for a namespace. Owners that the resource names are left out: they are in another namespace, if anywhere. */
export function newCopy(target: KubeObject, wanted: Wanted, namespace: string): KubeObject {
  const { kind, name, labels, annotations, finalizers, content } = wanted;
  return {
    apiVersion: 'v1',
    kind,
    metadata: {
      name,
      namespace,
      labels,
      annotations,
      ...(finalizers.length > 0 && { finalizers: [...finalizers] }),
      ownerReferences: ownersOf(target),
    },
    ...content,
  };
}

/**
 * The merge patch that makes a cached copy as it should be; undefined: it is. Labels, annotations and finalizers of others stay
 * (OpenKruise resourcedistribution, rule 6.4f), and those that the resource has no more go. A change of metadata alone is one, too
 * (section 10, item 1).
 */
export function copyPatch(copy: KubeObject, wanted: Wanted): JsonObject | undefined {
  const { uid = '', resourceVersion = '', labels, annotations, finalizers = [] } = copy.metadata;
  const had = copiedKeys(annotations?.[KEYS_ANNOTATION]);
  const isOver = new Set(had.finalizers.filter((each) => !wanted.finalizers.includes(each)));
  const kept = finalizers.filter((each) => !isOver.has(each));
  const lacking = wanted.finalizers.filter((each) => !kept.includes(each));
  const areOther = lacking.length > 0 || kept.length < finalizers.length;
  const changed = {
    ...filled('labels', differing(wanted.labels, labels, had.labels)),
    ...filled(
      'annotations',
      differing(wanted.annotations, annotations, [...had.annotations, KEYS_ANNOTATION]),
    ),
    ...(areOther && { finalizers: [...kept, ...lacking].sort() }),
  };
  const { hash, keys } = cachedContent(copy);
  const isSame = hash === wanted.hash;
  if (isSame && Object.keys(changed).length === 0) return undefined;
  return { metadata: { uid, resourceVersion, ...changed }, ...(isSame ? {} : contentPatch(wanted, keys)) };
}

/** @param had keys that are ours: they go unless they are wanted */
function differing(
  wanted: Readonly<Record<string, string>>,
  found: Readonly<Record<string, string>> = {},
  had: readonly string[] = [],
): JsonObject {
  const gone = had.filter((key) => Object.hasOwn(found, key) && !Object.hasOwn(wanted, key));
  return Object.fromEntries([
    ...Object.entries(wanted).filter(([key, value]) => found[key] !== value),
    ...gone.map((key) => [key, null] as const),
  ]);
}

function filled(field: string, map: JsonObject): JsonObject {
  return Object.keys(map).length === 0 ? {} : { [field]: map };
}

function contentPatch(
  { content }: Wanted,
  keys: Readonly<Record<'data' | 'binaryData', readonly string[]>>,
): JsonObject {
  const map = (field: 'data' | 'binaryData'): JsonObject => {
    const wanted = content[field];
    if (wanted === undefined) return keys[field].length === 0 ? {} : { [field]: null };
    const gone = keys[field].filter((key) => !Object.hasOwn(wanted, key)).map((key) => [key, null] as const);
    if (gone.length === 0) return { [field]: wanted };
    return { [field]: { ...wanted, ...(Object.fromEntries(gone) as Record<string, Json>) } };
  };
  return {
    ...map('data'),
    ...map('binaryData'),
    immutable: content.immutable ?? null,
    ...(content.type !== undefined && { type: content.type }),
  };
}
