import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { Limits } from './limits.ts';
import type { Extent, KeyRange } from './parse.ts';
import { PATCH } from './plain.ts';
import { BREAK, END, isPlainText, SimpleCursor } from './simple-cursor.ts';

/** The documents of a text, and how many YAML tokens it has. */
export interface SimpleText {
  documents: { value: JsonObject | null; at: Extent }[];
  tokens: number;
}

const DASH = 0x2d;
/** Levels of maps and lists. With keys of the greatest length a path stays below its limit. */
const MOST_DEPTH = 20;
/** Levels of maps in which `containerKeys` looks for lists of containers. */
const MOST_KEY_DEPTH = 6;

/**
 * Reads the YAML that most manifests consist of: block maps and lists, words, integers, quotes on one line, texts of several
 * lines, comments, and flow collections on one line. It needs a twentieth of the time of the parser. Returns undefined for every other text, for a text with an
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
  if (!isPlainText(text)) return undefined;
  const cursor = new SimpleCursor(text, Math.min(limits.documentTokens, limits.valueText));
  const hasPatch = text.includes(PATCH);
  let keys: KeyRange[] | undefined;

  /** Reads a value on the line of its key or dash. */
  function inline(depth: number, path: string | undefined, isInFlow: boolean): Json | undefined {
    const first = text[cursor.pos];
    if (first !== '{' && first !== '[') return cursor.scalar(isInFlow);
    if (depth > MOST_DEPTH) return undefined;
    const isMap = first === '{';
    const close = isMap ? '}' : ']';
    const map: JsonObject = {};
    const list: Json[] = [];
    cursor.pos += 1;
    cursor.tokens += 2;
    if (text[cursor.pos] === ' ') cursor.pos += 1;
    for (let isFirst = true; text[cursor.pos] !== close; isFirst = false) {
      if (cursor.isLong()) return undefined;
      if (!isFirst) {
        if (!text.startsWith(', ', cursor.pos)) return undefined;
        cursor.pos += text[cursor.pos + 2] === ' ' ? 3 : 2;
        cursor.tokens += 1;
      }
      const start = cursor.pos;
      const key = isMap ? cursor.key() : undefined;
      if (isMap && (key === undefined || Object.hasOwn(map, key))) return undefined;
      const below = key === undefined ? undefined : belowOf(path, key);
      const value = inline(depth + 1, nextOf(below, depth), true);
      if (value === undefined) return undefined;
      if (key === undefined) list.push(value);
      else {
        noteContainers(key, start, below, value);
        map[key] = value;
      }
      if (text[cursor.pos] === ' ' && text[cursor.pos + 1] === close) cursor.pos += 1;
    }
    cursor.pos += 1;
    return isMap ? withoutNulls(map, hasPatch) : list.slice();
  }

  /** The path of a key without the `/` that follows; undefined: no place below is recorded. */
  function belowOf(path: string | undefined, key: string): string | undefined {
    return path === undefined || key.includes('/') ? undefined : `${path}${key}`;
  }

  function nextOf(below: string | undefined, depth: number): string | undefined {
    return depth < MOST_KEY_DEPTH && below !== undefined ? `${below}/` : undefined;
  }

  function noteContainers(key: string, start: number, below: string | undefined, value: Json): void {
    if (key !== 'containers' || below === undefined || !Array.isArray(value)) return;
    (keys ??= []).push({ path: cursor.once(below), start, end: start + key.length });
  }

  /** Whether the line at `pos` is the next entry of a list, or of a map, in this column. */
  function continues(column: number, isList: boolean): boolean {
    return cursor.indent === column && (text.charCodeAt(cursor.pos) === DASH) === isList;
  }

  /** Reads a map whose first key is at `pos`. Without `path`, it records no places of keys. */
  function mapAt(column: number, depth: number, path: string | undefined): JsonObject | undefined {
    const result: JsonObject = {};
    do {
      const start = cursor.pos;
      const key = cursor.key();
      if (key === undefined || Object.hasOwn(result, key)) return undefined;
      const below = belowOf(path, key);
      const value = valueOf(column, depth, nextOf(below, depth));
      if (value === undefined) return undefined;
      noteContainers(key, start, below, value);
      result[key] = value;
    } while (continues(column, false));
    return cursor.indent > column ? undefined : withoutNulls(result, hasPatch);
  }

  /** Reads the value of a key, on its line or on the lines below. */
  function valueOf(column: number, depth: number, path: string | undefined): Json | undefined {
    if (cursor.isLiteral()) return cursor.literal(column);
    if (cursor.isInline()) {
      const value = inline(depth + 1, path, false);
      return value !== undefined && cursor.endLine() && cursor.nextLine() ? value : undefined;
    }
    if (!cursor.endLine() || !cursor.nextLine() || depth > MOST_DEPTH) return undefined;
    const { indent } = cursor;
    const isList = text.charCodeAt(cursor.pos) === DASH;
    if (isList && indent >= column) return listAt(indent, depth + 1);
    return indent > column ? mapAt(indent, depth + 1, path) : null;
  }

  function listAt(column: number, depth: number): Json[] | undefined {
    const result: Json[] = [];
    do {
      if (!text.startsWith('- ', cursor.pos) || depth > MOST_DEPTH) return undefined;
      cursor.pos += 2;
      cursor.tokens += 1;
      const value = itemAt(column, depth);
      if (value === undefined) return undefined;
      result.push(value);
    } while (continues(column, true));
    // An array that grew by `push` has space for more values.
    return cursor.indent > column ? undefined : result.slice();
  }

  /** Reads an item behind its dash. */
  function itemAt(column: number, depth: number): Json | undefined {
    if (cursor.isKey()) return mapAt(column + 2, depth + 1, undefined);
    if (cursor.isLiteral()) return cursor.literal(column);
    const value = inline(depth + 1, undefined, false);
    return value !== undefined && cursor.endLine() && cursor.nextLine() ? value : undefined;
  }

  const documents: SimpleText['documents'] = [];
  if (!cursor.nextLine()) return undefined;
  // The lexer begins with a mark, which counts as a token.
  cursor.tokens += 1;
  for (; ; cursor.from = cursor.pos) {
    if (documents.length > 0 || cursor.indent === BREAK) {
      if (!text.startsWith('---\n', cursor.pos)) return undefined;
      cursor.pos += 4;
      cursor.tokens += 2;
      if (!cursor.nextLine()) return undefined;
    }
    keys = undefined;
    const value = cursor.indent === 0 ? mapAt(0, 1, '') : undefined;
    if (value === undefined || cursor.indent >= 0 || cursor.isLong()) return undefined;
    const at = { from: cursor.from, to: cursor.pos };
    if (keeps(value)) documents.push({ value, at: keys === undefined ? at : { ...at, keys } });
    else documents.push({ value: null, at });
    if (cursor.indent === END) return { documents, tokens: cursor.tokens };
  }
}

/** The API server ignores members that are null, but in a patch. Undefined: the text has a patch, and the parser tells where. */
function withoutNulls(map: JsonObject, hasPatch: boolean): JsonObject | undefined {
  for (const key of Object.keys(map))
    if (map[key] === null) {
      if (hasPatch) return undefined;
      delete map[key];
    }
  return map;
}
