import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  opaqueType,
  optionalType,
  paramType,
  stringType,
  timestampType,
  typeType,
  uintType,
  type Type,
} from './types.ts';
import { isTagged, typeName, type Value } from './values.ts';

/** One overload of a function: parameters, result and implementation. */
export interface Overload {
  isMember: boolean;
  params: readonly Type[];
  result: Type;
  call: (...args: Value[]) => Value;
}

/**
 * Overload notation: `string.(int, int) string` for a member, else `(string) bool`; followed by the implementation.
 */
export type Form = readonly [signature: string, call: (...args: never[]) => Value];

const plain: Readonly<Record<string, Type>> = {
  bool: boolType,
  int: intType,
  uint: uintType,
  double: doubleType,
  string: stringType,
  bytes: bytesType,
  timestamp: timestampType,
  duration: durationType,
  dyn: dynType,
  null_type: { kind: 'null_type', params: [] },
};

/** `list<A>`, `map<string, B>`, `optional<V>`, `net.IP`; a single capital letter is a type parameter. */
export function typeOf(text: string): Type {
  let at = 0;
  function read(): Type {
    const [name = ''] = /^[\w.]+/.exec(text.slice(at)) ?? [];
    at += name.length;
    const params: Type[] = [];
    if (text[at] === '<') {
      do {
        at += 1;
        while (text[at] === ' ') at += 1;
        params.push(read());
      } while (text[at] === ',');
      at += 1;
    }
    const [first = dynType, second = dynType] = params;
    if (name === 'list') return listType(first);
    if (name === 'map') return mapType(first, second);
    if (name === 'type') return typeType(first);
    if (name === 'optional') return optionalType(first);
    return plain[name] ?? (/^[A-Z]$/.test(name) ? paramType(name) : opaqueType(name));
  }
  return read();
}

/** Splits at commas outside of brackets. */
function divided(text: string): string[] {
  return text.trim() === '' ? [] : text.split(/,(?![^<]*>)/).map((part) => part.trim());
}

function overloadOf([signature, call]: Form): Overload {
  const [, target, params = '', result = ''] = /^(?:(.*)\.)?\((.*)\) (.*)$/.exec(signature) ?? [];
  return {
    isMember: target !== undefined,
    params: [...(target === undefined ? [] : [target]), ...divided(params)].map(typeOf),
    result: typeOf(result),
    call: call as unknown as Overload['call'],
  };
}

/** Functions by name with all overloads. */
export type Functions = ReadonlyMap<string, readonly Overload[]>;

/** Merges libraries; overloads of the same name are combined. */
export function functionsOf(...libraries: readonly Readonly<Record<string, readonly Form[]>>[]): Functions {
  const found = new Map<string, Overload[]>();
  for (const library of libraries)
    for (const [name, forms] of Object.entries(library))
      found.set(name, [...(found.get(name) ?? []), ...forms.map(overloadOf)]);
  return found;
}

const kindNames: Partial<Record<Type['kind'], string>> = {
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
};

/** Whether a value matches a parameter type; element types are not checked. */
function takes(type: Type, value: Value): boolean {
  if (type.kind === 'dyn' || type.kind === 'param' || type.kind === 'error') return true;
  if (type.kind === 'opaque') return typeName(value) === type.name;
  if (type.kind === 'struct') return isTagged(value) && value.kind === 'map';
  return typeName(value) === (kindNames[type.kind] ?? type.kind);
}

/** Whether values match the parameters of an overload. */
export const takesAll = ({ params }: Overload, values: readonly Value[]): boolean =>
  params.length === values.length && params.every((param, index) => takes(param, values[index] ?? null));
