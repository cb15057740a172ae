import type { SchemaError } from '../../schemas/validator/error.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic, SourcePosition } from '../diagnostics/diagnostic.ts';
import { suggest } from '../text/suggest.ts';
import { CONFIG, knownFields, POD_TEMPLATE } from './known-fields.ts';
import type { SchemaRoot } from './known-fields.ts';
import { suggestQuantity } from './quantity-suggestion.ts';

export type Locate = (path: readonly string[], part: 'key' | 'value') => SourcePosition;

/** Longer paths are cut: with thousands of problems below one long path, the messages would fill the memory. */
const LONGEST_PATH = 1_000;

/** Formats a path as in `spec.template.spec.containers[0].image`. */
export function formatPath(path: readonly string[]): string {
  let text = '';
  for (const step of path) {
    if (text.length > LONGEST_PATH) return `${text}…`;
    if (/^[0-9]+$/.test(step)) text += `[${step}]`;
    else if (/^[A-Za-z_][A-Za-z0-9_-]*$/.test(step)) text += text === '' ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

/** The keys of a path such as `containers[0].limits[cpu]`. */
export function parsePath(text: string): string[] {
  const keys: string[] = [];
  const lastClose = text.lastIndexOf(']');
  for (let at = 0; at < text.length;) {
    if (text[at] === '[' && at < lastClose) {
      const end = text.indexOf(']', at);
      keys.push(text.slice(at + 1, end));
      at = end + 1;
      continue;
    }
    let end = at;
    while (end < text.length && !'.[]'.includes(text.charAt(end))) end += 1;
    if (end > at) keys.push(text.slice(at, end));
    at = Math.max(end, at + 1);
  }
  return keys;
}

/** The value at a path of plain data; undefined if there is none. */
export function valueAt(data: unknown, path: readonly string[]): unknown {
  let value = data;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** Describes a value in a message. Shows the content of scalars only, shortened. */
function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  if (typeof value === 'string') return `the text "${value.length > 40 ? `${value.slice(0, 39)}…` : value}"`;
  if (typeof value === 'number') return `the number ${value}`;
  return typeof value === 'boolean' ? `the boolean ${value}` : 'nothing';
}

const TYPE_NAMES: Record<string, string> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  object: 'a map',
  array: 'a list',
  null: 'null',
};

const DURATION = 'a duration such as 10m or 1h30m';
/** The expected form of text fields of kruise.yaml whose pattern would explain little. */
const CONFIG_FORMS: Readonly<Partial<Record<string, string>>> = {
  soak: DURATION,
  timeout: DURATION,
  for: DURATION,
  ignore: 'a pattern of names, /, *, ** and ?',
  group: 'at most 63 letters, digits, dashes, dots and underscores, with a letter or digit at both ends',
};

const COUNT_OR_PERCENT = 'a whole number or a percentage such as "20%"';

function expectedType(type: unknown, root: SchemaRoot): string {
  const types = Array.isArray(type) ? type.map(String) : [String(type)];
  if (root !== POD_TEMPLATE && types.includes('integer') && types.includes('string')) return COUNT_OR_PERCENT;
  return types.map((name) => TYPE_NAMES[name] ?? name).join(' or ');
}

/**
 * Converts schema errors to diagnostics with exact positions: an unknown field at its key, a missing field at the map that
 * lacks it, everything else at the value.
 *
 * @param below path of the validated data inside the document
 */
export function schemaDiagnostics(
  errors: readonly SchemaError[],
  root: SchemaRoot,
  data: unknown,
  below: readonly string[],
  locate: Locate,
): Diagnostic[] {
  const freeFields = createFreeFields(root);
  let suggestions = 0;
  const suggestionFor = (text: string, candidates: () => readonly string[]): string | undefined =>
    suggestions++ < MOST_SUGGESTED ? suggest(text, candidates()) : undefined;
  // A value of the wrong type is no value of an enumeration either, which needs no second message.
  const mistyped = new Set(
    errors.filter(({ keyword }) => keyword === 'type').map(({ path }) => path.join('/')),
  );
  const reported = errors.filter(({ keyword, path }) => keyword !== 'enum' || !mistyped.has(path.join('/')));
  const found = reported.map((error) => {
    const path = [...below, ...error.path];
    const field = path.length === 0 ? 'the document' : formatPath(path);
    const value = valueAt(data, error.path);
    switch (error.keyword) {
      case 'additionalProperties': {
        const unknown = String(error.params['additionalProperty']);
        const position = locate([...path, unknown], 'key');
        const suggestion = suggestionFor(unknown, () => freeFields(error.path, value));
        const args = { field: unknown, suggestion };
        return root === POD_TEMPLATE
          ? diagnostic('KR2006', args, position)
          : diagnostic('KR2001', args, position);
      }
      case 'required': {
        const missing = String(error.params['missingProperty']);
        const args = { field: missing, owner: field };
        const example = missing === 'match' ? { example: 'match: {} for every target' } : {};
        return diagnostic('KR2004', { ...args, ...example }, locate(path, 'key'));
      }
      case 'type': {
        const form = root === CONFIG ? configForm(error.path) : undefined;
        const expected = form ?? expectedType(error.params['type'], root);
        const help = expected === COUNT_OR_PERCENT ? percentHelp(value) : undefined;
        const args = { field, expected, found: describe(value), help };
        return diagnostic('KR2002', args, locate(path, 'value'));
      }
      case 'enum': {
        const allowed = Array.isArray(error.params['allowedValues'])
          ? error.params['allowedValues'].map(String)
          : [];
        const text = String(value);
        const args = {
          field,
          value: text,
          allowed: allowed.join(', '),
          suggestion: suggestionFor(text, () => allowed) ?? completionOf(text, allowed),
        };
        return diagnostic('KR2003', args, locate(path, 'value'));
      }
      default: {
        if (error.keyword === 'pattern' && root === POD_TEMPLATE)
          return quantityFault(field, value, locate(path, 'value'));
        const help = isPercentPattern(error) ? percentHelp(value) : emptyHelp(value);
        const args = { field, rule: boundRule(error, root, value), help };
        return diagnostic('KR2005', args, locate(path, 'value'));
      }
    }
  });
  // If a value breaks several rules that have the same message, only the first is reported.
  const messages = new Set<string>();
  return found.filter(({ message }, index) => {
    const isFirst = !messages.has(message);
    messages.add(message);
    return isFirst || isKeyed(reported[index]);
  });
}

/** The allowed values that begin with a text, as in `did you mean 'A' or 'B'?`; undefined if there are none. */
function completionOf(text: string, allowed: readonly string[]): string | undefined {
  const start = text.toLowerCase();
  const found = allowed.filter((each) => text !== '' && each.toLowerCase().startsWith(start));
  return found.length === 0 ? undefined : found.join("' or '");
}

/** The only texts with a pattern in a pod template are quantities. */
function quantityFault(field: string, value: unknown, position: SourcePosition): Diagnostic {
  const suggestion = typeof value === 'string' ? suggestQuantity(value) : undefined;
  return diagnostic('KR2206', { field, found: describe(value), suggestion }, position);
}

/** With more misspelled words than this in one object, suggestions are unlikely to help. */
const MOST_SUGGESTED = 20;

/** Returns a function that lists the fields which an object could have but does not. Caches the result per object. */
function createFreeFields(root: SchemaRoot): (path: readonly string[], value: unknown) => readonly string[] {
  const known = new Map<unknown, readonly string[]>();
  return (path, value) => {
    const before = known.get(value);
    if (before !== undefined) return before;
    const isPresent = (name: string): boolean =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name);
    const free = knownFields(root, path).filter((name) => !isPresent(name));
    known.set(value, free);
    return free;
  };
}

