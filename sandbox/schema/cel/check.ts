import { qualifiedName, type Call, type Loop, type Node, type Select, type Struct } from './ast.ts';
import { isReserved } from './escape.ts';
import type { Functions, Overload } from './signature.ts';
import type { Problem } from './source.ts';
import {
  assign,
  boolType,
  bytesType,
  doubleType,
  dynType,
  errorType,
  intType,
  isDynOrError,
  isOptionalType,
  isSameType,
  listType,
  mapType,
  mostGeneral,
  nullType,
  optionalType,
  paramType,
  stringType,
  substitute,
  typeText,
  uintType,
  type Bindings,
  type Type,
} from './types.ts';
import { isUint, type Value } from './values.ts';

/** The declarations that an expression can use. */
export interface Environment {
  functions: Functions;
  /** Types of variables, including qualified names. */
  names: ReadonlyMap<string, Type>;
  /** The message types that an expression can construct, by name. */
  messages?: ((name: string) => Type | undefined) | undefined;
}

/** A checked expression: the overload candidates of each call. */
export interface Checked {
  type: Type;
  calls: ReadonlyMap<Node, readonly Overload[]>;
  /** The types of all nodes. */
  types: ReadonlyMap<Node, Type>;
  /** The variables that the expression uses. */
  used: ReadonlySet<string>;
  /** Selections that are qualified names of the environment (`net.IP`). */
  names: ReadonlyMap<Node, string>;
}

/** Fields named like reserved words can be selected without escaping. */
function fieldType({ fields }: Type, name: string): Type | undefined {
  return fields?.get(name) ?? (isReserved(name) ? fields?.get(`__${name}__`) : undefined);
}

function literalType(value: Value): Type {
  if (typeof value === 'boolean') return boolType;
  if (typeof value === 'bigint') return intType;
  if (typeof value === 'number') return doubleType;
  if (typeof value === 'string') return stringType;
  if (value === null) return nullType;
  return isUint(value) ? uintType : bytesType;
}

