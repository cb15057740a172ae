import { refuse } from '../api/errors.ts';
import type { ApiError } from '../../schemas/wire/cluster.ts';
import { isRaw, structNameOf } from '../kinds/shapes.ts';
import { goText } from '../schema/goText.ts';
import { fieldSchema, type StructuralSchema } from '../schema/structural.ts';
import { isFields, ownField, type Fields } from '../../schemas/pods/fields.ts';
import { setOwn } from '../store/value.ts';
import { applyOrder, checkOrder, deleteFromList, mergeList, mismatch, type Merged } from './strategicList.ts';

const orderPrefix = '$setElementOrder/';
const deletePrefix = '$deleteFromPrimitiveList/';

/** The merge strategy of a field. */
interface FieldMerge {
  schema: StructuralSchema | undefined;
  strategies: readonly string[];
  mergeKey: string | undefined;
}

function mergeOf(schema: StructuralSchema | undefined, name: string): FieldMerge {
  const field = schema === undefined ? undefined : fieldSchema(schema, name);
  return {
    schema: field,
    strategies: field?.['x-kubernetes-patch-strategy']?.split(',') ?? [],
    mergeKey: field?.['x-kubernetes-patch-merge-key'],
  };
}

/** The value that a patch creates where nothing exists: without `$patch` directives. */
function fresh(value: unknown, nulls: 'kept' | 'dropped'): unknown {
  if (Array.isArray(value))
    return value
      .filter((item) => ownField(item, '$patch') === undefined)
      .map((item: unknown) => (isFields(item) ? fresh(item, nulls) : item));
  if (!isFields(value)) return value;
  const result: Fields = {};
  for (const [key, field] of Object.entries(value)) {
    if ((field === null && nulls === 'dropped') || ownField(field, '$patch') !== undefined) continue;
    setOwn(result, key, fresh(field, nulls));
  }
  return result;
}

/** Removes fields not listed in `$retainKeys`; 400 if the patch itself sets such a field. */
function retainKeys(target: Fields, patch: Fields): Fields {
  if (!Object.hasOwn(patch, '$retainKeys')) return { ...target };
  const retained = patch['$retainKeys'];
  const holds = ([key, value]: [string, unknown]) =>
    value === null || key.startsWith('$') || (Array.isArray(retained) && retained.includes(key));
  if (!Array.isArray(retained) || !Object.entries(patch).every(holds))
    throw refuse.badRequest('invalid patch format of retainKeys');
  return Object.fromEntries(Object.entries(target).filter(([key]) => retained.includes(key)));
}

function mergeMap(schema: StructuralSchema | undefined, target: Fields, patch: Fields): Fields {
  if (Object.hasOwn(patch, '$patch')) {
    const { $patch: directive, ...rest } = patch;
    if (directive === 'replace') return rest;
    if (directive === 'delete') return {};
    throw mismatch(`unknown patch type: ${goText(directive)} in map: ${goText(patch)}`);
  }
  const result = retainKeys(target, patch);
  const done = new Set(['$retainKeys']);
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(orderPrefix)) continue;
    const name = key.slice(orderPrefix.length);
    done.add(key).add(name);
    orderField(schema, result, patch, name);
  }
  for (const key of Object.keys(patch)) {
    if (done.has(key)) continue;
    if (key.startsWith(deletePrefix)) deleteField(result, key.slice(deletePrefix.length), patch[key]);
    else mergeField(schema, result, key, patch[key]);
  }
  return result;
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const received =
    value === null ? '%!s(<nil>)' : isFields(value) ? 'map[string]interface {}' : goType(value);
  throw mismatch(`expected a []interface {}, but received a ${received}`);
}

function goType(value: unknown): string {
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return 'string';
}

function noField(struct: string, name: string): ApiError {
  return mismatch(`unable to find api field in struct ${struct} for the json field ${JSON.stringify(name)}`);
}

