import { isFields, setOwn, type Fields } from '../store/value.ts';
import { fieldSchema, type StructuralSchema } from './structural.ts';

const envelope = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Drops the fields a structural schema does not know, unless `x-kubernetes-preserve-unknown-fields` says to keep them
 * there; known fields below a preserving object are still pruned by their own schema. Returns the same reference when
 * nothing is dropped. The envelope (apiVersion, kind, metadata) of a root or an embedded resource is always kept.
 */
export function prune(schema: StructuralSchema, value: unknown, root = true): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return value;
    const pruned = value.map((item) => prune(items, item, false));
    return pruned.every((item, index) => item === value[index]) ? value : pruned;
  }
  if (!isFields(value)) return value;
  const keepsEnvelope = root || schema['x-kubernetes-embedded-resource'] === true;
  const keepsUnknown =
    schema['x-kubernetes-preserve-unknown-fields'] === true || schema.additionalProperties === true;
  const result: Fields = {};
  let changed = false;
  for (const key of Object.keys(value)) {
    const known = keepsEnvelope && envelope.has(key) ? undefined : fieldSchema(schema, key);
    if (known === undefined) {
      if (keepsUnknown || (keepsEnvelope && envelope.has(key))) setOwn(result, key, value[key]);
      else changed = true;
      continue;
    }
    const pruned = prune(known, value[key], false);
    setOwn(result, key, pruned);
    if (pruned !== value[key]) changed = true;
  }
  return changed ? result : value;
}
