import type { KubeObject } from '../../schemas/wire/object.ts';
import { refuse } from './errors.ts';

export type Matcher = (object: KubeObject) => boolean;

const everything: Matcher = () => true;
const labelKey = /^([a-z0-9A-Z.-]+\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const labelValue = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;

/** Splits at commas that stand outside parentheses. */
function splitRequirements(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const char of text) {
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (char === ',' && depth === 0) {
      parts.push(part);
      part = '';
    } else part += char;
  }
  parts.push(part);
  return parts.map((each) => each.trim());
}

function unparsable(why: string): Error {
  return refuse.badRequest(`unable to parse requirement: ${why}`);
}

function checkedKey(key: string): string {
  if (!labelKey.test(key))
    throw unparsable(`<nil>: Invalid value: "${key}": name part must be a qualified name`);
  return key;
}

function checkedValue(value: string): string {
  if (value.length > 63 || !labelValue.test(value))
    throw unparsable(`values[0][label]: Invalid value: "${value}": a valid label value is expected`);
  return value;
}

type LabelTest = (labels: Readonly<Record<string, string>>) => boolean;

function parseRequirement(text: string): LabelTest {
  const set = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(text);
  if (set !== null) {
    const key = checkedKey(set[1] ?? '');
    const values = new Set((set[3] ?? '').split(',').map((value) => checkedValue(value.trim())));
    const wanted = set[2] === 'in';
    return (labels) => {
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
      return value === undefined ? !wanted : values.has(value) === wanted;
    };
  }
  const compare = /^([^\s=!<>]+)\s*(==|=|!=|>|<)\s*(.*)$/.exec(text);
  if (compare !== null) {
    const key = checkedKey(compare[1] ?? '');
    const operator = compare[2];
    const wanted = checkedValue(compare[3] ?? '');
    return (labels) => {
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
      if (operator === '!=') return value !== wanted;
      if (value === undefined) return false;
      if (operator === '>' || operator === '<') {
        if (!/^-?\d+$/.test(value)) return false;
        return operator === '>' ? Number(value) > Number(wanted) : Number(value) < Number(wanted);
      }
      return value === wanted;
    };
  }
  if (text.startsWith('!')) {
    const key = checkedKey(text.slice(1).trim());
    return (labels) => !Object.hasOwn(labels, key);
  }
  const key = checkedKey(text);
  return (labels) => Object.hasOwn(labels, key);
}

/** The string form of a label selector as a predicate; undefined and '' select everything. 400 for what does not parse. */
export function parseLabelSelector(text: string | undefined): Matcher {
  if (text === undefined || text.trim() === '') return everything;
  const tests = splitRequirements(text).map(parseRequirement);
  return ({ metadata: { labels = {} } }) => tests.every((test) => test(labels));
}

/** What a field selector may name, and how each is read. */
export type SelectableFields = Readonly<Record<string, (object: KubeObject) => string>>;

/** A field selector as a predicate. 400 for a field that this resource cannot be selected by. */
export function parseFieldSelector(text: string | undefined, fields: SelectableFields): Matcher {
  if (text === undefined || text.trim() === '') return everything;
  const tests = text.split(',').map((part): Matcher => {
    const match = /^\s*([^=!\s]+)\s*(==|=|!=)\s*(.*?)\s*$/.exec(part);
    if (match === null)
      throw refuse.badRequest(`invalid selector: '${text}'; can't understand '${part.trim()}'`);
    const [, name = '', operator, wanted] = match;
    const read = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (read === undefined) throw refuse.badRequest(`field label not supported: ${name}`);
    return (object) => (read(object) === wanted) === (operator !== '!=');
  });
  return (object) => tests.every((test) => test(object));
}