/** Errors about a present or missing key of a map: two of them may differ although their messages are equal. */
function isKeyed(error: SchemaError | undefined): boolean {
  return error?.keyword === 'additionalProperties' || error?.keyword === 'required';
}

/** The form of a text field of kruise.yaml; undefined for any other field. */
function configForm(path: readonly string[]): string | undefined {
  const [owner, key = ''] = [path.at(-2), path.at(-1)];
  return owner === 'args' ? undefined : CONFIG_FORMS[owner === 'ignore' ? 'ignore' : key];
}

function boundRule(error: SchemaError, root: SchemaRoot, value: unknown): string {
  if (root === CONFIG && typeof value === 'string') {
    const form = configForm(error.path);
    if (form !== undefined) return `must be ${form}, found ${describe(value)}`;
  }
  if (isPercentPattern(error)) {
    return `must be ${COUNT_OR_PERCENT}, found ${describe(value)}`;
  }
  return `${error.message}, found ${describe(value)}`;
}

function isPercentPattern({ params: { pattern } }: SchemaError): boolean {
  return typeof pattern === 'string' && pattern.endsWith('%$');
}

/** What to do about a text or a list that must not be empty: there are no bounds to choose a value in. Undefined: it is not empty. */
export function emptyHelp(value: unknown): string | undefined {
  if (value === '') return 'write a text; a field that is optional may be left out';
  return Array.isArray(value) && value.length === 0
    ? 'add an item; a field that is optional may be left out'
    : undefined;
}

/** What to write instead of `0.5`, `"50 %"` or `"50"`. */
function percentHelp(value: unknown): string | undefined {
  if (typeof value === 'number' && value > 0 && value < 1)
    return `did you mean '${Math.round(value * 1e4) / 100}%'?`;
  const [, digits, sign] = /^ *([0-9]{1,9})( *%)? *$/.exec(typeof value === 'string' ? value : '') ?? [];
  if (digits === undefined) return undefined;
  return sign === undefined
    ? `write ${digits} without quotes for a count, ${digits}% for a percentage`
    : `did you mean '${digits}%'?`;
}
