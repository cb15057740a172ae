import { mapValues } from './schema.ts';
import type { Schema, SchemaFile } from './schema.ts';

/** What no value of a real object reaches: characters of texts, items of lists, keys of maps, integers. A schema that says less stays. */
const LIMITS = { text: 32_768, countOrPercent: 64, time: 64, items: 10_000, keys: 10_000, integer: Infinity };

/** Fields with a limit of their own, by their names in any kind. */
const LIMITS_OF: Readonly<Record<string, Partial<typeof LIMITS>>> = {
  // As many pods as Kubernetes supports in a cluster.
  replicas: { integer: 150_000 },
  // All annotations of an object may have as many together.
  annotations: { text: 262_144 },
  // A selector as one text. It can be longer still, which the target then says of itself.
  labelSelector: { text: 262_144 },
  // One is within the other: their product is half of what the API server lets their rules cost, and it refuses more than all.
  matchExpressions: { items: 500 },
  weightPriority: { items: 500 },
};

/**
 * A schema file with a limit at each text, list and map of its kinds, so that the server stores no value that a rule takes long to
 * read. Fields that keep whatever they are given have none: the rules bound those before they read them.
 */
export function limited(file: SchemaFile): SchemaFile {
  const { path, schema } = file;
  if (path.startsWith('config/')) return file;
  return { ...file, schema: { ...schema, definitions: mapValues(schema.definitions, withLimits) } };
}

function withLimits(node: Schema, field: string): Schema {
  const { properties, items, additionalProperties } = node;
  return {
    ...node,
    ...limitsOf(node, { ...LIMITS, ...LIMITS_OF[field] }),
    ...node,
    ...(properties !== undefined && { properties: mapValues(properties, withLimits) }),
    ...(items !== undefined && { items: withLimits(items, field) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: withLimits(additionalProperties, field),
    }),
  };
}

function limitsOf(node: Schema, limits: typeof LIMITS): Schema {
  if (node['x-kubernetes-int-or-string'] === true) return { maxLength: limits.countOrPercent };
  if (node.type === 'array') return { maxItems: limits.items };
  if (node.type === 'object' && node.additionalProperties !== undefined)
    return { maxProperties: limits.keys };
  if (node.type === 'integer') return limits.integer === Infinity ? {} : { maximum: limits.integer };
  if (node.type !== 'string' || node['enum'] !== undefined) return {};
  return { maxLength: node['format'] === 'date-time' ? limits.time : limits.text };
}
