import { EvaluationFault } from './source.ts';

/** A list value. Lists of type `set` and `map` compare without order. */
export interface List {
  kind: 'list';
  size: number;
  at(index: number): Value;
  listType?: 'atomic' | 'set' | 'map';
  /** The keys of a `map` list. */
  keyOf?(item: Value): string;
  /** The underlying value of the object, for identity: the same value with the same schema is the same list. */
  raw?: unknown;
}

/** A map or object: `get` returns undefined for absent keys. */
export interface Dict {
  kind: 'map';
  size: number;
  keys(): readonly Value[];
  get(key: Value): Value | undefined;
  raw?: unknown;
  /** The type of a constructed message. */
  message?: string;
}

export interface Uint {
  kind: 'uint';
  value: bigint;
}

export interface Duration {
  kind: 'duration';
  nanos: bigint;
}

/** Nanoseconds since 1970. */
export interface Timestamp {
  kind: 'timestamp';
  nanos: bigint;
}

export interface TypeValue {
  kind: 'type';
  name: string;
}

export interface Optional {
  kind: 'optional';
  /** Undefined: `optional.none()`. */
  value: Value | undefined;
}

/** A library value, opaque to other functions. `text` defines equality. */
export interface Opaque {
  kind: 'opaque';
  name: string;
  text: string;
  data: unknown;
}

/** int is bigint, double is number. */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | List
  | Dict
  | Uint
  | Duration
  | Timestamp
  | TypeValue
  | Optional
  | Opaque;

/** A value in the format of error messages. */
export function faultText(value: Value): string {
  if (typeof value === 'object' && value !== null)
    return isUint(value) ? String(value.value) : typeName(value);
  return String(value);
}

export const noOverload = (name?: string): EvaluationFault =>
  new EvaluationFault(name === undefined ? 'no such overload' : `no such overload: ${name}`);

/** The type name of a value, as returned by `type(…)`. */
export function typeName(value: Value): string {
  if (value === null) return 'null_type';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'double';
  if (typeof value === 'string') return 'string';
  if (value instanceof Uint8Array) return 'bytes';
  switch (value.kind) {
    case 'timestamp':
      return 'google.protobuf.Timestamp';
    case 'duration':
      return 'google.protobuf.Duration';
    case 'optional':
      return 'optional_type';
    case 'opaque':
      return value.name;
    case 'map':
      return value.message ?? value.kind;
    case 'list':
    case 'uint':
    case 'type':
    default:
      return value.kind;
  }
}

export const isTagged = (
  value: Value,
): value is Exclude<Value, null | boolean | bigint | number | string | Uint8Array> =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array);

export const isList = (value: Value): value is List => isTagged(value) && value.kind === 'list';
export const isDict = (value: Value): value is Dict => isTagged(value) && value.kind === 'map';
export const isUint = (value: Value): value is Uint => isTagged(value) && value.kind === 'uint';
export const isOptional = (value: Value): value is Optional => isTagged(value) && value.kind === 'optional';

export function listOf(values: readonly Value[]): List {
  return { kind: 'list', size: values.length, at: (index) => values[index] ?? null };
}

export function items(list: List): Value[] {
  return Array.from({ length: list.size }, (_, index) => list.at(index));
}

/** Creates a map from pairs with unique keys. */
export function dictOf(pairs: readonly (readonly [Value, Value])[]): Dict {
  const found = new Map(pairs.map(([key, value]) => [keyText(key), [key, value] as const]));
  return {
    kind: 'map',
    size: found.size,
    keys: () => [...found.values()].map(([key]) => key),
    get: (key) => found.get(keyText(key))?.[1],
  };
}

/** Creates a message with these fields. */
export const messageOf = (message: string, fields: readonly (readonly [string, Value])[]): Dict => ({
  ...dictOf(fields),
  message,
});

/** The identity of a key; equal numbers of different types are one key. */
function keyText(key: Value): string {
  if (typeof key === 'string') return `s${key}`;
  const number = numberOf(key);
  if (number !== undefined) return `n${String(number)}`;
  return `${typeName(key)} ${faultText(key)}`;
}

export const durationOf = (nanos: bigint): Duration => ({ kind: 'duration', nanos });
export const timestampOf = (nanos: bigint): Timestamp => ({ kind: 'timestamp', nanos });
export const uintOf = (value: bigint): Uint => ({ kind: 'uint', value });
export const optionalOf = (value: Value | undefined): Optional => ({ kind: 'optional', value });

/** A number of any type, for comparison; JavaScript compares them exactly. */
export function numberOf(value: Value): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return isUint(value) ? value.value : undefined;
}
