import { refuse } from '../api/errors.ts';
import { isFields, ownField, sameValue, setOwn, type Fields } from '../store/value.ts';

/** Lists whose items are merged by a key, by the name of their field in the built-in kinds. All others are replaced. */
const mergeKeys: Readonly<Record<string, string>> = {
  conditions: 'type',
  containers: 'name',
  env: 'name',
  ephemeralContainers: 'name',
  hostAliases: 'ip',
  imagePullSecrets: 'name',
  initContainers: 'name',
  ownerReferences: 'uid',
  podIPs: 'ip',
  resourceClaims: 'name',
  schedulingGates: 'name',
  secrets: 'name',
  taints: 'key',
  topologySpreadConstraints: 'topologyKey',
  volumeDevices: 'devicePath',
  volumeMounts: 'mountPath',
  volumes: 'name',
  addresses: 'type',
};

/** Lists of plain values that are merged as sets. */
const setFields = new Set(['finalizers']);

/** Service ports are told apart by their port, container ports by the container's. */
function mergeKeyOf(kind: string, fieldName: string): string | undefined {
  if (fieldName === 'ports') return kind === 'Service' ? 'port' : 'containerPort';
  // An Event's and an EndpointSlice's lists, and every list not in the table, are atomic.
  return Object.hasOwn(mergeKeys, fieldName) ? mergeKeys[fieldName] : undefined;
}

function directive(patch: Fields): 'merge' | 'replace' | 'delete' {
  const value = ownField(patch, '$patch');
  if (value === undefined || value === 'merge') return 'merge';
  if (value === 'replace' || value === 'delete') return value;
  throw refuse.badRequest(`Unknown patch type: ${JSON.stringify(value)}`);
}

/** A value as a patch brings it where there was nothing: directives taken out, nulls dropped. */
function withoutDirectives(kind: string, value: unknown, fieldName: string): unknown {
  if (Array.isArray(value)) return mergeList(kind, [], value, fieldName);
  if (isFields(value)) return mergeFields(kind, {}, value);
  return value;
}

function mergeFields(kind: string, target: Fields, patch: Fields): Fields {
  const how = directive(patch);
  if (how === 'delete') return {};
  const result: Fields = how === 'replace' ? {} : { ...target };
  const retained = ownField(patch, '$retainKeys');
  if (Array.isArray(retained))
    for (const key of Object.keys(result)) if (!retained.includes(key)) delete result[key];
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (key.startsWith('$deleteFromPrimitiveList/')) {
      const name = key.slice(key.indexOf('/') + 1);
      const list = ownField(result, name);
      if (Array.isArray(list) && Array.isArray(value))
        setOwn(
          result,
          name,
          list.filter((item) => !value.some((gone) => sameValue(gone, item))),
        );
      continue;
    }
    if (key.startsWith('$')) continue;
    if (value === null) delete result[key];
    else setOwn(result, key, mergeField(kind, ownField(result, key), value, key));
  }
  for (const key of Object.keys(patch)) {
    if (!key.startsWith('$setElementOrder/')) continue;
    const name = key.slice(key.indexOf('/') + 1);
    const list = ownField(result, name);
    if (Array.isArray(list)) setOwn(result, name, ordered(kind, list, patch[key], name));
  }
  return result;
}

function mergeField(kind: string, target: unknown, value: unknown, fieldName: string): unknown {
  if (isFields(value)) return mergeFields(kind, isFields(target) ? target : {}, value);
  if (Array.isArray(value)) return mergeList(kind, Array.isArray(target) ? target : [], value, fieldName);
  return value;
}

function mergeList(
  kind: string,
  target: readonly unknown[],
  patch: readonly unknown[],
  fieldName: string,
): unknown[] {
  if (setFields.has(fieldName)) return [...target, ...patch.filter((item) => !target.includes(item))];
  const key = mergeKeyOf(kind, fieldName);
  const items = patch.filter(isFields);
  if (key === undefined || items.length !== patch.length)
    return patch.map((item) => (isFields(item) ? withoutDirectives(kind, item, '') : item));
  const replaces = items.some((item) => directive(item) === 'replace' && !Object.hasOwn(item, key));
  let result: unknown[] = replaces ? [] : [...target];
  for (const item of items) {
    const how = directive(item);
    const id = ownField(item, key);
    if (id === undefined) {
      if (how === 'replace') continue;
      throw refuse.badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
    }
    const index = result.findIndex((each) => sameValue(ownField(each, key), id));
    if (how === 'delete') result = result.filter((each) => !sameValue(ownField(each, key), id));
    else if (index < 0) result.push(withoutDirectives(kind, item, ''));
    else {
      const old = result[index];
      result[index] = mergeFields(kind, isFields(old) ? old : {}, item);
    }
  }
  return result;
}

/** Items named by `$setElementOrder` in its order; the others stay after the item they followed. */
function ordered(kind: string, list: readonly unknown[], order: unknown, fieldName: string): unknown[] {
  if (!Array.isArray(order)) return [...list];
  const key = mergeKeyOf(kind, fieldName);
  const idOf = (item: unknown) => (key === undefined ? item : ownField(item, key));
  const rank = (item: unknown) => order.findIndex((each) => sameValue(idOf(each), idOf(item)));
  const named = list.filter((item) => rank(item) >= 0).sort((a, b) => rank(a) - rank(b));
  const result: unknown[] = [];
  let next = 0;
  for (const item of list) {
    if (rank(item) >= 0) result.push(named[next++]);
    else result.push(item);
  }
  return result;
}

/**
 * Strategic merge patch as the API server applies it to a built-in kind. 400 for an unknown `$patch` and for a list
 * item without its merge key.
 */
export function strategicPatch(kind: string, target: unknown, patch: unknown): unknown {
  if (!isFields(patch)) throw refuse.badRequest('a strategic merge patch is an object');
  return mergeFields(kind, isFields(target) ? target : {}, patch);
}
