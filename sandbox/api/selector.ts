import type { KubeObject } from '../../schemas/wire/object.ts';
import { refuse } from './errors.ts';
import { labelValueFaults, qualifiedNameFaults } from '../../schemas/pods/names.ts';

export type Matcher = (object: KubeObject) => boolean;

const everything: Matcher = () => true;

/** Tokens of a label selector in order, terminated by ''. */
function tokensOf(text: string): string[] {
  return [...(text.match(/==|!=|[=!(),<>]|[^\s=!(),<>]+/g) ?? []), ''];
}

const signs: ReadonlySet<string> = new Set(['', ',', '=', '==', '!=', '!', '(', ')', '<', '>']);
const operators: ReadonlySet<string> = new Set(['in', 'notin', '=', '==', '!=', '>', '<']);

interface Tokens {
  peek(): string;
  next(): string;
}

function readTokens(text: string): Tokens {
  const tokens = tokensOf(text);
  let at = 0;
  return { peek: () => tokens[at] ?? '', next: () => tokens[at++] ?? '' };
}

function unexpected(found: string, expected: string): Error {
  return refuse.badRequest(`found '${found}', expected: ${expected}`);
}

function unparsable(why: string): Error {
  return refuse.badRequest(`unable to parse requirement: ${why}`);
}

type LabelTest = (labels: Readonly<Record<string, string>>) => boolean;

/** The values between parentheses. */
function readValues(tokens: Tokens): string[] {
  const open = tokens.next();
  if (open !== '(') throw unparsable(`found '${open}' expected: '('`);
  const values: string[] = [];
  if (tokens.peek() === ')') {
    tokens.next();
    return values;
  }
  for (;;) {
    const token = tokens.peek();
    if (token === ',' || token === ')') values.push('');
    else if (signs.has(token)) throw unparsable(`found '${token}', expected: ',', ')' or identifier`);
    else values.push(tokens.next());
    const end = tokens.next();
    if (end === ')') return values;
    if (end !== ',') throw unparsable(`found '${end}', expected: ',' or ')'`);
  }
}

/** The single value after an operator; it may be empty. */
function readValue(tokens: Tokens): string {
  const token = tokens.peek();
  if (token === '' || token === ',') return '';
  if (signs.has(token)) throw unparsable(`found '${token}', expected: identifier`);
  return tokens.next();
}

function checkValues(key: string, values: readonly string[]): void {
  for (const [index, value] of values.entries()) {
    const [fault] = labelValueFaults(value);
    if (fault !== undefined)
      throw unparsable(`values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${fault}`);
  }
}

function ordered(key: string, operator: string, limit: string): LabelTest {
  if (!/^[+-]?\d+$/.test(limit))
    throw unparsable(
      `values[0]: Invalid value: ${JSON.stringify(limit)}: for 'Gt', 'Lt' operators, the value must be an integer`,
    );
  return (labels) => {
    const value = Object.hasOwn(labels, key) ? (labels[key] ?? '') : '';
    if (!/^[+-]?\d+$/.test(value)) return false;
    return operator === '>' ? Number(value) > Number(limit) : Number(value) < Number(limit);
  };
}

/** One requirement: `key`, `!key`, `key=value`, `key in (a,b)`, `key>1` … */
function readRequirement(tokens: Tokens): LabelTest {
  const absent = tokens.peek() === '!';
  if (absent) tokens.next();
  const key = tokens.next();
  if (signs.has(key)) throw unparsable(`found '${key}', expected: identifier`);
  const [fault] = qualifiedNameFaults(key);
  if (fault !== undefined) throw unparsable(`<nil>: Invalid value: ${JSON.stringify(key)}: ${fault}`);
  const has: LabelTest = (labels) => Object.hasOwn(labels, key);
  if (absent) return (labels) => !has(labels);
  if (tokens.peek() === '' || tokens.peek() === ',') return has;
  const operator = tokens.next();
  if (!operators.has(operator))
    throw unparsable(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
  if (operator === '>' || operator === '<') return ordered(key, operator, readValue(tokens));
  const isSet = operator === 'in' || operator === 'notin';
  const list = isSet ? readValues(tokens) : [readValue(tokens)];
  checkValues(key, list);
  const values = new Set(list);
  const wanted = operator !== '!=' && operator !== 'notin';
  return (labels) => (has(labels) && values.has(labels[key] ?? '')) === wanted;
}

/**
 * Parses the string form of a label selector into a predicate; undefined and '' match everything. 400 if it does
 * not parse.
 */
export function parseLabelSelector(text: string | undefined): Matcher {
  if (text === undefined || text.trim() === '') return everything;
  const tokens = readTokens(text);
  const tests: LabelTest[] = [];
  for (;;) {
    const first = tokens.peek();
    if (first !== '!' && signs.has(first))
      throw unexpected(
        first,
        tests.length === 0 ? "!, identifier, or 'end of string'" : "identifier after ','",
      );
    tests.push(readRequirement(tokens));
    const end = tokens.next();
    if (end === '') break;
    if (end !== ',') throw unexpected(end, "',' or 'end of string'");
  }
  return ({ metadata: { labels = {} } }) => tests.every((test) => test(labels));
}

/** The selectable fields with their accessors. */
export type SelectableFields = Readonly<Record<string, (object: KubeObject) => string>>;

/** Splits at commas that are not escaped by a backslash. */
function splitTerms(text: string): string[] {
  return (text.match(/(?:\\.|[^\\,])+/gs) ?? []).map((each) => each);
}

/** Parses a field selector into a predicate. 400 for an unsupported field, with the message of `unknown`. */
export function parseFieldSelector(
  text: string | undefined,
  fields: SelectableFields,
  unknown: (name: string) => string,
): Matcher {
  if (text === undefined || text === '') return everything;
  const tests = splitTerms(text).map((term): Matcher => {
    const match = /^((?:\\.|[^\\=!])*)(==|!=|=)(.*)$/s.exec(term);
    if (match === null) throw refuse.badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    const [, name = '', operator, value = ''] = match;
    if (/^=|(?<!\\)=/.test(value))
      throw refuse.badRequest(`invalid field selector: invalid value: '${value}'`);
    const wanted = value.replace(/\\([\\,=])/g, '$1');
    const read = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (read === undefined) throw refuse.badRequest(unknown(name));
    return (object) => (read(object) === wanted) === (operator !== '!=');
  });
  return (object) => tests.every((test) => test(object));
}
