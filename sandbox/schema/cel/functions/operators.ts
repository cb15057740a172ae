import { compare, isEqual } from '../equality.ts';
import { at, optionalAt } from '../access.ts';
import type { Form } from '../signature.ts';
import { EvaluationFault } from '../source.ts';
import {
  durationOf,
  isOptional,
  items,
  listOf,
  timestampOf,
  uintOf,
  type Dict,
  type Duration,
  type List,
  type Timestamp,
  type Uint,
  type Value,
} from '../values.ts';

const maxInt = 2n ** 63n;

/** A 64-bit integer. Throws EvaluationFault on overflow. */
export function int(value: bigint, overflow = 'integer overflow'): bigint {
  if (value >= maxInt || value < -maxInt) throw new EvaluationFault(overflow);
  return value;
}

/** An unsigned 64-bit integer. */
export function uint(value: bigint): Uint {
  if (value < 0n || value >= 2n ** 64n) throw new EvaluationFault('unsigned integer overflow');
  return uintOf(value);
}

export const duration = (nanos: bigint): Duration => durationOf(int(nanos, 'duration overflow'));

const earliest = -62_135_596_800_000_000_000n;
const latest = 253_402_300_800_000_000_000n;

export function timestamp(nanos: bigint): Timestamp {
  if (nanos < earliest || nanos >= latest) throw new EvaluationFault('timestamp overflow');
  return timestampOf(nanos);
}

function nonZero(value: bigint, what: 'division' | 'modulus'): bigint {
  if (value === 0n) throw new EvaluationFault(`${what} by zero`);
  return value;
}

/** Concatenates two lists; the list type (set or map) is preserved. */
function joined(a: List, b: List): Value {
  const own = items(a);
  const added = items(b);
  const { keyOf } = a;
  if (a.listType === 'map' && keyOf !== undefined) {
    const byKey = new Map(own.map((item) => [keyOf(item), item]));
    for (const item of added) byKey.set(keyOf(item), item);
    return listOf([...byKey.values()]);
  }
  if (a.listType === 'set')
    return listOf([...own, ...added.filter((item) => !own.some((each) => isEqual(each, item)))]);
  return listOf([...own, ...added]);
}

function ordered(holds: (order: number) => boolean): Form[] {
  const call = (a: Value, b: Value) => {
    const order = compare(a, b);
    if (order === undefined) throw new EvaluationFault('NaN values cannot be ordered');
    return holds(order);
  };
  const same = ['bool', 'string', 'bytes', 'timestamp', 'duration'].map((type) => `(${type}, ${type}) bool`);
  const numbers = ['int', 'uint', 'double'];
  const mixed = numbers.flatMap((a) => numbers.map((b) => `(${a}, ${b}) bool`));
  return [...mixed, ...same].map((signature) => [signature, call] as const);
}

function isIn(value: Value, list: List): boolean {
  let fault: unknown;
  for (let index = 0; index < list.size; index += 1)
    try {
      if (isEqual(list.at(index), value)) return true;
    } catch (error) {
      fault ??= error;
    }
  if (fault !== undefined) throw fault;
  return false;
}