/** The type of an expression and all its errors, in the compiler's wording. */
export function check(
  root: Node,
  environment: Environment,
): { checked?: Checked; problems: readonly Problem[] } {
  const problems: Problem[] = [];
  // Mixed literal types are reported only if there are no other errors.
  const late: Problem[] = [];
  const calls = new Map<Node, readonly Overload[]>();
  const types = new Map<Node, Type>();
  const used = new Set<string>();
  const qualified = new Map<Node, string>();
  let bindings: Bindings = new Map();
  let variables = 0;
  let mixed = false;
  let scope: ReadonlyMap<string, Type> = new Map();

  const report = (at: number, message: string): Type => {
    problems.push({ at, message });
    return errorType;
  };
  const freshVariable = (): Type => paramType(`_var${variables++}`);
  const resolved = (type: Type) => substitute(bindings, type);
  const undeclared = (at: number, name: string) =>
    report(at, `undeclared reference to '${name}' (in container '')`);
  const mismatchText = (wanted: Type, found: Type) =>
    `expected type '${typeText(resolved(wanted))}' but found '${typeText(resolved(found))}'`;
  const mismatch = (at: number, wanted: Type, found: Type) => report(at, mismatchText(wanted, found));

  function fits(type: Type, wanted: Type): boolean {
    const next = assign(bindings, [type], [wanted]);
    if (next !== undefined) bindings = next;
    return next !== undefined;
  }

  function within<T>(names: Iterable<readonly [string, Type]>, work: () => T): T {
    const outer = scope;
    scope = new Map([...outer, ...names]);
    const result = work();
    scope = outer;
    return result;
  }

  function typeOf(node: Node): Type {
    const type = ownType(node);
    types.set(node, type);
    return type;
  }

  function ownType(node: Node): Type {
    switch (node.op) {
      case 'literal':
        return literalType(node.value);
      case 'ident': {
        const own = scope.get(node.name);
        if (own !== undefined) return own;
        used.add(node.name);
        return environment.names.get(node.name) ?? undeclared(node.at, node.name);
      }
      case 'select':
        return selectType(node);
      case 'call':
        return callType(node);
      case 'list':
        return listType(joined(node.items) ?? freshVariable());
      case 'map': {
        const keys = joined(node.entries.map(({ key }) => ({ value: key, optional: false })));
        const values = joined(node.entries);
        return mapType(keys ?? freshVariable(), values ?? freshVariable());
      }
      case 'struct':
        return structType(node);
      case 'loop':
        return loopType(node);
      case 'bind':
      default:
        return bindType(node);
    }
  }

  /** The common element type; literals must not be mixed. */
  function joined(parts: readonly { value: Node; optional: boolean }[]): Type | undefined {
    let common: Type | undefined;
    for (const { value, optional } of parts) {
      let type = typeOf(value);
      if (optional) {
        const opened = resolved(type);
        if (isOptionalType(opened)) type = opened.params[0] ?? dynType;
        else if (opened.kind !== 'dyn') mismatch(value.at, optionalType(type), type);
      }
      if (common === undefined) common = type;
      else if (fits(common, type)) common = mostGeneral(common, type);
      else {
        if (!mixed) late.push({ at: value.at, message: mismatchText(common, type) });
        common = dynType;
      }
    }
    return common;
  }

  function selectType(node: Select): Type {
    const name = qualifiedName(node);
    const known = name === undefined ? undefined : environment.names.get(name);
    if (name !== undefined && known !== undefined && !scope.has(name.split('.')[0] ?? '')) {
      qualified.set(node, name);
      return known;
    }
    const operand = resolved(typeOf(node.operand));
    const isOptional = isOptionalType(operand);
    const target = isOptional ? resolved(operand.params[0] ?? dynType) : operand;
    let result = dynType;
    if (target.kind === 'map') result = target.params[1] ?? dynType;
    else if (target.kind === 'struct')
      result = fieldType(target, node.field) ?? report(node.at, `undefined field '${node.field}'`);
    else if (target.kind === 'param') fits(dynType, target);
    else if (!isDynOrError(target))
      report(node.at, `type '${typeText(target)}' does not support field selection`);
    if (node.test) return boolType;
    return isOptional || node.optional ? optionalType(result) : resolved(result);
  }

  function structType({ at, name, fields }: Struct): Type {
    const type = environment.messages?.(name) ?? undeclared(at, name);
    for (const field of fields) {
      let given = resolved(typeOf(field.value));
      if (field.optional && isOptionalType(given)) given = given.params[0] ?? dynType;
      if (type.kind === 'error') continue;
      const wanted = fieldType(type, field.name) ?? report(field.at, `undefined field '${field.name}'`);
      if (!fits(given, wanted))
        report(
          field.at,
          `expected type of field '${field.name}' is '${typeText(wanted)}' but provided type is '${typeText(resolved(given))}'`,
        );
    }
    return type;
  }

  function callType(node: Call): Type {
    // Arguments of format may have mixed types.
    const outer = mixed;
    mixed = node.name === 'format' && node.target !== undefined;
    const args = node.args.map(typeOf);
    mixed = outer;
    if (node.target === undefined) {
      const forms = environment.functions.get(node.name);
      if (forms === undefined) return undeclared(node.at, node.name);
      return resolve(node, node.name, forms, args, false);
    }
    const head = qualifiedName(node.target);
    const full = head === undefined ? undefined : `${head}.${node.name}`;
    const spaced = full === undefined ? undefined : environment.functions.get(full);
    if (full !== undefined && spaced !== undefined) return resolve(node, full, spaced, args, false);
    const target = typeOf(node.target);
    const forms = environment.functions.get(node.name);
    if (forms === undefined) return undeclared(node.at, node.name);
    return resolve(node, node.name, forms, [target, ...args], true);
  }

  function logical(node: Call, args: readonly Type[]): Type {
    let result: Type = boolType;
    for (const [index, type] of args.entries())
      if (!fits(type, boolType)) result = mismatch(node.args[index]?.at ?? node.at, boolType, type);
    return result;
  }

  function resolve(
    node: Call,
    name: string,
    forms: readonly Overload[],
    args: readonly Type[],
    isMember: boolean,
  ): Type {
    const chosen: Overload[] = [];
    let result: Type | undefined;
    if (name === '_&&_' || name === '_||_') return logical(node, args);
    for (const form of forms) {
      if (form.isMember !== isMember || form.params.length !== args.length) continue;
      const fresh = new Map<string, Type>();
      const renew = (type: Type): Type => {
        if (type.kind === 'param') {
          const known = fresh.get(type.name ?? '') ?? freshVariable();
          fresh.set(type.name ?? '', known);
          return known;
        }
        return type.params.length === 0 ? type : { ...type, params: type.params.map(renew) };
      };
      const params = form.params.map(renew);
      const given = renew(form.result);
      const next = assign(bindings, args, params);
      if (next === undefined) continue;
      bindings = next;
      chosen.push(form);
      const found = resolved(given);
      if (result === undefined) result = found;
      else if (result.kind !== 'dyn' && !isSameType(found, result)) result = dynType;
    }
    if (result === undefined) {
      const shown = args.map((type) => typeText(substitute(bindings, type, true)));
      const list = isMember ? `${shown[0] ?? ''}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`;
      return report(node.at, `found no matching overload for '${name}' applied to '${list}'`);
    }
    calls.set(node, chosen);
    return result;
  }

  function rangeTypes(node: Loop): readonly [Type, Type] {
    const range = resolved(typeOf(node.range));
    const [first = dynType, second = dynType] = range.params;
    if (range.kind === 'list') return node.names.length === 1 ? [first, first] : [intType, first];
    if (range.kind === 'map') return [first, second];
    if (range.kind === 'param') fits(dynType, range);
    else if (!isDynOrError(range)) {
      const wanted = 'cannot be range of a comprehension (must be list, map, or dynamic)';
      report(node.range.at, `expression of type '${typeText(range)}' ${wanted}`);
      return [errorType, errorType];
    }
    return [dynType, dynType];
  }

  /**
   * A macro's condition is part of an accumulation in the server's implementation, whose types appear in the
   * message.
   */
  function condition(node: Loop, test: Node, total: Type): void {
    const type = typeOf(test);
    if (fits(type, boolType)) return;
    const shown = [type, total, total].map((each) => typeText(substitute(bindings, each, true)));
    report(node.at, `found no matching overload for '_?_:_' applied to '(${shown.join(', ')})'`);
  }

  function loopType(node: Loop): Type {
    const [first, second] = rangeTypes(node);
    const [key = '', value] = node.names;
    const names: [string, Type][] = [
      [key, first],
      ...(value === undefined ? [] : [[value, second] as [string, Type]]),
    ];
    return within(names, () => {
      const { step } = node;
      if (node.kind === 'all' || node.kind === 'exists') {
        const type = step === undefined ? boolType : typeOf(step);
        if (!fits(type, boolType)) mismatch(step?.at ?? node.at, boolType, type);
        return boolType;
      }
      if (node.kind === 'existsOne') {
        if (step !== undefined) condition(node, step, intType);
        return boolType;
      }
      // The condition is checked first, in source order.
      const mark = problems.length;
      const result = step === undefined ? first : typeOf(step);
      const total =
        node.kind === 'list' ? listType(result) : node.kind === 'map' ? mapType(first, result) : result;
      const after = problems.splice(mark);
      if (node.filter !== undefined) condition(node, node.filter, total);
      problems.push(...after);
      if (node.kind === 'mapEntry' && !isDynOrError(resolved(result)) && resolved(result).kind !== 'map')
        return mismatch(step?.at ?? node.at, mapType(dynType, dynType), result);
      return resolved(total);
    });
  }

  function bindType(node: Extract<Node, { op: 'bind' }>): Type {
    const value = resolved(typeOf(node.value));
    if (node.whenPresent === undefined) return within([[node.name, value]], () => typeOf(node.body));
    if (!isOptionalType(value) && !isDynOrError(value))
      return report(node.at, `found no matching overload for 'hasValue' applied to '${typeText(value)}.()'`);
    const inner = value.params[0] ?? dynType;
    const body = within([[node.name, inner]], () => typeOf(node.body));
    if (node.whenPresent === 'map') return optionalType(resolved(body));
    const found = resolved(body);
    if (isOptionalType(found) || isDynOrError(found)) return found;
    const shown = `(bool, ${typeText(found)}, optional_type(${typeText(dynType)}))`;
    return report(node.at, `found no matching overload for '_?_:_' applied to '${shown}'`);
  }

  const type = substitute(bindings, typeOf(root), true);
  if (problems.length > 0 || late.length > 0) return { problems: problems.length > 0 ? problems : late };
  const final = new Map([...types].map(([node, each]) => [node, substitute(bindings, each, true)]));
  return {
    checked: { type: substitute(bindings, type, true), calls, types: final, used, names: qualified },
    problems,
  };
}
