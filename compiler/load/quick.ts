import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { trapOf } from './scalars.ts';

/**
 * Reads the plain part of YAML that most manifests keep to, many times faster than the full parser: block maps and
 * lists, one-line scalars, quotes without escapes, flow collections on one line. Gives up (undefined) on anything
 * else and on everything that would deserve a diagnostic, so that the full parser decides; where it does not give
 * up it agrees with the full parser value by value, document by document.
 */
export function quickRead(text: string): Json[] | undefined {
  // A carriage return alone is a line end to some readers.
  if (/\r(?!\n)/.test(text)) return undefined;
  const documents: Line[][] = [[]];
  let marked = false;
  let comment = 0;
  for (const raw of text.split('\n')) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    if (line.trimEnd() === '---') {
      const current = documents.at(-1) ?? [];
      if (current.length > 0) documents.push([]);
      else if (marked) return undefined;
      if (comment > 0) return undefined;
      marked = true;
      continue;
    }
    const content = line.trim();
    const indent = line.length - line.trimStart().length;
    if (content.startsWith('#')) comment = Math.max(comment, indent);
    if (content === '' || content.startsWith('#')) {
      if (/[^\x20-\x7e]/.test(line) && content === '') return undefined;
      continue;
    }
    if (!/^[\x20-\x7e]*$/.test(line) || /^(---|\.\.\.|%)/.test(line)) return undefined;
    // The full parser is particular about comments that are indented in another way than what follows.
    if (comment > 0 && comment !== indent) return undefined;
    comment = 0;
    documents.at(-1)?.push({ indent, text: content });
  }
  if (comment > 0) return undefined;
  const values: Json[] = [];
  for (const lines of documents) {
    const reader: Reader = { lines, at: 0 };
    const value = lines.length === 0 ? undefined : readBlock(reader, -1);
    if (value === undefined || reader.at < lines.length) return undefined;
    values.push(value);
  }
  return values;
}

interface Line {
  indent: number;
  text: string;
}

interface Reader {
  lines: Line[];
  at: number;
}

const KEY = /^(?:([A-Za-z_][A-Za-z0-9_./-]*)|"([^"\\]*)"|'([^']*)'):(?: +(.*))?$/;
const TYPED_WORD = /^(y|n|yes|no|on|off|true|false|null)$/i;
/** Deeper nesting is for the full parser to judge. */
const DEPTH_LIMIT = 60;

/** A block collection deeper than `above`; undefined to give up. */
function readBlock(reader: Reader, above: number, depth = 0): Json | undefined {
  const line = reader.lines[reader.at];
  if (line === undefined || line.indent <= above || depth > DEPTH_LIMIT) return undefined;
  return isItem(line.text) ? readList(reader, line.indent, depth) : readMap(reader, line.indent, depth);
}

function isItem(text: string): boolean {
  return text === '-' || text.startsWith('- ');
}

function readMap(reader: Reader, indent: number, depth: number): JsonObject | undefined {
  const result: JsonObject = {};
  const seen = new Set<string>();
  for (;;) {
    const line = reader.lines[reader.at];
    if (line === undefined || line.indent < indent) return result;
    const match = line.indent > indent || isItem(line.text) ? null : KEY.exec(line.text);
    if (match === null) return undefined;
    const key = match[1] ?? match[2] ?? match[3] ?? '';
    if (seen.has(key) || key === '__proto__' || (match[1] !== undefined && TYPED_WORD.test(key)))
      return undefined;
    seen.add(key);
    reader.at++;
    const rest = match[4] ?? '';
    const value =
      rest === '' || rest.startsWith('#')
        ? readBelow(reader, indent, depth)
        : readInline(reader, rest, indent);
    if (value === undefined) return undefined;
    if (value !== null) result[key] = value;
  }
}

/** What follows a key without a value on its line: a deeper block, a list at the same indent, or nothing. */
function readBelow(reader: Reader, indent: number, depth: number): Json | undefined {
  const next = reader.lines[reader.at];
  if (next === undefined || next.indent < indent) return null;
  if (next.indent > indent) return readBlock(reader, indent, depth + 1);
  return isItem(next.text) ? readList(reader, indent, depth + 1) : null;
}