/** Operators, by their names in the compiler's messages. */
export const operators: Readonly<Record<string, readonly Form[]>> = {
  // These three are evaluated lazily, not called.
  '_?_:_': [['(bool, A, A) A', (condition: boolean, yes: Value, no: Value) => (condition ? yes : no)]],
  '_&&_': [['(bool, bool) bool', (a: boolean, b: boolean) => a && b]],
  '_||_': [['(bool, bool) bool', (a: boolean, b: boolean) => a || b]],
  '!_': [['(bool) bool', (a: boolean) => !a]],
  '-_': [
    ['(int) int', (a: bigint) => int(-a)],
    ['(double) double', (a: number) => -a],
  ],
  '_==_': [['(A, A) bool', isEqual]],
  '_!=_': [['(A, A) bool', (a: Value, b: Value) => !isEqual(a, b)]],
  '_+_': [
    ['(bytes, bytes) bytes', (a: Uint8Array, b: Uint8Array) => new Uint8Array(Buffer.concat([a, b]))],
    ['(double, double) double', (a: number, b: number) => a + b],
    ['(duration, duration) duration', (a: Duration, b: Duration) => duration(a.nanos + b.nanos)],
    ['(duration, timestamp) timestamp', (a: Duration, b: Timestamp) => timestamp(a.nanos + b.nanos)],
    ['(timestamp, duration) timestamp', (a: Timestamp, b: Duration) => timestamp(a.nanos + b.nanos)],
    ['(int, int) int', (a: bigint, b: bigint) => int(a + b)],
    ['(list<A>, list<A>) list<A>', joined],
    ['(string, string) string', (a: string, b: string) => a + b],
    ['(uint, uint) uint', (a: Uint, b: Uint) => uint(a.value + b.value)],
  ],
  '_-_': [
    ['(double, double) double', (a: number, b: number) => a - b],
    ['(duration, duration) duration', (a: Duration, b: Duration) => duration(a.nanos - b.nanos)],
    ['(int, int) int', (a: bigint, b: bigint) => int(a - b)],
    ['(timestamp, duration) timestamp', (a: Timestamp, b: Duration) => timestamp(a.nanos - b.nanos)],
    ['(timestamp, timestamp) duration', (a: Timestamp, b: Timestamp) => duration(a.nanos - b.nanos)],
    ['(uint, uint) uint', (a: Uint, b: Uint) => uint(a.value - b.value)],
  ],
  '_*_': [
    ['(double, double) double', (a: number, b: number) => a * b],
    ['(int, int) int', (a: bigint, b: bigint) => int(a * b)],
    ['(uint, uint) uint', (a: Uint, b: Uint) => uint(a.value * b.value)],
  ],
  '_/_': [
    ['(double, double) double', (a: number, b: number) => a / b],
    ['(int, int) int', (a: bigint, b: bigint) => int(a / nonZero(b, 'division'))],
    ['(uint, uint) uint', (a: Uint, b: Uint) => uint(a.value / nonZero(b.value, 'division'))],
  ],
  '_%_': [
    ['(int, int) int', (a: bigint, b: bigint) => a % nonZero(b, 'modulus')],
    ['(uint, uint) uint', (a: Uint, b: Uint) => uint(a.value % nonZero(b.value, 'modulus'))],
  ],
  '_<_': ordered((order) => order < 0),
  '_<=_': ordered((order) => order <= 0),
  '_>_': ordered((order) => order > 0),
  '_>=_': ordered((order) => order >= 0),
  '_[_]': [
    ['(list<A>, int) A', at],
    ['(map<A, B>, A) B', at],
    ['(optional<list<V>>, int) optional<V>', at],
    ['(optional<map<K, V>>, K) optional<V>', at],
  ],
  '_[?_]': [
    ['(list<V>, int) optional<V>', optionalAt],
    ['(optional<list<V>>, int) optional<V>', optionalAt],
    ['(map<K, V>, K) optional<V>', optionalAt],
    ['(optional<map<K, V>>, K) optional<V>', optionalAt],
  ],
  '@in': [
    ['(A, list<A>) bool', isIn],
    ['(A, map<A, B>) bool', (key: Value, map: Dict) => map.get(key) !== undefined],
  ],
  size: ['string', 'bytes', 'list<A>', 'map<A, B>'].flatMap((type) => [
    [`(${type}) int`, size] as const,
    [`${type}.() int`, size] as const,
  ]),
};

function size(value: string | Uint8Array | List | Dict): bigint {
  if (typeof value === 'string') return BigInt([...value].length);
  return BigInt(value instanceof Uint8Array ? value.length : value.size);
}

/** Functions of optionals. `or` and `orValue` are evaluated lazily. */
export const optionals: Readonly<Record<string, readonly Form[]>> = {
  'optional.of': [['(V) optional<V>', (value: Value) => ({ kind: 'optional', value })]],
  'optional.ofNonZeroValue': [
    ['(V) optional<V>', (value: Value) => ({ kind: 'optional', value: isZero(value) ? undefined : value })],
  ],
  'optional.none': [['() optional<V>', () => ({ kind: 'optional', value: undefined })]],
  'optional.unwrap': [['(list<optional<V>>) list<V>', unwrap]],
  unwrapOpt: [['list<optional<V>>.() list<V>', unwrap]],
  value: [
    [
      'optional<V>.() V',
      (optional: Value) => {
        if (isOptional(optional) && optional.value !== undefined) return optional.value;
        throw new EvaluationFault('optional.none() dereference');
      },
    ],
  ],
  hasValue: [
    ['optional<V>.() bool', (optional: Value) => isOptional(optional) && optional.value !== undefined],
  ],
  or: [['optional<V>.(optional<V>) optional<V>', (a: Value) => a]],
  orValue: [['optional<V>.(V) V', (a: Value) => a]],
};

function unwrap(list: List): Value {
  return listOf(
    items(list).flatMap((each) => (isOptional(each) && each.value !== undefined ? [each.value] : [])),
  );
}

function isZero(value: Value): boolean {
  if (value === null || value === '' || value === false || value === 0 || value === 0n) return true;
  if (value instanceof Uint8Array) return value.length === 0;
  if (typeof value !== 'object') return false;
  switch (value.kind) {
    case 'list':
    case 'map':
      return value.size === 0;
    case 'uint':
      return value.value === 0n;
    case 'duration':
      return value.nanos === 0n;
    case 'timestamp':
      return value.nanos === earliest;
    case 'optional':
      return value.value === undefined;
    case 'type':
    case 'opaque':
    default:
      return false;
  }
}
