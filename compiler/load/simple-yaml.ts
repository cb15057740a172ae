import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { Limits } from './limits.ts';
import type { Extent, KeyRange } from './parse.ts';
import { ambiguousScalar } from './scalars.ts';

/** The documents of a text, and how many YAML tokens it has. */
export interface SimpleText {
  documents: { value: JsonObject | null; at: Extent }[];
  tokens: number;
}

/** All characters but those of ASCII, and tabs and carriage returns. */
const OTHER_CHARACTER = /[^\n\x20-\x7e]/;
const KEY = /([A-Za-z][A-Za-z0-9_./-]{0,79}):(?: |(?=\n)|$)/y;
/** Words, joined by single spaces and colons, of which the first begins neither as a number nor as an indicator. */
const WORDS = /(?:--?)?[A-Za-z/][^\n #,:[\]{}]*(?:[ :][^\n #,:[\]{}]+){0,999}/y;
const INTEGER = /(?:0|[1-9][0-9]{0,14})(?=[\n ,}\]]|$)/y;
/** `25%`, `100m`, `1Gi`, `30s`: text, although it begins as a number. */
const QUANTITY = /[0-9]+(?:%|m|Ki|Mi|Gi|Ti|s|h)(?=[\n ,}\]]|$)/y;
const QUOTED = /"([^"\\\n]*)"|'([^'\n]*)'/y;
/** A comment begins a line, or stands after a space. */
const COMMENT = / *(?<![^ \n])#[^\n]*/y;

const [NEWLINE, SPACE, HASH, DASH] = [0x0a, 0x20, 0x23, 0x2d];
/** Words that YAML 1.2 reads as null or a boolean; other spellings go to the parser. */
const CONSTANTS = new Map<string, boolean | null>([
  ['null', null],
  ['true', true],
  ['false', false],
]);
const OTHER_CONSTANT = /^(?:null|true|false)$/i;

/** Levels of maps and lists. With keys of the greatest length a path stays below its limit. */
const MOST_DEPTH = 20;
/** Levels of maps in which `containerKeys` looks for lists of containers. */
const MOST_KEY_DEPTH = 6;

/** In place of an indent: the end of the text, and the start of the next document. */
const [END, BREAK] = [-1, -2];

/**
 * Reads the YAML that most manifests consist of: block maps and lists, words, integers, quotes on one line, comments, and flow
 * collections of scalars. It needs a twentieth of the time of the parser. Returns undefined for every other text, for a text with an
 * error or with values that YAML versions read differently, and near a limit; such a text goes to the parser. Otherwise values,
 * extents and the number of tokens equal those of the parser: test/compiler/simple-yaml.test.ts compares both on random texts.
 *
 * @param keeps selects the values to keep; the others become null to save memory
 */
