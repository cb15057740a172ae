import { SyntaxFault, type Problem } from './source.ts';
import { uintOf, type Value } from './values.ts';

/** A token of an expression. `value` is set for literals. */
export interface Token {
  at: number;
  kind: 'literal' | 'ident' | 'quoted' | 'sign' | 'end';
  text: string;
  value?: Value;
}

const blank = /(?:[\t \r\n\f]+|\/\/[^\n]*)+/y;
const number =
  /0x[0-9a-fA-F]+[uU]?|\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?|\d+[uU]?/y;
const word = /[A-Za-z_][A-Za-z0-9_]*/y;
const escapedWord = /`([A-Za-z0-9_.\-/ ]+)`/y;
const stringStart = /(?:([bB][rR]?|[rR])(?=["']))?("""|'''|"|')/y;
const sign = /==|!=|<=|>=|&&|\|\||[[\](){}<>.,\-!?:+*/%]/y;
const escape =
  /\\(?:([abfnrtv"'\\?`])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))/y;
const letters: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

const constants = new Map<string, Value>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

function numberValue(text: string, at: number): Value {
  if (/^(?!0x).*[.eE]/.test(text)) return Number(text);
  if (/[uU]$/.test(text)) {
    const value = BigInt(text.slice(0, -1));
    if (value >= 2n ** 64n) throw new SyntaxFault(at, 'invalid uint literal');
    return uintOf(value);
  }
  return BigInt(text);
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Characters that the lexer treats as the start of an invalid token. */
const broken = /[=&|][^]?|[^]/uy;

const recognition = (at: number, shown: string): Problem => ({
  at,
  message: `Syntax error: token recognition error at: '${shown}'`,
});

interface Piece {
  text: string;
  /** An escaped byte in a bytes literal. */
  byte?: number;
}

function escapedPiece(found: RegExpExecArray, isBytes: boolean, at: number): Piece {
  const [, letter, hex, short, long, octal] = found;
  if (letter !== undefined) return { text: letters[letter] ?? letter };
  if (hex !== undefined || octal !== undefined) {
    const code = hex === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(hex, 16);
    return isBytes ? { text: '', byte: code } : { text: String.fromCodePoint(code) };
  }
  const code = Number.parseInt(short ?? long ?? '', 16);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
    throw new SyntaxFault(at, 'invalid unicode code point');
  return { text: String.fromCodePoint(code) };
}

function readString(
  text: string,
  at: number,
  start: RegExpExecArray,
): { end: number; value: Value } | { brokenAt: number } {
  const [whole, prefix = '', quote = '"'] = start;
  const isRaw = /r/i.test(prefix);
  const isBytes = /b/i.test(prefix);
  const pieces: Piece[] = [];
  let position = at + whole.length;
  while (!text.startsWith(quote, position)) {
    const character = text[position];
    const isOpen = quote.length === 1 && (character === '\n' || character === '\r');
    if (character === undefined || isOpen) return { brokenAt: position };
    const found = !isRaw && character === '\\' ? match(escape, text, position) : null;
    if (found === null && character === '\\' && !isRaw) return { brokenAt: position + 2 };
    pieces.push(found === null ? { text: character } : escapedPiece(found, isBytes, at));
    position += found === null ? 1 : found[0].length;
  }
  const end = position + quote.length;
  if (!isBytes) return { end, value: pieces.map((piece) => piece.text).join('') };
  const bytes = pieces.map(({ text: part, byte }) =>
    byte === undefined ? Buffer.from(part) : Buffer.of(byte),
  );
  return { end, value: new Uint8Array(Buffer.concat(bytes)) };
}

/**
 * Tokenizes an expression without whitespace and comments; the last token is the end. Invalid characters are
 * reported and skipped. Throws SyntaxFault for invalid literals.
 */
export function tokensOf(text: string): { tokens: Token[]; problems: Problem[] } {
  const tokens: Token[] = [];
  const problems: Problem[] = [];
  let at = 0;
  for (;;) {
    at += match(blank, text, at)?.[0].length ?? 0;
    if (at >= text.length) break;
    const start = match(stringStart, text, at);
    const literal = start === null ? undefined : readString(text, at, start);
    if (literal !== undefined && 'end' in literal) {
      const { end, value } = literal;
      tokens.push({ at, kind: 'literal', text: text.slice(at, end), value });
      at = end;
      continue;
    }
    const isCut = start !== null;
    const digits = isCut ? undefined : match(number, text, at)?.[0];
    const name = isCut ? undefined : match(word, text, at)?.[0];
    const quoted = match(escapedWord, text, at);
    const mark = match(sign, text, at)?.[0];
    if (digits !== undefined)
      tokens.push({ at, kind: 'literal', text: digits, value: numberValue(digits, at) });
    else if (name !== undefined) {
      const value = constants.get(name);
      if (value !== undefined) tokens.push({ at, kind: 'literal', text: name, value });
      else tokens.push({ at, kind: name === 'in' ? 'sign' : 'ident', text: name });
    } else if (quoted !== null) tokens.push({ at, kind: 'quoted', text: quoted[1] ?? '' });
    else if (mark !== undefined) tokens.push({ at, kind: 'sign', text: mark });
    else {
      const shown =
        literal === undefined ? (match(broken, text, at)?.[0] ?? '') : text.slice(at, literal.brokenAt);
      problems.push(recognition(at, shown));
      at += shown.length;
      continue;
    }
    at += quoted?.[0].length ?? (digits ?? name ?? mark ?? '').length;
  }
  tokens.push({ at: text.length, kind: 'end', text: '<EOF>' });
  return { tokens, problems };
}
