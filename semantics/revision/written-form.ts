import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { type Shape, templateShape } from '../template/shape.ts';
import { sortedKeys } from '../values/canonical-json.ts';
import { objectOf } from '../values/read.ts';
import { formatQuantity, parseQuantity } from '../values/quantity.ts';

/**
 * A pod template as a controller written in Go serializes it: sorted keys, no nulls, quantities in their canonical form, and
 * the structures that are always written, even if they are empty. OpenKruise compares revisions by their bytes
 * (inplace-update, rule 6.6), and recognizes a revision of this form as its own.
 */
export function writtenTemplate(template: JsonObject): JsonObject {
  // A template of other objects than pods: no revision of OpenKruise's holds one.
  if (template['child'] !== undefined) return template;
  const whole = writtenValue(template, templateShape) as JsonObject;
  const spec = objectOf(whole['spec']);
  const lists: JsonObject = {};
  for (const field of ['containers', 'initContainers'])
    if (Array.isArray(spec[field])) lists[field] = spec[field].map((each) => withResources(objectOf(each)));
  if (Array.isArray(spec['volumes']))
    lists['volumes'] = spec['volumes'].map((each) => withClaim(objectOf(each)));
  return sorted({
    ...whole,
    metadata: withCreationTimestamp(objectOf(whole['metadata'])),
    spec: sorted({ ...spec, ...lists }),
  });
}

function writtenValue(value: Json, shape: Shape | undefined, isQuantity = false): Json {
  if (shape?.quantity === 'single' || isQuantity) return quantity(value);
  if (Array.isArray(value)) return value.map((each) => writtenValue(each, shape?.items));
  if (typeof value !== 'object' || value === null) return value;
  const isList = shape?.quantity === 'list';
  const members = sortedKeys(value).flatMap((key): [string, Json][] => {
    const member = value[key];
    if (member === undefined || member === null) return [];
    return [[key, writtenValue(member, shape?.fields.get(key), isList)]];
  });
  // A key may be `__proto__`, for which an assignment would set the prototype.
  return Object.fromEntries(members);
}

function quantity(value: Json): Json {
  const parsed = typeof value === 'string' || typeof value === 'number' ? parseQuantity(value) : undefined;
  return parsed === undefined ? value : formatQuantity(parsed);
}

function withResources(container: JsonObject): JsonObject {
  return sorted({ resources: {}, ...container });
}

function withCreationTimestamp(metadata: JsonObject): JsonObject {
  return sorted({ ...metadata, creationTimestamp: null });
}

/** A volume with a claim template (`ephemeral`). */
function withClaim(volume: JsonObject): JsonObject {
  const ephemeral = objectOf(volume['ephemeral']);
  const claim = ephemeral['volumeClaimTemplate'];
  if (claim === undefined) return volume;
  const { metadata, spec } = objectOf(claim);
  const whole = {
    metadata: withCreationTimestamp(objectOf(metadata)),
    spec: withResources(objectOf(spec)),
  };
  return { ...volume, ephemeral: { ...ephemeral, volumeClaimTemplate: whole } };
}

function sorted(members: JsonObject): JsonObject {
  return Object.fromEntries(sortedKeys(members).map((key) => [key, members[key] ?? null]));
}
