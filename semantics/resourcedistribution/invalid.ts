import { checkCommonMetadata } from '../../schemas/pods/commonMetadata.ts';
import { keyFaults } from '../../schemas/pods/configKeys.ts';
import { nameFaults } from '../../schemas/pods/names.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import { isObject } from '../values/json-shape.ts';
import { objectOf } from '../values/read.ts';
import { memoryOf } from '../values/memory.ts';
import { validateSelector } from '../values/selector.ts';
import { namesIn, normalizeDistribution } from './normalize.ts';
import { keysText } from './copied-keys.ts';
import { COPIED, KEYS_ANNOTATION, TOKEN_TYPE } from './resource.ts';

const RESOURCE = ['spec', 'resource'];
const TARGETS = ['spec', 'targets'];
/**
 * The most memory of a spec, in bytes. The runtime keeps a mebibyte of an object, of which the status may need a part. So what git
 * accepts is never too large in the cluster.
 */
const MOST_MEMORY = 640 * 1024;

/**
 * Errors in a ResourceDistribution by itself: what OpenKruise's admission refuses (OpenKruise resourcedistribution, section 7), which
 * asks the server by a dry run. In the cluster such an object is held, and writes nothing.
 */
export function invalidDistribution(target: KubeObject): InvalidField[] {
  return [
    ...resourceFaults(target),
    ...memoryFault(target['spec']),
    ...targetFaults(objectOf(objectOf(target['spec'])['targets'])),
  ];
}

function memoryFault(spec: unknown): InvalidField[] {
  const bytes = memoryOf(spec, Number.MAX_SAFE_INTEGER);
  if (bytes <= MOST_MEMORY) return [];
  const rule = `must take at most ${MOST_MEMORY} bytes in memory, two for each character, and takes ${bytes}`;
  return [{ path: ['spec'], rule, at: 'key' }];
}

function resourceFaults(target: KubeObject): InvalidField[] {
  const { resource, kind, name } = normalizeDistribution(target);
  if (kind === undefined) {
    const field = resource['apiVersion'] === 'v1' ? 'kind' : 'apiVersion';
    const rule = `must be ${field === 'kind' ? Object.keys(COPIED).join(' or ') : 'v1'}`;
    return [{ path: [...RESOURCE, field], rule }];
  }
  const [nameFault] = name === '' ? ['must not be empty'] : nameFaults(name, 'subdomain');
  return [
    ...(nameFault === undefined ? [] : [{ path: [...RESOURCE, 'metadata', 'name'], rule: nameFault }]),
    ...metadataFaults(objectOf(resource['metadata'])),
    ...contentFaults(resource),
  ];
}

/** What the server would say of the labels, annotations and finalizers of each copy. */
function metadataFaults(metadata: JsonObject): InvalidField[] {
  const { labels, annotations, finalizers } = metadata;
  const path = [...RESOURCE, 'metadata'];
  const isMap = (value: unknown): boolean => value === undefined || value === null || isObject(value);
  const wrong = Object.entries({ labels, annotations }).find(([, value]) => !isMap(value));
  if (wrong !== undefined) return [{ path: [...path, wrong[0]], rule: 'must be a map' }];
  const copied = {
    labels: objectOf(labels),
    annotations: withKeys(metadata),
    ...(Array.isArray(finalizers) && { finalizers }),
  };
  return checkCommonMetadata(copied as Parameters<typeof checkCommonMetadata>[0], 'metadata').map(
    ({ field, message }) => ({
      path: [...RESOURCE, ...field.split('.').slice(0, 2)],
      rule: message,
    }),
  );
}

/** The annotations with what each copy has besides: all of them together have a bound. */
function withKeys({ labels, annotations, finalizers }: JsonObject): JsonObject {
  const own = {
    labels: objectOf(labels) as Record<string, string>,
    annotations: objectOf(annotations) as Record<string, string>,
    finalizers: Array.isArray(finalizers) ? finalizers.map(String) : [],
  };
  return { ...own.annotations, [KEYS_ANNOTATION]: keysText(own) ?? '' };
}

const MAPS = { ConfigMap: ['data', 'binaryData'], Secret: ['data', 'stringData'] } as const;
const ENCODED: ReadonlySet<string> = new Set(['ConfigMap binaryData', 'Secret data']);

function contentFaults(resource: JsonObject): InvalidField[] {
  const kind = resource['kind'] === 'Secret' ? 'Secret' : 'ConfigMap';
  const found: InvalidField[] = [];
  const keys = new Set<string>();
  for (const field of MAPS[kind]) {
    const path = [...RESOURCE, field];
    const map = resource[field] ?? {};
    if (!isObject(map)) {
      found.push({ path, rule: 'must be a map', at: 'key' });
      continue;
    }
    for (const [key, value] of Object.entries(map)) {
      const fault = valueFault(key, value, ENCODED.has(`${kind} ${field}`));
      if (fault !== undefined) found.push({ path: [...path, key], rule: fault, at: 'key' });
      else if (kind === 'ConfigMap' && keys.has(key))
        found.push({ path: [...path, key], rule: 'must not be in data, too', at: 'key' });
      keys.add(key);
    }
  }
  const { immutable } = resource;
  if (immutable !== undefined && immutable !== null && typeof immutable !== 'boolean')
    found.push({ path: [...RESOURCE, 'immutable'], rule: 'must be true or false' });
  // The server would write the token of an account of each namespace into such a copy.
  if (kind === 'Secret' && resource['type'] === TOKEN_TYPE)
    found.push({ path: [...RESOURCE, 'type'], rule: `must not be ${TOKEN_TYPE}` });
  return found;
}

function valueFault(key: string, value: unknown, isEncoded: boolean): string | undefined {
  const [fault] = keyFaults(key);
  if (fault !== undefined) return `is no key: ${fault}`;
  if (typeof value !== 'string') return 'must be a text';
  return isEncoded && !isBase64(value) ? 'must be base64' : undefined;
}

function isBase64(value: string): boolean {
  const text = value.replaceAll('\n', '').replaceAll('\r', '');
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function targetFaults(targets: JsonObject): InvalidField[] {
  const lists = ['includedNamespaces', 'excludedNamespaces'] as const;
  const excluded = new Set(namesIn(targets['excludedNamespaces']));
  const names = lists.flatMap((field) =>
    namesIn(targets[field]).flatMap((name, index): InvalidField[] => {
      const path = [...TARGETS, field, 'list', String(index), 'name'];
      const [fault] = name === '' ? ['must not be empty'] : nameFaults(name, 'label');
      if (fault !== undefined) return [{ path, rule: fault }];
      const isBoth = field === 'includedNamespaces' && excluded.has(name);
      return isBoth ? [{ path, rule: 'must not be in excludedNamespaces, too' }] : [];
    }),
  );
  const selectors = ['namespaceSelector', 'namespaceLabelSelector'].flatMap((field) => {
    const selector = targets[field];
    if (!isObject(selector)) return [];
    return validateSelector(selector).map(({ path, message }) => ({
      path: [...TARGETS, field, ...path],
      rule: message,
    }));
  });
  return [...names, ...selectors];
}