/** A list of the patch with its `$setElementOrder`. */
function orderField(schema: StructuralSchema | undefined, result: Fields, patch: Fields, name: string): void {
  const order = listOf(patch[`${orderPrefix}${name}`]);
  const before = Object.hasOwn(result, name) ? listOf(result[name]) : undefined;
  const given = Object.hasOwn(patch, name) ? listOf(patch[name]) : undefined;
  const field = mergeOf(schema, name);
  if (schema !== undefined && field.schema === undefined)
    throw noField(structNameOf(schema)?.split('.').at(-1) ?? '', name);
  if (given !== undefined) checkOrder(given, order, field.mergeKey);
  const merged = mergedLists(field, before, given);
  if (merged === undefined) return;
  if ((before ?? []).length + (given ?? []).length === 0)
    throw mismatch('no elements in any of the given slices');
  setOwn(result, name, applyOrder(merged.list, order, merged.before, field.mergeKey));
}

function mergedLists(
  field: FieldMerge,
  before: readonly unknown[] | undefined,
  given: readonly unknown[] | undefined,
): Merged | undefined {
  if (given === undefined) return before === undefined ? undefined : { list: [...before], before };
  if (before === undefined) return { list: [...listOf(fresh(given, 'kept'))], before: [] };
  return mergeListField(field, before, given);
}

function mergeListField(
  { schema, strategies, mergeKey }: FieldMerge,
  target: readonly unknown[],
  patch: readonly unknown[],
): Merged {
  if (!strategies.includes('merge')) return { list: [...patch], before: target };
  return mergeList(target, patch, mergeKey, (old, item) => mergeMap(schema?.items, old, item));
}

function deleteField(result: Fields, name: string, removed: unknown): void {
  const list = ownField(result, name);
  if (removed === null) delete result[name];
  else if (Array.isArray(list) && Array.isArray(removed)) setOwn(result, name, deleteFromList(list, removed));
}

function mergeField(schema: StructuralSchema | undefined, result: Fields, key: string, value: unknown): void {
  if (value === null) {
    delete result[key];
    return;
  }
  const old = ownField(result, key);
  const field = mergeOf(schema, key);
  const [inside] = isFields(old) && isFields(value) && isRaw(field.schema) ? Object.keys(value) : [];
  if (inside !== undefined) throw noField('RawExtension', inside);
  if (isFields(old) && isFields(value))
    setOwn(result, key, field.strategies.includes('replace') ? value : mergeMap(field.schema, old, value));
  else if (Array.isArray(old) && Array.isArray(value))
    setOwn(result, key, mergeListField(field, old, value).list);
  else if (ownField(value, '$patch') !== undefined) delete result[key];
  else setOwn(result, key, fresh(value, 'dropped'));
}

/**
 * Strategic merge patch of a built-in kind, like the API server. `$patch` and `$retainKeys` in new list items are
 * not processed, because the server leaves them to its decoder. 400 if the patch is not an object or has invalid
 * `$retainKeys`, 422 for lists of lists, 500 for other malformed patches, in the server's wording.
 */
export function strategicPatch(
  schema: StructuralSchema | undefined,
  target: unknown,
  patch: unknown,
): unknown {
  if (patch === null) return target;
  if (!isFields(patch)) {
    const received = Array.isArray(patch) ? 'array' : typeof patch === 'boolean' ? 'bool' : typeof patch;
    throw refuse.badRequest(
      `json: cannot unmarshal ${received} into Go value of type map[string]interface {}`,
    );
  }
  return mergeMap(schema, isFields(target) ? target : {}, patch);
}

/**
 * The patch as the server shows it in the message for an undecodable result: after `$setElementOrder` and
 * `$retainKeys` were consumed.
 */
export function consumedPatch(patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  const spent = Object.entries(patch).filter(
    ([key]) =>
      key !== '$retainKeys' && !key.startsWith(orderPrefix) && !Object.hasOwn(patch, `${orderPrefix}${key}`),
  );
  const result: Fields = {};
  for (const [key, value] of spent) setOwn(result, key, consumedPatch(value));
  return result;
}
