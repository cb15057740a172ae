import type { Json } from '../../schemas/wire/json.ts';
import { ambiguousScalar } from './scalars.ts';

/** Letters beyond ASCII are read; controls, tabs, carriage returns, marks of direction and surrogates are not. */
const OTHER_CHARACTER = /[^\n\x20-\x7e\u00a1-\u1fff\u2010-\u2027\u2030-\u205e\u2070-\ud7ff\uff01-\uffee]/;
const KEY = /([A-Za-z][A-Za-z0-9_./-]{0,79}):(?: |(?=\n)|$)/y;
/**
 * Words, joined by single spaces and colons, of which the first begins neither as a number nor as an indicator. In a flow collection
 * commas and brackets end them.
 */
const WORDS = /(?:--?)?[A-Za-z/$^_(\u00c0-\u1fff\u3040-\ud7ff][^\n #:]*(?:[ :][^\n #:]+){0,999}/y;
const FLOW_WORDS =
  /(?:--?)?[A-Za-z/$^_(\u00c0-\u1fff\u3040-\ud7ff][^\n #,:[\]{}]*(?:[ :][^\n #,:[\]{}]+){0,999}/y;
const INTEGER = /(?:0|[1-9][0-9]{0,14})(?=[\n ,}\]]|$)/y;
/** `25%`, `100m`, `1Gi`, `1ad8-5b`: text, although it begins as a number. */
const QUANTITY = /[0-9]+[%a-df-wyzA-DF-WYZ][^\n #,:[\]{}]*(?=[\n ,}\]]|$)/y;
const DOUBLE = /"([^"\\\n]*(?:\\["\\/nt][^"\\\n]*){0,999})"/y;
const SINGLE = /'([^'\n]*(?:''[^'\n]*){0,999})'/y;
const ESCAPE = /\\(.)/g;
const ESCAPED = new Map([
  ['n', '\n'],
  ['t', '\t'],
]);
/** A comment begins a line, or stands after a space. */
const COMMENT = / *(?<![^ \n])#[^\n]*/y;
/** The head of a text of several lines. */
const LITERAL = /\|(-?)(?=\n)/y;

const [NEWLINE, SPACE, HASH] = [0x0a, 0x20, 0x23];
/** Words that YAML 1.2 reads as null or a boolean; other spellings go to the parser. */
const CONSTANTS = new Map<string, boolean | null>([
  ['null', null],
  ['true', true],
  ['false', false],
]);
const OTHER_CONSTANT = /^(?:null|true|false)$/i;

/** In place of an indent: the end of the text, and the start of the next document. */
export const [END, BREAK] = [-1, -2];

/** Whether a text has only characters that simple YAML has. */
export function isPlainText(text: string): boolean {
  return !OTHER_CHARACTER.test(text);
}

/**
 * A place in a text, and what can be read there. Each method that reads moves to the end of what it has read, and counts its tokens. One
 * that finds something else returns undefined or false: the text is left to the parser then.
 */
export class SimpleCursor {
  readonly text: string;
  pos = 0;
  /** The start of the document. */
  from = 0;
  /** The indent of the line at `pos`, which is neither blank nor a comment. */
  indent = 0;
  tokens = 0;
  /** The most characters of a document. */
  readonly #most: number;
  /** Manifests of one file have most texts in common: each is stored once. */
  readonly #texts = new Map<string, string>();

  constructor(text: string, most: number) {
    this.text = text;
    this.#most = most;
  }

  /** Whether the document has become as long as a limit. */
  isLong(): boolean {
    return this.pos - this.from >= this.#most;
  }

  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.pos;
    const found = pattern.exec(this.text);
    if (found !== null) this.pos = pattern.lastIndex;
    return found;
  }

  /** Whether a pattern matches here; reads nothing. */
  startsWith(pattern: RegExp): boolean {
    pattern.lastIndex = this.pos;
    return pattern.test(this.text);
  }

  /** Moves to the next line with content; false if a line has only spaces. */
  nextLine(): boolean {
    const { text } = this;
    while (!this.isLong()) {
      let at = this.pos;
      while (text.charCodeAt(at) === SPACE) at += 1;
      const code = text.charCodeAt(at);
      if (at === text.length) {
        this.indent = END;
        return at === this.pos;
      }
      if (code === NEWLINE) {
        if (at !== this.pos) return false;
        this.tokens += 1;
        this.pos = at + 1;
      } else if (code === HASH) {
        if (!this.endLine()) return false;
      } else {
        this.indent = at === this.pos && text.startsWith('---', at) ? BREAK : at - this.pos;
        this.pos = at;
        return true;
      }
    }
    return false;
  }

  /** Reads spaces, an optional comment and the end of the line; false if anything else follows. */
  endLine(): boolean {
    if (this.match(COMMENT) !== null) this.tokens += 1;
    while (this.text.charCodeAt(this.pos) === SPACE) this.pos += 1;
    if (this.pos === this.text.length) return true;
    if (this.text.charCodeAt(this.pos) !== NEWLINE) return false;
    this.tokens += 1;
    this.pos += 1;
    return true;
  }

  /** Whether a value follows on this line. */
  isInline(): boolean {
    const { pos, text } = this;
    return pos < text.length && text.charCodeAt(pos) !== NEWLINE && !this.startsWith(COMMENT);
  }

  /** Whether a key follows. */
  isKey(): boolean {
    return this.startsWith(KEY);
  }

  key(): string | undefined {
    const [, key] = this.match(KEY) ?? [];
    if (key === undefined || OTHER_CONSTANT.test(key) || ambiguousScalar(key) !== undefined) return undefined;
    this.tokens += 2;
    return key;
  }

  /** A value that is neither a list nor a map. */
  scalar(isInFlow: boolean): Json | undefined {
    this.tokens += 1;
    const double = this.match(DOUBLE)?.[1];
    if (double !== undefined) return this.once(double.includes('\\') ? unescaped(double) : double);
    const single = this.match(SINGLE)?.[1];
    if (single !== undefined) return this.once(single.replaceAll("''", "'"));
    const integer = this.match(INTEGER);
    if (integer !== null) return Number(integer[0]);
    const [word] = this.match(isInFlow ? FLOW_WORDS : WORDS) ?? this.match(QUANTITY) ?? [];
    if (word === undefined) return undefined;
    const constant = CONSTANTS.get(word);
    if (constant !== undefined) return constant;
    return OTHER_CONSTANT.test(word) || ambiguousScalar(word) !== undefined ? undefined : this.once(word);
  }

  /** Whether the head of a text of several lines follows. */
  isLiteral(): boolean {
    return this.startsWith(LITERAL);
  }

  /**
   * A text of several lines below its head, indented by more than `column`, and the lines after it up to the next one with content.
   * A line of spaces alone is left to the parser.
   */
  literal(column: number): string | undefined {
    const { text } = this;
    const isStripped = this.match(LITERAL)?.[1] === '-';
    this.pos += 1;
    this.tokens += text.charCodeAt(this.pos) === NEWLINE ? 3 : 2;
    let width: number | undefined;
    const lines: string[] = [];
    let next = this.pos;
    let last = 0;
    while (next - this.from < this.#most && next < text.length) {
      const end = text.indexOf('\n', next);
      if (end < 0) return undefined;
      let at = next;
      while (text.charCodeAt(at) === SPACE) at += 1;
      if (at === end && at > next) return undefined;
      if (at < end) {
        width ??= at - next;
        if (at - next < width || width <= column) break;
      }
      lines.push(at === end ? '' : text.slice(next + (width ?? 0), end));
      next = end + 1;
      if (at === end) continue;
      last = lines.length;
      this.pos = next;
    }
    if (last === 0 || !this.nextLine()) return undefined;
    return this.once(`${lines.slice(0, last).join('\n')}${isStripped ? '' : '\n'}`);
  }

  once(value: string): string {
    const known = this.#texts.get(value);
    if (known === undefined) this.#texts.set(value, value);
    return known ?? value;
  }
}

function unescaped(text: string): string {
  return text.replace(ESCAPE, (_, character: string) => ESCAPED.get(character) ?? character);
}
