import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { isObject } from '../values/json-shape.ts';

/**
 * By the name of a list in a pod: the field that identifies its items. All other lists are replaced as a whole, but for those of
 * `PRIMITIVE`. Within a pod no two lists of one name differ in this.
 */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  ephemeralContainers: 'name',
  volumes: 'name',
  env: 'name',
  ports: 'containerPort',
  volumeMounts: 'mountPath',
  volumeDevices: 'devicePath',
  imagePullSecrets: 'name',
  hostAliases: 'ip',
  topologySpreadConstraints: 'topologyKey',
  resourceClaims: 'name',
  schedulingGates: 'name',
};

/** Lists of texts that are merged as sets. */
const PRIMITIVE: ReadonlySet<string> = new Set(['finalizers']);

const DIRECTIVE = '$patch';
const RETAINED = '$retainKeys';

/** A patch that cannot be applied, with the path of the part that does not fit. */
export class UnfitPatch extends Error {
  readonly path: readonly string[];

  constructor(path: readonly string[], rule: string) {
    super(rule);
    this.path = path;
  }
}

/**
 * A strategic merge patch of a pod or a pod template, as the API server applies one: maps are merged, null removes a field, and items of
 * lists are merged by their key, new ones at the end. Of directives there are `$patch` (`delete`, `replace`) and `$retainKeys`. Throws an
 * `UnfitPatch` when a part does not fit what is there.
 */
export function strategicMerge(
  target: JsonObject,
  patch: JsonObject,
  path: readonly string[] = [],
): JsonObject {
  const directive = patch[DIRECTIVE];
  if (directive !== undefined) return replaced(directive, patch, [...path, DIRECTIVE]);
  const result = new Map(Object.entries(retained(target, patch, path)));
  for (const [key, value] of Object.entries(patch)) {
    if (key === RETAINED) continue;
    const at = [...path, key];
    if (key.startsWith('$')) throw new UnfitPatch(at, 'is a directive that is not executed');
    const merged = mergedField(result.get(key), value, key, at);
    if (merged === undefined) result.delete(key);
    else result.set(key, merged);
  }
  return Object.fromEntries(result);
}

/** What becomes of a field; undefined: it goes. */
function mergedField(
  before: Json | undefined,
  value: Json | undefined,
  key: string,
  path: string[],
): Json | undefined {
  if (value === null || value === undefined) return undefined;
  if (isJson(value)) {
    if (value[DIRECTIVE] !== undefined && !isJson(before)) return undefined;
    if (before === undefined || before === null) return fresh(value, path);
    if (!isJson(before)) throw new UnfitPatch(path, 'must not be a map: it replaces none');
    return strategicMerge(before, value, path);
  }
  if (!Array.isArray(value)) return value;
  const old = before ?? [];
  if (!Array.isArray(old)) throw new UnfitPatch(path, 'must not be a list: it replaces none');
  return mergedList(old, value, key, path);
}

function mergedList(before: readonly Json[], list: readonly Json[], key: string, path: string[]): Json[] {
  const mergeKey = Object.hasOwn(MERGE_KEYS, key) ? MERGE_KEYS[key] : undefined;
  if (mergeKey !== undefined) return mergedItems(before, list, mergeKey, path);
  if (PRIMITIVE.has(key)) return [...new Set([...before, ...list])];
  return [...list];
}

function mergedItems(
  before: readonly Json[],
  list: readonly Json[],
  mergeKey: string,
  path: string[],
): Json[] {
  const items = list.map((item, index) => {
    if (!isJson(item)) throw new UnfitPatch([...path, String(index)], 'must be a map');
    return { item, at: [...path, String(index)] };
  });
  const replaces = items.some(({ item }) => item[DIRECTIVE] === 'replace');
  let result: Json[] = replaces ? [] : [...before];
  for (const { item, at } of items) {
    const { [DIRECTIVE]: directive, ...rest } = item;
    if (directive === 'replace') continue;
    const id = item[mergeKey];
    if (id === undefined)
      throw new UnfitPatch([...at, mergeKey], 'must be there: it says which item is meant');
    const index = result.findIndex((each) => isJson(each) && each[mergeKey] === id);
    const old = result[index];
    if (directive === 'delete') result = result.filter((each) => !isJson(each) || each[mergeKey] !== id);
    else if (directive !== undefined) throw new UnfitPatch([...at, DIRECTIVE], 'must be delete or replace');
    else if (isJson(old)) result[index] = strategicMerge(old, rest, at);
    else result.push(fresh(rest, at));
  }
  return result;
}

/** The value where nothing is there: without what is null. */
function fresh(value: JsonObject, path: readonly string[]): JsonObject {
  return strategicMerge({}, value, path);
}

function replaced(directive: Json | undefined, patch: JsonObject, path: readonly string[]): JsonObject {
  const { [DIRECTIVE]: _, ...rest } = patch;
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw new UnfitPatch(path, 'must be delete or replace');
}

/** The fields that stay of a map that is a choice of one. */
function retained(target: JsonObject, patch: JsonObject, path: readonly string[]): JsonObject {
  const keys = patch[RETAINED];
  if (keys === undefined) return target;
  const at = [...path, RETAINED];
  if (!Array.isArray(keys)) throw new UnfitPatch(at, 'must be a list of the fields that stay');
  const kept = new Set<unknown>(keys);
  const unlisted = Object.keys(patch).find(
    (key) => !key.startsWith('$') && patch[key] !== null && !kept.has(key),
  );
  if (unlisted !== undefined) throw new UnfitPatch(at, `must have ${unlisted}, which is set`);
  return Object.fromEntries(Object.entries(target).filter(([key]) => kept.has(key)));
}

function isJson(value: unknown): value is JsonObject {
  return isObject(value);
}
