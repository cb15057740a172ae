/** A type of an expression, as the checker knows it. */
export interface Type {
  kind:
    | 'dyn'
    | 'error'
    | 'null_type'
    | 'bool'
    | 'int'
    | 'uint'
    | 'double'
    | 'string'
    | 'bytes'
    | 'timestamp'
    | 'duration'
    | 'list'
    | 'map'
    | 'type'
    | 'struct'
    | 'opaque'
    | 'param';
  /** For structs, library types and type parameters. */
  name?: string;
  params: readonly Type[];
  /** For structs: the accessible fields. */
  fields?: Pick<ReadonlyMap<string, Type>, 'get'>;
}

const simple = (kind: Type['kind']): Type => ({ kind, params: [] });

export const dynType = simple('dyn');
export const errorType = simple('error');
export const nullType = simple('null_type');
export const boolType = simple('bool');
export const intType = simple('int');
export const uintType = simple('uint');
export const doubleType = simple('double');
export const stringType = simple('string');
export const bytesType = simple('bytes');
export const timestampType = simple('timestamp');
export const durationType = simple('duration');

export const listType = (item: Type): Type => ({ kind: 'list', params: [item] });
export const mapType = (key: Type, value: Type): Type => ({ kind: 'map', params: [key, value] });
export const typeType = (of: Type): Type => ({ kind: 'type', params: [of] });
export const opaqueType = (name: string, params: readonly Type[] = []): Type => ({
  kind: 'opaque',
  name,
  params,
});
export const optionalType = (of: Type): Type => opaqueType('optional_type', [of]);
export const paramType = (name: string): Type => ({ kind: 'param', name, params: [] });

export const isOptionalType = (type: Type): boolean =>
  type.kind === 'opaque' && type.name === 'optional_type';
export const isDynOrError = ({ kind }: Type): boolean => kind === 'dyn' || kind === 'error';

/** A type in the format of the compiler's messages. */
export function typeText(type: Type): string {
  if (type.kind === 'error') return '!error!';
  if (type.kind === 'null_type') return 'null';
  const name = type.name ?? type.kind;
  return type.params.length === 0 ? name : `${name}(${type.params.map(typeText).join(', ')})`;
}

/** Type identity. */
export function isSameType(a: Type, b: Type): boolean {
  return (
    a === b ||
    (a.kind === b.kind &&
      a.name === b.name &&
      a.params.length === b.params.length &&
      a.params.every((param, index) => isSameType(param, b.params[index] ?? dynType)))
  );
}

/** Substitutions of type parameters. Immutable: each step of the check has its own. */
export type Bindings = ReadonlyMap<string, Type>;

/** Substitutes type parameters; with `open`, unbound ones become dyn. */
export function substitute(bindings: Bindings, type: Type, open = false): Type {
  if (type.kind === 'param') {
    const found = bindings.get(type.name ?? '');
    if (found !== undefined) return substitute(bindings, found, open);
    return open ? dynType : type;
  }
  if (type.params.length === 0) return type;
  return { ...type, params: type.params.map((param) => substitute(bindings, param, open)) };
}

function occurs(bindings: Bindings, name: string, within: Type): boolean {
  if (within.kind === 'param') {
    if (within.name === name) return true;
    const found = bindings.get(within.name ?? '');
    return found !== undefined && occurs(bindings, name, found);
  }
  return within.params.some((param) => occurs(bindings, name, param));
}

function isLessSpecific(a: Type, b: Type): boolean {
  if (a.kind === 'dyn' || a.kind === 'param') return true;
  if (b.kind === 'dyn' || b.kind === 'param' || a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  return (
    a.name === b.name &&
    a.params.length === b.params.length &&
    a.params.every((param, index) => isLessSpecific(param, b.params[index] ?? dynType))
  );
}

/** The more general of two assignable types. */
export const mostGeneral = (a: Type, b: Type): Type => (isLessSpecific(a, b) ? a : b);

/** Whether null is assignable to the type. */
const nullable = new Set<Type['kind']>(['null_type', 'opaque', 'struct', 'duration', 'timestamp']);

function bind(bindings: Map<string, Type>, type: Type, param: Type): { fits: boolean; known: boolean } {
  if (isSameType(type, param)) return { fits: true, known: true };
  const name = param.name ?? '';
  const found = bindings.get(name);
  if (found !== undefined) {
    if (isSameType(type, found)) return { fits: true, known: true };
    if (!unify(bindings, type, found)) return { fits: false, known: true };
    const general = mostGeneral(type, found);
    if (!occurs(bindings, name, general)) bindings.set(name, general);
    return { fits: true, known: true };
  }
  if (occurs(bindings, name, type)) return { fits: false, known: false };
  bindings.set(name, type);
  return { fits: true, known: false };
}

/** Whether `a` is assignable to `b`; extends `bindings`. */
function unify(bindings: Map<string, Type>, a: Type, b: Type): boolean {
  if (b.kind === 'param') {
    const { fits, known } = bind(bindings, a, b);
    if (fits) return true;
    if (known) return false;
  }
  if (a.kind === 'param') return bind(bindings, b, a).fits;
  if (isDynOrError(a) || isDynOrError(b)) return true;
  if (a.kind === 'null_type') return nullable.has(b.kind);
  if (b.kind === 'null_type') return nullable.has(a.kind);
  if (a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  if (a.name !== b.name) return false;
  return unifyAll(bindings, a.params, b.params);
}

function unifyAll(bindings: Map<string, Type>, a: readonly Type[], b: readonly Type[]): boolean {
  return a.length === b.length && a.every((type, index) => unify(bindings, type, b[index] ?? dynType));
}

/** The bindings for pairwise assignment of `a` to `b`; undefined if they are not assignable. */
export function assign(bindings: Bindings, a: readonly Type[], b: readonly Type[]): Bindings | undefined {
  const next = new Map(bindings);
  return unifyAll(next, a, b) ? next : undefined;
}
