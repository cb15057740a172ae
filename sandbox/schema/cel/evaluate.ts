import { at, found, optionalAt } from './access.ts';
import type { Bind, Call, Loop, Node, Select } from './ast.ts';
import type { Checked } from './check.ts';
import { takesAll, type Overload } from './signature.ts';
import { EvaluationFault } from './source.ts';
import {
  dictOf,
  isDict,
  isList,
  isOptional,
  listOf,
  messageOf,
  noOverload,
  optionalOf,
  type Value,
  faultText,
  typeName,
} from './values.ts';

/** The variable values, by index. */
type Frame = (Value | undefined)[];
type Step = (frame: Frame) => Value;

function isTrue(value: Value): boolean {
  if (typeof value !== 'boolean') throw noOverload();
  return value;
}

/** Compiles a checked expression to a function of the values of `names`, in order. */
export function compile(
  root: Node,
  checked: Checked,
  names: readonly string[],
  constants: ReadonlyMap<string, Value>,
): (values: readonly (Value | undefined)[]) => Value {
  let slots = names.length;
  let scope: ReadonlyMap<string, number> = new Map(names.map((name, index) => [name, index]));

  function within<T>(inner: readonly string[], work: (own: readonly number[]) => T): T {
    const outer = scope;
    const own = inner.map(() => slots++);
    scope = new Map([...outer, ...inner.map((name, index) => [name, own[index] ?? 0] as const)]);
    const result = work(own);
    scope = outer;
    return result;
  }

  function step(node: Node): Step {
    switch (node.op) {
      case 'literal': {
        const { value } = node;
        return () => value;
      }
      case 'ident':
        return named(node.name);
      case 'select':
        return select(node);
      case 'call':
        return call(node);
      case 'list': {
        const parts = node.items.map(({ value, optional }) => ({ value: step(value), optional }));
        if (parts.every(({ optional }) => !optional))
          return (frame) => listOf(parts.map(({ value }) => value(frame)));
        return (frame) => listOf(parts.flatMap(({ value, optional }) => present(value(frame), optional)));
      }
      case 'map': {
        const parts = node.entries.map(({ key, value, optional }) => ({
          key: step(key),
          value: step(value),
          optional,
        }));
        return (frame) =>
          dictOf(
            parts.flatMap(({ key, value, optional }) => {
              const name = key(frame);
              return present(value(frame), optional).map((each) => [name, each] as const);
            }),
          );
      }
      case 'loop':
        return loop(node);
      case 'bind':
        return bind(node);
      case 'struct':
      default: {
        const parts = node.fields.map((field) => ({ ...field, value: step(field.value) }));
        return (frame) =>
          messageOf(
            node.name,
            parts.flatMap(({ name, value, optional }) =>
              present(value(frame), optional).map((each) => [name, each] as const),
            ),
          );
      }
    }
  }

  function present(value: Value, optional: boolean): Value[] {
    if (!optional) return [value];
    if (!isOptional(value)) throw noOverload();
    return value.value === undefined ? [] : [value.value];
  }

  function named(name: string): Step {
    const slot = scope.get(name);
    if (slot === undefined) {
      const constant = constants.get(name) ?? null;
      return () => constant;
    }
    return (frame) => {
      const value = frame[slot];
      if (value === undefined) throw new EvaluationFault(`no such attribute(s): ${name}`);
      return value;
    };
  }

  function select(node: Select): Step {
    const name = checked.names.get(node);
    if (name !== undefined) return named(name);
    const operand = step(node.operand);
    const { field } = node;
    if (node.optional) return (frame) => optionalAt(operand(frame), field);
    if (!node.test) return (frame) => at(operand(frame), field);
    return (frame) => {
      const value = operand(frame);
      const inner = isOptional(value) ? value.value : value;
      return inner !== undefined && found(inner, field) !== undefined;
    };
  }

  function call(node: Call): Step {
    if (node.name === '_&&_' || node.name === '_||_') return logical(node, node.name === '_||_');
    if (node.name === '_?_:_') {
      const [condition, yes, no] = node.args.map(step);
      if (condition === undefined || yes === undefined || no === undefined) throw noOverload();
      return (frame) => (isTrue(condition(frame)) ? yes(frame) : no(frame));
    }
    const forms = checked.calls.get(node) ?? [];
    const isMember = forms[0]?.isMember === true && node.target !== undefined;
    const args = [...(isMember && node.target !== undefined ? [node.target] : []), ...node.args].map(step);
    if ((node.name === 'or' || node.name === 'orValue') && isMember)
      return alternative(args, node.name === 'orValue');
    return dispatch(node.name, forms, args);
  }

  /** The argument of `or` and `orValue` is evaluated lazily. */
  function alternative([first, second]: readonly Step[], opens: boolean): Step {
    if (first === undefined || second === undefined) throw noOverload();
    return (frame) => {
      const value = first(frame);
      if (!isOptional(value)) throw noOverload();
      if (value.value === undefined) return second(frame);
      return opens ? value.value : value;
    };
  }

  function dispatch(name: string, forms: readonly Overload[], args: readonly Step[]): Step {
    const [first, second] = args;
    const [only] = forms;
    // A value without elements has no index; this is not an overload error.
    if (only !== undefined && name.startsWith('_['))
      return (frame) => only.call(...args.map((arg) => arg(frame)));
    if (only !== undefined && forms.length === 1) {
      if (first !== undefined && args.length === 1)
        return (frame) => {
          const value = first(frame);
          if (!takesAll(only, [value])) throw unfit(name, [value]);
          return only.call(value);
        };
      if (first !== undefined && second !== undefined && args.length === 2)
        return (frame) => {
          const [left, right] = [first(frame), second(frame)];
          if (!takesAll(only, [left, right])) throw unfit(name, [left, right]);
          return only.call(left, right);
        };
    }
    return (frame) => {
      const values = args.map((arg) => arg(frame));
      const form = forms.find((each) => takesAll(each, values));
      if (form === undefined) throw unfit(name, values);
      return form.call(...values);
    };
  }

  /** `&&` and `||`: a deciding operand wins even if the other one fails. */
  function logical(node: Call, decisive: boolean): Step {
    const [first, second] = node.args.map(step);
    if (first === undefined || second === undefined) throw noOverload();
    return (frame) => {
      let fault: unknown;
      try {
        if (isTrue(first(frame)) === decisive) return decisive;
      } catch (error) {
        if (!(error instanceof EvaluationFault)) throw error;
        fault = error;
      }
      try {
        const value = isTrue(second(frame));
        if (value === decisive || fault === undefined) return value;
      } catch (error) {
        fault ??= error;
      }
      throw fault;
    };
  }

  function bind(node: Bind): Step {
    const value = step(node.value);
    return within([node.name], ([slot = 0]) => {
      const body = step(node.body);
      const { whenPresent } = node;
      return (frame) => {
        const held = value(frame);
        if (whenPresent === undefined) {
          frame[slot] = held;
          return body(frame);
        }
        if (!isOptional(held)) throw noOverload();
        if (held.value === undefined) return held;
        frame[slot] = held.value;
        const result = body(frame);
        return whenPresent === 'map' ? optionalOf(result) : result;
      };
    });
  }

  function loop(node: Loop): Step {
    const range = step(node.range);
    return within(node.names, (own) => {
      const filter = node.filter === undefined ? undefined : step(node.filter);
      const body = node.step === undefined ? undefined : step(node.step);
      const [first = 0, second] = own;
      const run = loops[node.kind];
      return (frame) =>
        run(pairsOf(range(frame), second !== undefined), (key, value) => {
          frame[first] = key;
          if (second !== undefined) frame[second] = value;
          if (filter !== undefined && !isTrue(filter(frame))) return undefined;
          return body === undefined ? key : body(frame);
        });
    });
  }

  const program = step(root);
  return (values) => {
    const frame: Frame = [...values];
    return program(frame);
  };
}

