import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { replaceUnsafe } from '../../semantics/values/unsafe-text.ts';
import { needsQuotes } from '../load/scalars.ts';

/**
 * Writes a JSON value as block YAML that YAML 1.1 and 1.2 readers read alike: keys in the given order, text in double
 * quotes if a reader could misread it, no anchors, no line folding. Ends with a line break.
 */
export function toYaml(value: JsonObject): string {
  let text = '';
  for (const key of Object.keys(value)) text += member(key, value[key] ?? null, '');
  return text === '' ? '{}\n' : text;
}

function member(key: string, value: Json, indent: string): string {
  return `${indent}${scalar(key)}:${block(value, indent)}`;
}

/** The text after a colon: a scalar on the same line, or the lines of a map or list. */
function block(value: Json, indent: string): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return ' []\n';
    return `\n${value.map((item) => listItem(item, indent)).join('')}`;
  }
  if (typeof value === 'object' && value !== null) {
    const keys = Object.keys(value);
    if (keys.length === 0) return ' {}\n';
    return `\n${keys.map((key) => member(key, value[key] ?? null, `${indent}  `)).join('')}`;
  }
  return ` ${scalar(value)}\n`;
}

/** List items have the indent of their key, as kubectl prints them. */
function listItem(item: Json, indent: string): string {
  if (typeof item !== 'object' || item === null || Array.isArray(item) || Object.keys(item).length === 0) {
    return `${indent}-${block(item, `${indent}  `)}`;
  }
  const inner = `${indent}  `;
  const lines = Object.keys(item)
    .map((key) => member(key, item[key] ?? null, inner))
    .join('');
  return `${indent}- ${lines.slice(inner.length)}`;
}

function scalar(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return String(value);
  return needsQuotes(value) ? quoted(value) : value;
}

/** JSON's quoting is valid in YAML's double quotes, except for escapes above 0xffff, which YAML writes in another form. */
function quoted(text: string): string {
  return replaceUnsafe(JSON.stringify(text), (character) => {
    const code = character.codePointAt(0) ?? 0;
    const digits = code.toString(16);
    return code > 0xffff ? `\\U${digits.padStart(8, '0')}` : `\\u${digits.padStart(4, '0')}`;
  });
}
