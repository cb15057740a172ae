import {
  isDict,
  isList,
  isTagged,
  items,
  noOverload,
  numberOf,
  type Dict,
  type List,
  type Value,
} from './values.ts';

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** Lists of type set or map ignore item order. */
function sameLists(a: List, b: List): boolean {
  if (a.raw !== undefined && a.raw === b.raw) return true;
  if (a.size !== b.size) return false;
  const { keyOf } = a;
  if (a.listType === 'map' && keyOf !== undefined) {
    const byKey = new Map(items(a).map((item) => [keyOf(item), item]));
    return items(b).every((item) => {
      const own = byKey.get(keyOf(item));
      return own !== undefined && isEqual(own, item);
    });
  }
  if (a.listType === 'set') {
    const own = items(a);
    return items(b).every((item) => own.some((each) => isEqual(each, item)));
  }
  for (let index = 0; index < a.size; index += 1) if (!isEqual(a.at(index), b.at(index))) return false;
  return true;
}

function sameDicts(a: Dict, b: Dict): boolean {
  if (a.raw !== undefined && a.raw === b.raw) return true;
  if (a.size !== b.size || a.message !== b.message) return false;
  return a.keys().every((key) => {
    const [own, other] = [a.get(key), b.get(key)];
    if (own === undefined || other === undefined) return own === other;
    return isEqual(own, other);
  });
}

/**
 * Equality; values of different types are not equal, except numbers. A list or map of the object can only be
 * compared with another list or map (`no such overload`), like in the API server.
 */
export function isEqual(a: Value, b: Value): boolean {
  if (a === null || b === null) return a === b;
  const [left, right] = [numberOf(a), numberOf(b)];
  // Numbers of different types compare by value.
  // oxlint-disable-next-line eqeqeq
  if (left !== undefined && right !== undefined) return left == right;
  if (!isTagged(a)) {
    if (a instanceof Uint8Array && b instanceof Uint8Array) return sameBytes(a, b);
    return a === b;
  }
  if (isList(a)) {
    if (isList(b)) return sameLists(a, b);
    if (a.raw !== undefined) throw noOverload();
    return false;
  }
  if (isDict(a)) {
    if (isDict(b)) return sameDicts(a, b);
    if (a.raw !== undefined) throw noOverload();
    return false;
  }
  if (!isTagged(b) || a.kind !== b.kind) return false;
  switch (a.kind) {
    case 'uint':
      return false;
    case 'duration':
    case 'timestamp':
      return a.nanos === (b as typeof a).nanos;
    case 'type':
      return a.name === (b as typeof a).name;
    case 'optional': {
      const other = (b as typeof a).value;
      if (a.value === undefined || other === undefined) return a.value === other;
      return isEqual(a.value, other);
    }
    case 'opaque':
    default:
      return a.name === (b as typeof a).name && a.text === (b as typeof a).text;
  }
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b);
}

/** Strings compare by UTF-8 bytes, like in Go. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  for (let index = 0; index < a.length && index < b.length; index += 1) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (left === right) continue;
    const wide = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;
    if (wide(left) !== wide(right)) return wide(left) ? 1 : -1;
    return left < right ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}

function order(a: bigint | number | boolean, b: bigint | number | boolean): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

/** -1, 0 or 1; undefined for NaN. Throws EvaluationFault for unordered types. */
export function compare(a: Value, b: Value): number | undefined {
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left !== undefined && right !== undefined)
    return Number.isNaN(left) || Number.isNaN(right) ? undefined : order(left, right);
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return order(a, b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  if (isTagged(a) && isTagged(b) && (a.kind === 'duration' || a.kind === 'timestamp') && a.kind === b.kind)
    return order(a.nanos, b.nanos);
  throw noOverload();
}
