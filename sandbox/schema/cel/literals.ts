import { patternOf } from '../pattern.ts';
import type { Call, Node } from './ast.ts';
import type { Checked } from './check.ts';
import type { Problem } from './source.ts';
import { EvaluationFault } from './source.ts';
import { durationNanos, timeNanos } from './time.ts';
import { typeText, type Type } from './types.ts';

/** All nodes of an expression, parents first. */
export function* parts(node: Node): Generator<Node> {
  yield node;
  for (const child of children(node)) if (child !== undefined) yield* parts(child);
}

function children(node: Node): readonly (Node | undefined)[] {
  switch (node.op) {
    case 'select':
      return [node.operand];
    case 'call':
      return [node.target, ...node.args];
    case 'list':
      return node.items.map(({ value }) => value);
    case 'map':
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case 'loop':
      return [node.range, node.filter, node.step];
    case 'bind':
      return [node.value, node.body];
    case 'struct':
      return node.fields.map(({ value }) => value);
    case 'literal':
    case 'ident':
    default:
      return [];
  }
}

function textOf(node: Node | undefined): string | undefined {
  return node?.op === 'literal' && typeof node.value === 'string' ? node.value : undefined;
}

const checks: Readonly<Record<string, (text: string) => boolean>> = {
  matches: (text) => patternOf(text).pattern !== undefined,
  duration: (text) => durationNanos(text) !== undefined,
  timestamp: (text) => timeNanos(text) !== undefined,
};

function badArgument(node: Call): Problem | undefined {
  const arg = node.name === 'matches' ? node.args.at(-1) : node.args[0];
  const text = textOf(arg);
  if (text === undefined || arg === undefined || !Object.hasOwn(checks, node.name)) return undefined;
  return checks[node.name]?.(text) === false
    ? { at: arg.at, message: `invalid ${node.name} argument` }
    : undefined;
}

const shown = [
  'string',
  'bool',
  'bytes',
  'int',
  'uint',
  'double',
  'map',
  'list',
  'type',
  'timestamp',
  'duration',
];

/** The accepted types of format clauses, in the wording of messages. */
const clauses: Readonly<Record<string, { name: string; takes: readonly string[]; problems: string }>> = {
  s: {
    name: 'string',
    takes: [...shown, 'null_type'],
    problems: 'strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  },
  d: { name: 'decimal', takes: ['int', 'uint'], problems: 'integers' },
  f: { name: 'fixed-point', takes: ['double'], problems: 'doubles' },
  e: { name: 'scientific', takes: ['double'], problems: 'doubles' },
  b: { name: 'binary', takes: ['int', 'uint', 'bool'], problems: 'integers and bools' },
  o: { name: 'octal', takes: ['int', 'uint'], problems: 'integers' },
  x: {
    name: 'hex',
    takes: ['int', 'uint', 'string', 'bytes'],
    problems: 'integers, byte buffers, and strings',
  },
  X: {
    name: 'hex',
    takes: ['int', 'uint', 'string', 'bytes'],
    problems: 'integers, byte buffers, and strings',
  },
};

function badFormat(node: Call, types: ReadonlyMap<Node, Type>): Problem | undefined {
  const text = textOf(node.target);
  const list = node.args[0];
  if (text === undefined || list?.op !== 'list') return undefined;
  const at = node.at;
  let next = 0;
  for (const [, letter = '%'] of text.matchAll(/%(?:%|(?:\.\d+)?(.?))/gsu)) {
    if (letter === '%') continue;
    if (letter === '') return { at, message: 'unexpected end of string' };
    const item = list.items[next]?.value;
    if (item === undefined) return { at, message: `index ${next} out of range` };
    const clause = clauses[letter];
    if (clause === undefined)
      return { at, message: `could not parse formatting clause: unrecognized formatting clause "${letter}"` };
    const type = types.get(item);
    if (type !== undefined && ![...clause.takes, 'dyn', 'error', 'param'].includes(type.kind)) {
      const found = type.kind === 'struct' ? (type.name ?? '') : typeText({ ...type, params: [] });
      const only = `${clause.name} clause can only be used on ${clause.problems}, was given ${found}`;
      return { at: item.at, message: `error during formatting: ${only}` };
    }
    next += 1;
  }
  const count = list.items.length;
  if (count <= next) return undefined;
  return { at, message: `too many arguments supplied to string.format (expected ${next}, got ${count})` };
}

/** Errors of literal arguments in a type-checked expression. */
export function literalProblems(root: Node, { types }: Checked): Problem[] {
  const found: Problem[] = [];
  for (const node of parts(root)) {
    if (node.op !== 'call') continue;
    const problem = node.name === 'format' ? badFormat(node, types) : badArgument(node);
    if (problem !== undefined) found.push(problem);
  }
  return found;
}

const conversions = new Set('bool bytes double duration dyn int string timestamp type uint'.split(' '));

/** The error of a constant conversion or pattern, known before evaluation; undefined if there is none. */
export function constantFault(root: Node, { calls }: Checked): string | undefined {
  for (const node of parts(root)) {
    if (node.op !== 'call') continue;
    if ((node.name === 'find' || node.name === 'findAll') && node.target !== undefined) {
      const pattern = textOf(node.args[0]);
      const fault = pattern === undefined ? undefined : patternOf(pattern).fault;
      if (fault !== undefined) return fault;
    }
    const [arg] = node.args;
    const [form] = calls.get(node) ?? [];
    if (!conversions.has(node.name) || node.target !== undefined || arg?.op !== 'literal') continue;
    try {
      form?.call(arg.value);
    } catch (error) {
      if (error instanceof EvaluationFault) return error.message;
      throw error;
    }
  }
  return undefined;
}
