import { isFields, ownField } from '../../schemas/pods/fields.ts';

type Step = (values: readonly unknown[]) => readonly unknown[];

function field(name: string): Step {
  return (values) => values.map((value) => ownField(value, name)).filter((value) => value !== undefined);
}

const everything: Step = (values) =>
  values.flatMap((value) =>
    Array.isArray(value) ? (value as unknown[]) : isFields(value) ? Object.values(value) : [],
  );

function descend(value: unknown): unknown[] {
  return [value, ...everything([value]).flatMap(descend)];
}

/** `[1]`, `[-1]`, `[0:2]`, `[:]`, `[::2]`. */
function slice(text: string): Step | undefined {
  const match = /^(-?\d+)?(:(-?\d+)?)?(:(\d+)?)?$/.exec(text);
  if (match === null) return undefined;
  const from = match[1] === undefined ? 0 : Number(match[1]);
  const stride = Number(match[5] ?? 1) || 1;
  return (values) =>
    values.flatMap((value) => {
      if (!Array.isArray(value)) return [];
      const items = value as unknown[];
      const start = from < 0 ? from + items.length : from;
      if (match[2] === undefined && match[4] === undefined) return start in items ? [items[start]] : [];
      return items
        .slice(from, match[3] === undefined ? undefined : Number(match[3]))
        .filter((_, index) => index % stride === 0);
    });
}

function literal(text: string): unknown {
  const quoted = /^(["'])(.*)\1$/s.exec(text);
  if (quoted !== null) return quoted[2];
  if (text === 'true' || text === 'false') return text === 'true';
  return text === '' || Number.isNaN(Number(text)) ? undefined : Number(text);
}

/** Negative, 0 or positive; NaN when the two cannot be compared. */
function order(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : left > right ? 1 : 0;
  return Number.NaN;
}

const comparisons: Readonly<Record<string, (left: unknown, right: unknown) => boolean>> = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': (left, right) => order(left, right) < 0,
  '<=': (left, right) => order(left, right) <= 0,
  '>': (left, right) => order(left, right) > 0,
  '>=': (left, right) => order(left, right) >= 0,
};

/**
 * `?(@.type=="Ready")`: elements whose first match compares successfully; without comparison, elements with a
 * match.
 */
function filter(text: string): Step | undefined {
  const match = /^\?\(\s*@(.*?)\s*(?:(==|!=|<=|>=|<|>)\s*(.*?))?\s*\)$/s.exec(text);
  if (match === null) return undefined;
  const path = parseJsonPath(match[1] ?? '');
  const compare = match[2] === undefined ? undefined : comparisons[match[2]];
  const right = literal(match[3] ?? '');
  if (path === undefined || (match[2] !== undefined && right === undefined)) return undefined;
  return (values) =>
    everything(values.filter((value) => Array.isArray(value))).filter((element) => {
      const [found] = path(element);
      return found !== undefined && (compare === undefined || compare(found, right));
    });
}

function bracket(text: string): Step | undefined {
  if (text === '*') return everything;
  if (text.startsWith('?')) return filter(text);
  const quoted = /^(["'])(.*)\1$/s.exec(text);
  if (quoted !== null) return field((quoted[2] ?? '').replaceAll(/\\(.)/gs, '$1'));
  return slice(text);
}

/** The end of a bracket that opens at `from`; skips quotes and nested brackets. */
function closing(text: string, from: number): number {
  let depth = 0;
  let quote = '';
  for (let index = from; index < text.length; index += 1) {
    const letter = text.charAt(index);
    if (quote !== '') quote = letter === quote ? '' : quote;
    else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === '[') depth += 1;
    else if (letter === ']' && (depth -= 1) === 0) return index;
  }
  return -1;
}

/**
 * Parses a printer column's JSONPath: fields, `['quoted']`, indices, slices, `*`, `..` and simple filters. The
 * result returns all matches in order; undefined if the path is invalid.
 */
export function parseJsonPath(path: string): ((value: unknown) => readonly unknown[]) | undefined {
  const steps: Step[] = [];
  let at = 0;
  while (at < path.length) {
    if (path.startsWith('..', at)) {
      steps.push((values) => values.flatMap(descend));
      at += path.charAt(at + 2) === '[' ? 2 : 1;
      continue;
    }
    if (path.charAt(at) === '[') {
      const end = closing(path, at);
      const step = end < 0 ? undefined : bracket(path.slice(at + 1, end).trim());
      if (step === undefined) return undefined;
      steps.push(step);
      at = end + 1;
      continue;
    }
    const name = /^\.?((?:\\.|[^.[\\])+)/s.exec(path.slice(at));
    if (name === null) {
      if (path.slice(at) !== '.') return undefined;
      break;
    }
    const [whole, text = ''] = name;
    steps.push(text === '*' ? everything : field(text.replaceAll(/\\(.)/gs, '$1')));
    at += whole.length;
  }
  return (value) => steps.reduce<readonly unknown[]>((values, step) => step(values), [value]);
}
