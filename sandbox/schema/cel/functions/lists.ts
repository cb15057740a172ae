import { compare, isEqual } from '../equality.ts';
import type { Form } from '../signature.ts';
import { EvaluationFault } from '../source.ts';
import {
  isList,
  items,
  listOf,
  optionalOf,
  typeName,
  uintOf,
  type Duration,
  type List,
  type Uint,
  type Value,
} from '../values.ts';
import { duration, int, uint } from './operators.ts';

const ordered = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];

function sum(list: List, zero: Value): Value {
  return items(list).reduce<Value>((total, item) => {
    if (typeof total === 'number' && typeof item === 'number') return total + item;
    if (typeof total === 'bigint' && typeof item === 'bigint') return int(total + item);
    if (typeName(total) === 'uint') return uint((total as Uint).value + (item as Uint).value);
    return duration((total as Duration).nanos + (item as Duration).nanos);
  }, zero);
}

const zeros: readonly (readonly [string, Value])[] = [
  ['int', 0n],
  ['uint', uintOf(0n)],
  ['double', 0],
  ['duration', { kind: 'duration', nanos: 0n }],
];

function extreme(name: string, wanted: number): (list: List) => Value {
  return (list) => {
    const [first, ...rest] = items(list);
    if (first === undefined) throw new EvaluationFault(`${name} called on empty list`);
    return rest.reduce((best, item) => (compare(best, item) === wanted ? item : best), first);
  };
}

function isSorted(list: List): boolean {
  return items(list).every((item, index, all) => index === 0 || compare(all[index - 1] ?? null, item) !== 1);
}

function position(list: List, item: Value, backwards: boolean): bigint {
  const all = items(list);
  const isIt = (each: Value) => isEqual(each, item);
  return BigInt(backwards ? all.findLastIndex(isIt) : all.findIndex(isIt));
}

function slice(list: List, start: bigint, end: bigint): Value {
  const fault = (why: string) => new EvaluationFault(`cannot slice(${start}, ${end}), ${why}`);
  if (start < 0n || end < 0n) throw fault('negative indexes not supported');
  if (start > end) throw fault('start index must be less than or equal to end index');
  if (end > list.size) throw fault(`list is length ${list.size}`);
  return listOf(items(list).slice(Number(start), Number(end)));
}

function flatten(list: List, depth = 1n): Value {
  if (depth < 0n) throw new EvaluationFault('level must be non-negative');
  const flat = (each: List, left: bigint): Value[] =>
    items(each).flatMap((item) => (isList(item) && left > 0n ? flat(item, left - 1n) : [item]));
  return listOf(flat(list, depth));
}

function sortedBy(list: List, keys: List): Value {
  const byKey = items(list).map((item, index) => [keys.at(index), item] as const);
  const [first] = byKey;
  if (byKey.some(([key]) => typeName(key) !== typeName(first?.[0] ?? null)))
    throw new EvaluationFault('list elements must have the same type');
  return listOf(byKey.toSorted(([a], [b]) => compare(a, b) ?? 0).map(([, item]) => item));
}

function distinct(list: List): Value {
  const found: Value[] = [];
  for (const item of items(list)) if (!found.some((each) => isEqual(item, each))) found.push(item);
  return listOf(found);
}

const holds = (list: List, item: Value) => items(list).some((each) => isEqual(each, item));
const holdsAll = (a: List, b: List) => items(b).every((item) => holds(a, item));

/** List functions: those of Kubernetes, and of CEL's list and set extensions. */
export const lists: Readonly<Record<string, readonly Form[]>> = {
  isSorted: ordered.map((type) => [`list<${type}>.() bool`, isSorted] as const),
  sum: zeros.map(([type, zero]) => [`list<${type}>.() ${type}`, (list: List) => sum(list, zero)] as const),
  min: ordered.map((type) => [`list<${type}>.() ${type}`, extreme('min', 1)] as const),
  max: ordered.map((type) => [`list<${type}>.() ${type}`, extreme('max', -1)] as const),
  indexOf: [['list<A>.(A) int', (list: List, item: Value) => position(list, item, false)]],
  lastIndexOf: [['list<A>.(A) int', (list: List, item: Value) => position(list, item, true)]],
  slice: [['list<T>.(int, int) list<T>', slice]],
  flatten: [
    ['list<list<T>>.() list<T>', flatten],
    ['list<dyn>.(int) list<dyn>', flatten],
  ],
  sort: ordered.map(
    (type) => [`list<${type}>.() list<${type}>`, (list: List) => sortedBy(list, list)] as const,
  ),
  '@sortByAssociatedKeys': ordered.map((type) => [`list<T>.(list<${type}>) list<T>`, sortedBy] as const),
  'lists.range': [
    [
      '(int) list<int>',
      (size: bigint) =>
        listOf(Array.from({ length: Math.max(0, Number(size)) }, (_, index) => BigInt(index))),
    ],
  ],
  reverse: [['list<T>.() list<T>', (list: List) => listOf(items(list).toReversed())]],
  first: [['list<T>.() optional<T>', (list: List) => optionalOf(items(list)[0])]],
  last: [['list<T>.() optional<T>', (list: List) => optionalOf(items(list).at(-1))]],
  distinct: [['list<T>.() list<T>', distinct]],
  'sets.contains': [['(list<T>, list<T>) bool', holdsAll]],
  'sets.equivalent': [['(list<T>, list<T>) bool', (a: List, b: List) => holdsAll(a, b) && holdsAll(b, a)]],
  'sets.intersects': [
    ['(list<T>, list<T>) bool', (a: List, b: List) => items(a).some((item) => holds(b, item))],
  ],
};
