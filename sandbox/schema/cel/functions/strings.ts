import { patternOf } from '../../pattern.ts';
import type { Form } from '../signature.ts';
import { EvaluationFault } from '../source.ts';
import { faultText, items, listOf, type List, type Value } from '../values.ts';
import { formatted } from './format.ts';

const outOfRange = (index: bigint) => new EvaluationFault(`index out of range: ${index}`);

function charAt(text: string, index: bigint): string {
  const runes = [...text];
  if (index < 0n || index > runes.length) throw outOfRange(index);
  return runes[Number(index)] ?? '';
}

function indexOf(text: string, part: string, from = 0n): bigint {
  if (part === '') return from;
  if (from < 0n) throw outOfRange(from);
  const [runes, wanted] = [[...text], [...part]];
  for (let at = Number(from); at <= runes.length - wanted.length; at += 1)
    if (wanted.every((rune, index) => runes[at + index] === rune)) return BigInt(at);
  return -1n;
}

function lastIndexOf(text: string, part: string, from?: bigint): bigint {
  const [runes, wanted] = [[...text], [...part]];
  if (part === '') return from ?? BigInt(runes.length);
  if (from !== undefined && from < 0n) throw outOfRange(from);
  if (from !== undefined && from >= runes.length) return -1n;
  const last = runes.length - wanted.length;
  for (let at = Math.min(Number(from ?? BigInt(last)), last); at >= 0; at -= 1)
    if (wanted.every((rune, index) => runes[at + index] === rune)) return BigInt(at);
  return -1n;
}

function replace(text: string, old: string, by: string, limit = -1n): string {
  if (limit < 0n)
    return old === '' ? [...text].map((rune) => by + rune).join('') + by : text.replaceAll(old, () => by);
  const runes = old === '' ? [...text] : text.split(old);
  const count = Number(limit);
  if (old === '') {
    const head = runes.slice(0, count).map((rune) => by + rune);
    const rest = runes.slice(count).join('');
    return head.join('') + (count > runes.length ? by : '') + rest;
  }
  return (
    runes.slice(0, count + 1).join(by) +
    runes
      .slice(count + 1)
      .map((rest) => old + rest)
      .join('')
  );
}

function split(text: string, separator: string, limit = -1n): Value {
  if (limit === 0n) return listOf([]);
  const parts = separator === '' ? [...text] : text.split(separator);
  const count = Number(limit);
  if (limit < 0n || parts.length <= count) return listOf(parts);
  return listOf([...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)]);
}

function substring(text: string, start: bigint, end?: bigint): string {
  const runes = [...text];
  if (end !== undefined && start > end)
    throw new EvaluationFault(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > runes.length) throw outOfRange(start);
  if (end !== undefined && end > runes.length) throw outOfRange(end);
  return runes.slice(Number(start), end === undefined ? undefined : Number(end)).join('');
}

function join(list: List, separator = ''): string {
  return items(list)
    .map((item) => {
      if (typeof item !== 'string') throw new EvaluationFault(`join: invalid input: ${faultText(item)}`);
      return item;
    })
    .join(separator);
}

const escapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

const quote = (text: string) => `"${[...text].map((rune) => escapes[rune] ?? rune).join('')}"`;

/** A pattern that can be computed at run time. */
function regular(text: string, head = '') {
  const { pattern, fault } = patternOf(text);
  if (pattern === undefined) throw new EvaluationFault(`${head}${fault ?? ''}`);
  return pattern;
}

const matches = (text: string, pattern: string) => regular(pattern).test(text);

function findAll(text: string, pattern: string, limit = -1n): Value {
  return listOf(regular(pattern, 'Illegal regex: ').findAll(text, Number(limit)));
}

/** String functions. */
export const strings: Readonly<Record<string, readonly Form[]>> = {
  contains: [['string.(string) bool', (text: string, part: string) => text.includes(part)]],
  startsWith: [['string.(string) bool', (text: string, part: string) => text.startsWith(part)]],
  endsWith: [['string.(string) bool', (text: string, part: string) => text.endsWith(part)]],
  matches: [
    ['(string, string) bool', matches],
    ['string.(string) bool', matches],
  ],
  find: [
    [
      'string.(string) string',
      (text: string, pattern: string) => regular(pattern, 'Illegal regex: ').findAll(text, 1)[0] ?? '',
    ],
  ],
  findAll: [
    ['string.(string) list<string>', findAll],
    ['string.(string, int) list<string>', findAll],
  ],
  charAt: [['string.(int) string', charAt]],
  indexOf: [
    ['string.(string) int', indexOf],
    ['string.(string, int) int', indexOf],
  ],
  lastIndexOf: [
    ['string.(string) int', lastIndexOf],
    ['string.(string, int) int', lastIndexOf],
  ],
  lowerAscii: [['string.() string', (text: string) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase())]],
  upperAscii: [['string.() string', (text: string) => text.replace(/[a-z]+/g, (part) => part.toUpperCase())]],
  replace: [
    ['string.(string, string) string', replace],
    ['string.(string, string, int) string', replace],
  ],
  split: [
    ['string.(string) list<string>', split],
    ['string.(string, int) list<string>', split],
  ],
  substring: [
    ['string.(int) string', substring],
    ['string.(int, int) string', substring],
  ],
  trim: [['string.() string', (text: string) => text.replace(/^[\s\u0085]+|[\s\u0085]+$/gu, '')]],
  format: [['string.(list<dyn>) string', formatted]],
  'strings.quote': [['(string) string', quote]],
  join: [
    ['list<string>.() string', join],
    ['list<string>.(string) string', join],
  ],
};
