import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import { setOwn } from '../store/value.ts';
import { DecodeFault, pathText } from './decode.ts';
import { fieldSchema, type StructuralSchema } from './structural.ts';

const envelope = new Set(['apiVersion', 'kind', 'metadata']);

/** Callbacks for dropped fields. */
export interface PruneNotes {
  /** Receives the path of each unknown field that was dropped. */
  unknown?: (path: string) => void;
  /** Receives the metadata of an embedded resource and returns its pruned form. */
  embedded?: (path: string, metadata: unknown) => unknown;
}

interface Traversal extends PruneNotes {
  path: (string | number)[];
}

/**
 * Prunes by a structural schema: drops unknown fields unless `x-kubernetes-preserve-unknown-fields` is set, and
 * nulls of fields that are not nullable (except list items and fields with a default). Known fields below a
 * preserving object are pruned by their own schema. apiVersion, kind and metadata of roots and embedded resources
 * are kept. Returns the same reference if nothing is dropped.
 */
export function prune(schema: StructuralSchema, value: unknown, notes: PruneNotes = {}): unknown {
  return pruneAt(schema, value, { ...notes, path: [] }, true);
}

function pruneAt(schema: StructuralSchema, value: unknown, traversal: Traversal, root: boolean): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return value;
    let changed = false;
    const pruned = value.map((item, index) => {
      traversal.path.push(index);
      const kept = pruneAt(items, item, traversal, false);
      traversal.path.pop();
      if (kept !== item) changed = true;
      return kept;
    });
    return changed ? pruned : value;
  }
  return isFields(value) ? pruneFields(schema, value, traversal, root) : value;
}

function pruneFields(schema: StructuralSchema, value: Fields, traversal: Traversal, root: boolean): Fields {
  const keepsEnvelope = root || schema['x-kubernetes-embedded-resource'] === true;
  const keepsUnknown =
    schema['x-kubernetes-preserve-unknown-fields'] === true || schema.additionalProperties === true;
  const result: Fields = {};
  let changed = false;
  for (const key of Object.keys(value)) {
    const own = value[key];
    const isEnvelope = keepsEnvelope && envelope.has(key);
    const known = isEnvelope ? undefined : fieldSchema(schema, key);
    if (known === undefined) {
      const kept = isEnvelope && !root ? pruneEnvelope(key, own, traversal) : own;
      if (keepsUnknown || isEnvelope) setOwn(result, key, kept);
      else traversal.unknown?.(pathText([...traversal.path, key]));
      if (kept !== own || !(keepsUnknown || isEnvelope)) changed = true;
      continue;
    }
    if (own === null && !takesNull(known)) {
      changed = true;
      continue;
    }
    traversal.path.push(key);
    const pruned = pruneAt(known, own, traversal, false);
    traversal.path.pop();
    setOwn(result, key, pruned);
    if (pruned !== own) changed = true;
  }
  return changed ? result : value;
}

function pruneEnvelope(key: string, value: unknown, traversal: Traversal): unknown {
  const path = () => pathText([...traversal.path, key]);
  if (key === 'metadata') return traversal.embedded === undefined ? value : traversal.embedded(path(), value);
  if (value === null || typeof value === 'string') return value;
  throw new DecodeFault(`${path()}: Invalid value: ${JSON.stringify(value)}: must be a string`);
}

/** Whether a null is allowed, or will be replaced by a default. */
function takesNull(schema: StructuralSchema): boolean {
  if (schema.nullable === true || schema.default !== undefined) return true;
  return schema.type === undefined && schema['x-kubernetes-int-or-string'] !== true;
}