const silent = new Set(['contains', 'startsWith', 'endsWith', 'matches', '@in']);

/** The error for a call without matching overload; older functions have a shorter message. */
function unfit(name: string, values: readonly Value[]): EvaluationFault {
  if (silent.has(name) || /^(_|!_|-_)/.test(name)) return noOverload();
  return noOverload(name === 'size' ? name : `${name}(${values.map(typeName).join(', ')})`);
}

type Each = (key: Value, value: Value) => Value | undefined;
type Pairs = Iterable<readonly [Value, Value]>;

/** Elements; with two variables indexes and elements, or keys and values. */
function* pairsOf(range: Value, two: boolean): Generator<readonly [Value, Value]> {
  if (isList(range)) {
    for (let index = 0; index < range.size; index += 1) {
      const value = range.at(index);
      yield [two ? BigInt(index) : value, value];
    }
    return;
  }
  if (!isDict(range)) throw noOverload();
  for (const key of range.keys()) yield [key, two ? at(range, key) : key];
}

/** Stops at a deciding element; errors count only if none decides. */
function quantify(pairs: Pairs, each: Each, decisive: boolean): boolean {
  let fault: unknown;
  for (const [key, value] of pairs)
    try {
      if (isTrue(each(key, value) ?? null) === decisive) return decisive;
    } catch (error) {
      if (!(error instanceof EvaluationFault)) throw error;
      fault ??= error;
    }
  if (fault !== undefined) throw fault;
  return !decisive;
}

function insert(into: Map<Value, Value>, key: Value, value: Value): void {
  if (into.has(key)) throw new EvaluationFault(`insert failed: key ${faultText(key)} already exists`);
  into.set(key, value);
}

const loops: Readonly<Record<Loop['kind'], (pairs: Pairs, each: Each) => Value>> = {
  all: (pairs, each) => quantify(pairs, each, false),
  exists: (pairs, each) => quantify(pairs, each, true),
  existsOne(pairs, each) {
    let count = 0;
    for (const [key, value] of pairs) if (isTrue(each(key, value) ?? null)) count += 1;
    return count === 1;
  },
  list(pairs, each) {
    const result: Value[] = [];
    for (const [key, value] of pairs) {
      const made = each(key, value);
      if (made !== undefined) result.push(made);
    }
    return listOf(result);
  },
  map(pairs, each) {
    const result: [Value, Value][] = [];
    for (const [key, value] of pairs) {
      const made = each(key, value);
      if (made !== undefined) result.push([key, made]);
    }
    return dictOf(result);
  },
  mapEntry(pairs, each) {
    const result = new Map<Value, Value>();
    for (const [key, value] of pairs) {
      const made = each(key, value);
      if (made === undefined) continue;
      if (!isDict(made)) throw noOverload();
      for (const own of made.keys()) insert(result, own, made.get(own) ?? null);
    }
    return dictOf([...result]);
  },
};
