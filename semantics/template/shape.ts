import type { Json } from '../../schemas/wire/json.ts';
import { defaultValues, emptyMeansAbsent, ignored, quantities, resourceLists } from './defaults.ts';

/** The rows of defaults.ts for one path, and for the paths below it. */
export interface Shape {
  fields: Map<string, Shape>;
  /** The shape of each member when the value is a list. */
  items?: Shape;
  /** Boxed, because a default may itself be `''` or `false`. */
  default?: { value: Json };
  emptyMeansAbsent?: true;
  ignored?: true;
  quantity?: 'single' | 'list';
}

/** The tables as one tree, built once, so that a template is processed in one traversal. */
export const templateShape: Shape = compile();

function compile(): Shape {
  const root: Shape = { fields: new Map() };
  for (const [pattern, value] of defaultValues) mark(root, pattern, (shape) => (shape.default = { value }));
  for (const pattern of emptyMeansAbsent) mark(root, pattern, (shape) => (shape.emptyMeansAbsent = true));
  for (const pattern of quantities) mark(root, pattern, (shape) => (shape.quantity = 'single'));
  for (const pattern of resourceLists) mark(root, pattern, (shape) => (shape.quantity = 'list'));
  for (const pattern of ignored) mark(root, pattern, (shape) => (shape.ignored = true));
  return root;
}

function mark(root: Shape, pattern: string, set: (shape: Shape) => void): void {
  for (const path of expandAlternatives(pattern)) set(at(root, path));
}

function at(root: Shape, path: string): Shape {
  let shape = root;
  for (const segment of path.split('.')) {
    const [name = '', ...lists] = segment.split('[*]');
    shape = fieldOf(shape, name);
    for (let depth = 0; depth < lists.length; depth++) shape = shape.items ??= { fields: new Map() };
  }
  return shape;
}

function fieldOf(shape: Shape, name: string): Shape {
  const known = shape.fields.get(name);
  if (known !== undefined) return known;
  const created: Shape = { fields: new Map() };
  shape.fields.set(name, created);
  return created;
}

/** Every path that a pattern with (nested) `{a,b}` matches, from left to right. */
export function expandAlternatives(pattern: string): string[] {
  const open = pattern.indexOf('{');
  if (open < 0) return [pattern];
  const commas: number[] = [];
  let depth = 0;
  let close = open;
  for (; close < pattern.length; close++) {
    const char = pattern[close];
    if (char === '{') depth++;
    else if (char === '}' && --depth === 0) break;
    else if (char === ',' && depth === 1) commas.push(close);
  }
  const tails = expandAlternatives(pattern.slice(close + 1));
  const bounds = [open, ...commas, close];
  return bounds.slice(1).flatMap((end, i) => {
    const alternative = pattern.slice((bounds[i] ?? 0) + 1, end);
    return expandAlternatives(alternative).flatMap((middle) =>
      tails.map((tail) => pattern.slice(0, open) + middle + tail),
    );
  });
}