export function readSimple(
  text: string,
  limits: Limits,
  keeps: (value: Json) => boolean,
): SimpleText | undefined {
  if (OTHER_CHARACTER.test(text)) return undefined;
  const most = Math.min(limits.documentTokens, limits.valueText);
  let pos = 0;
  /** The start of the document. */
  let from = 0;
  /** The indent of the line at `pos`, which is neither blank nor a comment. */
  let indent = 0;
  let tokens = 0;
  let keys: KeyRange[] | undefined;
  /** Manifests of one file have most texts in common: each is stored once. */
  const texts = new Map<string, string>();

  function match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = pos;
    const found = pattern.exec(text);
    if (found !== null) pos = pattern.lastIndex;
    return found;
  }

  /** Moves to the next line with content; false if a line has only spaces. */
  function nextLine(): boolean {
    while (pos - from < most) {
      let at = pos;
      while (text.charCodeAt(at) === SPACE) at += 1;
      const code = text.charCodeAt(at);
      if (at === text.length) {
        indent = END;
        return at === pos;
      }
      if (code === NEWLINE) {
        if (at !== pos) return false;
        tokens += 1;
        pos = at + 1;
      } else if (code === HASH) {
        if (!endLine()) return false;
      } else {
        indent = at === pos && text.startsWith('---', pos) ? BREAK : at - pos;
        pos = at;
        return true;
      }
    }
    return false;
  }

  /** Reads an optional comment and the end of the line; false if anything else follows. */
  function endLine(): boolean {
    if (match(COMMENT) !== null) tokens += 1;
    if (pos === text.length) return true;
    if (text.charCodeAt(pos) !== NEWLINE) return false;
    tokens += 1;
    pos += 1;
    return true;
  }

  function scalar(): Json | undefined {
    tokens += 1;
    const quoted = match(QUOTED);
    if (quoted !== null) return once(quoted[1] ?? quoted[2] ?? '');
    const integer = match(INTEGER);
    if (integer !== null) return Number(integer[0]);
    const [word] = match(WORDS) ?? match(QUANTITY) ?? [];
    if (word === undefined) return undefined;
    const constant = CONSTANTS.get(word);
    if (constant !== undefined) return constant;
    return OTHER_CONSTANT.test(word) || ambiguousScalar(word) !== undefined ? undefined : once(word);
  }

  function once(value: string): string {
    const known = texts.get(value);
    if (known === undefined) texts.set(value, value);
    return known ?? value;
  }

  function keyAt(): string | undefined {
    const [, key] = match(KEY) ?? [];
    if (key === undefined || OTHER_CONSTANT.test(key) || ambiguousScalar(key) !== undefined) return undefined;
    tokens += 2;
    return key;
  }

  /** Reads a value on the line of its key or dash. */
  function inline(): Json | undefined {
    const first = text[pos];
    if (first !== '{' && first !== '[') return scalar();
    const isMap = first === '{';
    const close = isMap ? '}' : ']';
    const map: JsonObject = {};
    const list: Json[] = [];
    pos += 1;
    tokens += 2;
    if (text[pos] === ' ') pos += 1;
    for (let isFirst = true; text[pos] !== close; isFirst = false) {
      if (pos - from >= most) return undefined;
      if (!isFirst) {
        if (!text.startsWith(', ', pos)) return undefined;
        pos += 2;
        tokens += 1;
      }
      const key = isMap ? keyAt() : undefined;
      if (isMap && (key === undefined || Object.hasOwn(map, key))) return undefined;
      const value = scalar();
      if (value === undefined) return undefined;
      if (key === undefined) list.push(value);
      else map[key] = value;
      if (text[pos] === ' ' && text[pos + 1] === close) pos += 1;
    }
    pos += 1;
    return isMap ? withoutNulls(map) : list;
  }

  /** Whether the line at `pos` is the next entry of a list, or of a map, in this column. */
  function continues(column: number, isList: boolean): boolean {
    return indent === column && (text.charCodeAt(pos) === DASH) === isList;
  }

  /** Reads a map whose first key is at `pos`. Without `path`, it records no places of keys. */
  function mapAt(column: number, depth: number, path: string | undefined): JsonObject | undefined {
    const result: JsonObject = {};
    do {
      const start = pos;
      const key = keyAt();
      if (key === undefined || Object.hasOwn(result, key)) return undefined;
      const below = path === undefined || key.includes('/') ? undefined : `${path}${key}`;
      const next = depth < MOST_KEY_DEPTH && below !== undefined ? `${below}/` : undefined;
      const value = valueOf(column, depth, next);
      if (value === undefined) return undefined;
      if (key === 'containers' && below !== undefined && Array.isArray(value)) {
        (keys ??= []).push({ path: once(below), start, end: start + key.length });
      }
      result[key] = value;
    } while (continues(column, false));
    return indent > column ? undefined : withoutNulls(result);
  }

  /** Reads the value of a key, on its line or on the lines below. */
  function valueOf(column: number, depth: number, path: string | undefined): Json | undefined {
    COMMENT.lastIndex = pos;
    const isInline = pos < text.length && text.charCodeAt(pos) !== NEWLINE && !COMMENT.test(text);
    if (isInline) {
      const value = inline();
      return value !== undefined && endLine() && nextLine() ? value : undefined;
    }
    if (!endLine() || !nextLine() || depth > MOST_DEPTH) return undefined;
    const isList = text.charCodeAt(pos) === DASH;
    if (isList && indent >= column) return listAt(indent, depth + 1);
    return indent > column ? mapAt(indent, depth + 1, path) : null;
  }

  function listAt(column: number, depth: number): Json[] | undefined {
    const result: Json[] = [];
    do {
      if (!text.startsWith('- ', pos) || depth > MOST_DEPTH) return undefined;
      pos += 2;
      tokens += 1;
      KEY.lastIndex = pos;
      const isMap = KEY.test(text);
      const value = isMap ? mapAt(column + 2, depth + 1, undefined) : inline();
      if (value === undefined) return undefined;
      if (!isMap && !(endLine() && nextLine())) return undefined;
      result.push(value);
    } while (continues(column, true));
    // An array that grew by `push` has space for more values.
    return indent > column ? undefined : result.slice();
  }

  const documents: SimpleText['documents'] = [];
  if (!nextLine()) return undefined;
  // The lexer begins with a mark, which counts as a token.
  tokens += 1;
  for (; ; from = pos) {
    if (documents.length > 0 || indent === BREAK) {
      if (!text.startsWith('---\n', pos)) return undefined;
      pos += 4;
      tokens += 2;
      if (!nextLine()) return undefined;
    }
    keys = undefined;
    const value = indent === 0 ? mapAt(0, 1, '') : undefined;
    if (value === undefined || indent >= 0 || pos - from >= most) return undefined;
    const at = { from, to: pos };
    if (keeps(value)) documents.push({ value, at: keys === undefined ? at : { ...at, keys } });
    else documents.push({ value: null, at });
    if (indent === END) return { documents, tokens };
  }
}

/** The API server ignores members that are null. */
function withoutNulls(map: JsonObject): JsonObject {
  for (const key of Object.keys(map)) if (map[key] === null) delete map[key];
  return map;
}
