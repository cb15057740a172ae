import { authorizers } from './functions/authorizer.ts';
import { conversions } from './functions/conversions.ts';
import { namedFormats } from './functions/formats.ts';
import { lists } from './functions/lists.ts';
import { net } from './functions/net.ts';
import { operators, optionals } from './functions/operators.ts';
import { patches } from './functions/patches.ts';
import { quantities } from './functions/quantity.ts';
import { semvers } from './functions/semver.ts';
import { strings } from './functions/strings.ts';
import { urls } from './functions/urls.ts';
import { functionsOf, typeOf } from './signature.ts';
import { typeType, type Type } from './types.ts';
import type { Value } from './values.ts';

const libraries = [
  operators,
  conversions,
  strings,
  lists,
  optionals,
  urls,
  quantities,
  net,
  semvers,
  namedFormats,
];

/** The functions that every expression can call. */
export const functions = functionsOf(...libraries);

/** Those of expressions of admission. */
export const admissionFunctions = functionsOf(...libraries, authorizers);

/** Those of mutations. */
export const mutationFunctions = functionsOf(...libraries, authorizers, patches);

/** Types by their names in expressions. */
const named: Readonly<Record<string, string>> = {
  bool: 'bool',
  bytes: 'bytes',
  double: 'double',
  int: 'int',
  list: 'list<dyn>',
  map: 'map<dyn, dyn>',
  null_type: 'null_type',
  string: 'string',
  type: 'type<dyn>',
  uint: 'uint',
  optional_type: 'optional<V>',
  'google.protobuf.Duration': 'duration',
  'google.protobuf.Timestamp': 'timestamp',
  'net.IP': 'net.IP',
  'net.CIDR': 'net.CIDR',
  'kubernetes.URL': 'kubernetes.URL',
  'kubernetes.Quantity': 'kubernetes.Quantity',
  'kubernetes.Semver': 'kubernetes.Semver',
  'kubernetes.NamedFormat': 'kubernetes.NamedFormat',
};

export const typeNames: ReadonlyMap<string, Type> = new Map(
  Object.entries(named).map(([name, type]) => [name, typeType(typeOf(type))]),
);

/** The values of type names. */
export const typeValues: ReadonlyMap<string, Value> = new Map(
  Object.keys(named).map((name) => [name, { kind: 'type', name }]),
);
