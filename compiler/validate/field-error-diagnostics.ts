import type { FieldError } from '../../schemas/pods/fieldErrors.ts';
import { nameFaults } from '../../schemas/pods/names.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { quoted } from '../diagnostics/phrases.ts';
import { suggest } from '../text/suggest.ts';
import { formatPath, parsePath, valueAt, type Locate } from './schema-errors.ts';
import { isReplaced } from './template-rules.ts';

/** What the errors are about: data at a path of a manifest. */
export interface CheckedData {
  data: unknown;
  /** The path of the data in the manifest. */
  at: readonly string[];
  /** Whether a value at this path of the data is invalid by its schema, which was reported. */
  isFaulty(...path: string[]): boolean;
  locate: Locate;
}

/**
 * Converts errors of the API server to diagnostics, each at the value, key or item that it is about. Omits errors about
 * values that are invalid by their schema, and about text that another tool replaces later.
 *
 * @param errors with paths whose first key stands for the data
 */
export function fieldErrorDiagnostics(errors: readonly FieldError[], checked: CheckedData): Diagnostic[] {
  const fields = new Set<string>();
  const keyOf = createKeyFinder();
  let related = 0;
  return errors.flatMap((error) => {
    const path = subjectOf(parsePath(error.field).slice(1), error, checked.data, keyOf);
    const subject = path.join('/');
    // One value may break several rules: the first says enough.
    const isKnown = fields.has(subject) && error.reason !== 'FieldValueRequired';
    fields.add(subject);
    const isUnclear = isReplaced(error.value) || isReplaced(valueAt(checked.data, path));
    if (isKnown || isUnclear || checked.isFaulty(...path)) return [];
    const isRelated = error.reason === 'FieldValueDuplicate' && related++ < MOST_RELATED;
    return [toDiagnostic(error, path, checked, isRelated ? firstOf(path, checked) : [])];
  });
}

/** Further duplicates are reported without the position of the first: finding it takes a search of the list. */
const MOST_RELATED = 20;

type KeyFinder = (map: Readonly<Record<string, unknown>>, member: string) => string | undefined;

/** Finds the first key of a map with a value. Indexes each map once, as a map may have thousands of errors. */
function createKeyFinder(): KeyFinder {
  const known = new Map<object, ReadonlyMap<unknown, string>>();
  return (map, member) => {
    const index = known.get(map) ?? new Map(Object.entries(map).map(([key, value]) => [value, key] as const));
    known.set(map, index);
    return index.get(member);
  };
}

/** The path of the value that an error is about. Errors of labels and other maps name only the map. */
function subjectOf(path: string[], { value }: FieldError, data: unknown, keyOf: KeyFinder): string[] {
  const found = valueAt(data, path);
  if (typeof value !== 'string' || typeof found !== 'object' || found === null || Array.isArray(found))
    return path;
  const key = Object.hasOwn(found, value) ? value : keyOf(found as Record<string, unknown>, value);
  return key === undefined ? path : [...path, key];
}

function toDiagnostic(
  error: FieldError,
  path: string[],
  checked: CheckedData,
  related: Diagnostic['related'],
): Diagnostic {
  const { reason, value, detail = '', supported = [] } = error;
  const { data, at, locate } = checked;
  const whole = [...at, ...path];
  const field = formatPath(whole);
  const current = valueAt(data, path);
  const isKey = typeof value === 'string' && path.at(-1) === value && current !== value;
  const position = locate(whole, isKey ? 'key' : 'value');
  switch (reason) {
    case 'FieldValueRequired': {
      if (detail !== '')
        return diagnostic('KR2201', { field, value: undefined, rule: withHandlers(detail, whole) }, position);
      const empty = shown(current);
      if (empty !== undefined)
        return diagnostic(
          'KR2201',
          { field, value: empty, rule: 'the API server reads it as missing' },
          position,
        );
      const owner = whole.slice(0, -1);
      return diagnostic(
        'KR2004',
        { field: path.at(-1) ?? '', owner: formatPath(owner) },
        locate(owner, 'key'),
      );
    }
    case 'FieldValueNotSupported': {
      const [text, allowed] = [textOf(value), supported.map(textOf)];
      const args = { field, value: text, allowed: allowed.join(', '), suggestion: suggest(text, allowed) };
      return diagnostic('KR2003', args, position);
    }
    case 'FieldValueDuplicate':
      return diagnostic('KR2202', { field, value: shown(value) ?? '' }, position, related);
    case 'FieldValueNotFound':
      return diagnostic('KR2203', { field, value: shown(value) ?? '' }, position);
    case 'FieldValueForbidden':
      return diagnostic('KR2204', { field, rule: detail }, locate(whole, 'key'));
    case 'FieldValueInvalid':
    case 'FieldValueTypeInvalid':
    case 'FieldValueTooLong':
    case 'FieldValueTooMany': {
      const owner = formatPath(whole.slice(0, -1));
      const isScalar = typeof current !== 'object';
      const args = {
        field: isKey ? `a key of ${owner}` : field,
        value: (isKey || isScalar) && value !== '' ? shown(value) : undefined,
        rule: withoutPattern(detail),
        suggestion: suggestName(value, detail),
      };
      return diagnostic('KR2201', args, position);
    }
  }
}

/** Names the handlers, where one is missing: those of a lifecycle hook or of a probe. */
function withHandlers(rule: string, path: readonly string[]): string {
  if (!rule.includes('handler type')) return rule;
  return `${rule}: exec, httpGet, tcpSocket or ${path.includes('lifecycle') ? 'sleep' : 'grpc'}`;
}

/** The earlier item of the same list that has the same value. */
function firstOf(path: readonly string[], { data, at, locate }: CheckedData): Diagnostic['related'] {
  const last = path.findLastIndex((key) => /^[0-9]+$/.test(key));
  const [list, index, field] = [path.slice(0, last), Number(path[last]), path.slice(last + 1)];
  const items = valueAt(data, list);
  if (last < 0 || !Array.isArray(items)) return [];
  const value = valueAt(data, path);
  const first = items.findIndex((item) => valueAt(item, field) === value);
  if (first < 0 || first >= index || value === undefined) return [];
  const position = locate([...at, ...list, String(first), ...field], 'value');
  return [{ message: 'first here', position }];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

function shown(value: unknown): string | undefined {
  if (value === undefined || value === null || typeof value === 'object') return undefined;
  return typeof value === 'string' ? quoted(value) : JSON.stringify(value);
}

/** A rule with one example instead of its examples and its regular expression. */
function withoutPattern(rule: string): string {
  const at = rule.indexOf(" (e.g. '");
  const example = at === -1 ? undefined : /^ \(e\.g\. ('[^']*')/.exec(rule.slice(at))?.[1];
  return example === undefined || !rule.endsWith(')') ? rule : `${rule.slice(0, at)}, such as ${example}`;
}

/** A valid name close to an invalid one: `My_App` is my-app, the resource `cpus` is cpu. */
function suggestName(value: unknown, rule: string): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (rule.includes('standard resource')) return suggest(value, ['cpu', 'memory', 'ephemeral-storage']);
  if (!/RFC 1123|DNS-1035|dots/.test(rule)) return undefined;
  const name = value
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return nameFaults(name, 'label').length === 0 ? name : undefined;
}