function readList(reader: Reader, indent: number, depth: number): Json[] | undefined {
  const result: Json[] = [];
  for (;;) {
    const line = reader.lines[reader.at];
    if (line === undefined || line.indent < indent) return result;
    if (line.indent > indent) return undefined;
    if (!isItem(line.text)) return result;
    const rest = line.text.slice(1).trimStart();
    if (rest === '' || rest.startsWith('#')) return undefined;
    let value: Json | undefined;
    if (isItem(rest) || KEY.test(rest)) {
      // The item's own collection starts on this line, at the column of its text.
      reader.lines[reader.at] = { indent: indent + line.text.length - rest.length, text: rest };
      value = readBlock(reader, indent, depth + 1);
    } else {
      reader.at++;
      value = readInline(reader, rest, indent);
    }
    if (value === undefined) return undefined;
    result.push(value);
  }
}

/** A value on one line. A deeper line after it would continue it: that is for the full parser. */
function readInline(reader: Reader, text: string, indent: number): Json | undefined {
  const next = reader.lines[reader.at];
  if (next !== undefined && next.indent > indent) return undefined;
  const first = text.charAt(0);
  if (first === '"') return /^"([^"\\]*)"(?: +#.*)?$/.exec(text)?.[1];
  if (first === "'") return /^'([^']*)'(?: +#.*)?$/.exec(text)?.[1];
  const comment = text.search(/ +#/);
  const plain = comment < 0 ? text : text.slice(0, comment);
  if (first === '{' || first === '[') return readFlow(plain);
  if (!/^[A-Za-z0-9/._-]/.test(plain) || isItem(plain) || /:( |$)/.test(plain)) return undefined;
  return readPlain(plain);
}

function readPlain(text: string): Json | undefined {
  if (trapOf(text) !== undefined) return undefined;
  if (/^(true|True|TRUE)$/.test(text)) return true;
  if (/^(false|False|FALSE)$/.test(text)) return false;
  if (/^(null|Null|NULL)$/.test(text)) return null;
  if (/^-?(0|[1-9][0-9]{0,14})$/.test(text)) return Object.is(Number(text), -0) ? undefined : Number(text);
  // What is or could be another kind of number is not for here.
  if (/^[-+]?(\.[0-9_]+|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?$/.test(text)) return undefined;
  if (/^0[xob]/.test(text) || /^[-+]?\.(inf|nan)$/i.test(text)) return undefined;
  return text;
}

const FLOW_TOKEN =
  /^(?:"([^"\\]*)"|'([^']*)'|(-?[A-Za-z0-9/._][A-Za-z0-9/._%@+=-]*(?::[A-Za-z0-9/._%@+=-]+)*))/;

/** A flow collection that fills the text. */
function readFlow(text: string): Json | undefined {
  const flow: Flow = { rest: text };
  const value = flowValue(flow, 0);
  return flow.rest.trim() === '' ? value : undefined;
}

interface Flow {
  rest: string;
}

function take(flow: Flow, mark: string): boolean {
  const rest = flow.rest.trimStart();
  if (!rest.startsWith(mark)) return false;
  flow.rest = rest.slice(1).trimStart();
  return true;
}

function flowValue(flow: Flow, depth: number): Json | undefined {
  if (depth > DEPTH_LIMIT) return undefined;
  if (take(flow, '[')) return flowList(flow, depth);
  if (take(flow, '{')) return flowMap(flow, depth);
  const match = FLOW_TOKEN.exec(flow.rest);
  if (match === null) return undefined;
  flow.rest = flow.rest.slice(match[0].length);
  // After a scalar only the end of the item may come; text or a colon would change what it is.
  if (!/^ *([,\]}]|$)/.test(flow.rest)) return undefined;
  const quoted = match[1] ?? match[2];
  return quoted ?? readPlain(match[3] ?? '');
}

function flowList(flow: Flow, depth: number): Json[] | undefined {
  const result: Json[] = [];
  if (take(flow, ']')) return result;
  do {
    const value = flowValue(flow, depth + 1);
    if (value === undefined) return undefined;
    result.push(value);
  } while (take(flow, ','));
  return take(flow, ']') ? result : undefined;
}

function flowMap(flow: Flow, depth: number): JsonObject | undefined {
  const result: JsonObject = {};
  const seen = new Set<string>();
  if (take(flow, '}')) return result;
  do {
    const match = /^(?:([A-Za-z_][A-Za-z0-9_./-]*)|"([^"\\]*)"|'([^']*)'): +/.exec(flow.rest);
    if (match === null) return undefined;
    const key = match[1] ?? match[2] ?? match[3] ?? '';
    if (seen.has(key) || key === '__proto__' || (match[1] !== undefined && TYPED_WORD.test(key)))
      return undefined;
    seen.add(key);
    flow.rest = flow.rest.slice(match[0].length);
    const value = flowValue(flow, depth + 1);
    if (value === undefined) return undefined;
    if (value !== null) result[key] = value;
  } while (take(flow, ','));
  return take(flow, '}') ? result : undefined;
}
