/** Syntax errors and duplicate keys, which JSON.parse does not report. */
export interface JsonScan {
  /** Why the text is not valid JSON, in the wording of Go's decoder. */
  error?: string;
  /** Paths of duplicate fields (`spec.parts[0].id`), each once, in text order. */
  duplicates: string[];
}

interface ObjectFrame {
  keys: Set<string>;
  /** The key of the current value. */
  key: string;
}

interface ListFrame {
  keys: undefined;
  index: number;
}

type Frame = ObjectFrame | ListFrame;

const spaces = ' \t\r\n';
const literals: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };

/** A character quoted like in Go: by the first byte of its UTF-8. */
function quoted(text: string, at: number): string {
  const code = text.codePointAt(at) ?? 0;
  const byte = code < 0x80 ? code : (Buffer.from(String.fromCodePoint(code))[0] ?? 0);
  if (byte === 0x27) return String.raw`'\''`;
  const named = { 7: 'a', 8: 'b', 9: 't', 10: 'n', 11: 'v', 12: 'f', 13: 'r', 92: '\\' }[byte];
  if (named !== undefined) return `'\\${named}'`;
  if (byte < 0x20 || byte === 0x7f) return `'\\x${byte.toString(16).padStart(2, '0')}'`;
  if ((byte >= 0x80 && byte < 0xa0) || byte === 0xad) return `'\\u00${byte.toString(16)}'`;
  return `'${String.fromCharCode(byte)}'`;
}

function pathOf(frames: readonly Frame[]): string {
  let path = '';
  for (const frame of frames)
    if (frame.keys === undefined) path += `[${frame.index}]`;
    else path += path === '' ? frame.key : `.${frame.key}`;
  return path;
}

class Refusal extends Error {}

/** Scans JSON text without creating values. `maxDepth`: the maximum nesting depth. */
export function scanJson(text: string, maxDepth: number): JsonScan {
  const duplicates = new Set<string>();
  try {
    scan(text, maxDepth, duplicates);
  } catch (error) {
    if (error instanceof Refusal) return { error: error.message, duplicates: [...duplicates] };
    throw error;
  }
  return { duplicates: [...duplicates] };
}

function refuse(text: string, at: number, where: string): Refusal {
  if (at >= text.length) return new Refusal('unexpected end of JSON input');
  return new Refusal(`invalid character ${quoted(text, at)} ${where}`);
}

function afterSpaces(text: string, from: number): number {
  let at = from;
  while (at < text.length && spaces.includes(text.charAt(at))) at += 1;
  return at;
}

/** The end of the string that opens at `from`. */
function afterString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) throw refuse(text, at, 'in string literal');
    if (code !== 0x5c) continue;
    at += 1;
    const escape = text.charAt(at);
    if (escape === '' || !'"\\/bfnrtu'.includes(escape)) throw refuse(text, at, 'in string escape code');
    if (escape !== 'u') continue;
    for (let digit = 0; digit < 4; digit += 1) {
      at += 1;
      if (!/^[0-9a-fA-F]$/.test(text.charAt(at)))
        throw refuse(text, at, String.raw`in \u hexadecimal character escape`);
    }
  }
  throw refuse(text, text.length, '');
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

function afterDigits(text: string, from: number, where: string): number {
  let at = from;
  while (isDigit(text, at)) at += 1;
  if (at === from) throw refuse(text, at, where);
  return at;
}

function afterNumber(text: string, from: number): number {
  let at = text.charAt(from) === '-' ? from + 1 : from;
  at = text.charAt(at) === '0' ? at + 1 : afterDigits(text, at, 'in numeric literal');
  if (text.charAt(at) === '.') at = afterDigits(text, at + 1, 'after decimal point in numeric literal');
  if (!/^[eE]$/.test(text.charAt(at))) return at;
  at += /^[+-]$/.test(text.charAt(at + 1)) ? 2 : 1;
  return afterDigits(text, at, 'in exponent of numeric literal');
}

function afterScalar(text: string, from: number): number {
  const first = text.charAt(from);
  if (first === '"') return afterString(text, from);
  if (first === '-' || isDigit(text, from)) {
    const end = afterNumber(text, from);
    const number = text.slice(from, end);
    if (!Number.isFinite(Number(number)))
      throw new Refusal(`json: cannot unmarshal number ${number} into Go value of type float64`);
    return end;
  }
  const literal = literals[first];
  if (literal === undefined) throw refuse(text, from, 'looking for beginning of value');
  for (let index = 1; index < literal.length; index += 1)
    if (text.charAt(from + index) !== literal.charAt(index))
      throw refuse(text, from + index, `in literal ${literal} (expecting '${literal.charAt(index)}')`);
  return from + literal.length;
}

/** Records the key in the frame, and reports it if it is a duplicate. */
function afterKey(text: string, from: number, frames: readonly Frame[], duplicates: Set<string>): number {
  const end = afterString(text, from);
  const raw = text.slice(from, end);
  const key = raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
  const frame = frames.at(-1);
  if (frame?.keys === undefined) return end;
  frame.key = key;
  if (frame.keys.has(key)) duplicates.add(pathOf(frames));
  else frame.keys.add(key);
  const colon = afterSpaces(text, end);
  if (text.charAt(colon) !== ':') throw refuse(text, colon, 'after object key');
  return afterSpaces(text, colon + 1);
}

function scan(text: string, maxDepth: number, duplicates: Set<string>): void {
  const frames: Frame[] = [];
  let at = afterSpaces(text, 0);
  for (;;) {
    // A value starts.
    const open = text.charAt(at);
    if (open === '{' || open === '[') {
      if (frames.length >= maxDepth) throw refuse(text, at, 'exceeded max depth');
      frames.push(open === '{' ? { keys: new Set(), key: '' } : { keys: undefined, index: 0 });
      at = afterSpaces(text, at + 1);
      if (text.charAt(at) !== (open === '{' ? '}' : ']')) {
        if (open === '[') continue;
        if (text.charAt(at) !== '"') throw refuse(text, at, 'looking for beginning of object key string');
        at = afterKey(text, at, frames, duplicates);
        continue;
      }
    } else at = afterSpaces(text, afterScalar(text, at));
    // A value ended, or the enclosing list or object ends.
    for (;;) {
      const frame = frames.at(-1);
      if (frame === undefined) {
        if (at < text.length) throw refuse(text, at, 'after top-level value');
        return;
      }
      const isObject = frame.keys !== undefined;
      const mark = text.charAt(at);
      if (mark === (isObject ? '}' : ']')) {
        frames.pop();
        at = afterSpaces(text, at + 1);
        continue;
      }
      if (mark !== ',')
        throw refuse(text, at, isObject ? 'after object key:value pair' : 'after array element');
      at = afterSpaces(text, at + 1);
      if (frame.keys === undefined) frame.index += 1;
      else {
        if (text.charAt(at) !== '"') throw refuse(text, at, 'looking for beginning of object key string');
        at = afterKey(text, at, frames, duplicates);
      }
      break;
    }
  }
}
