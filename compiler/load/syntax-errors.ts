import { Lexer } from 'yaml';

/** An error of the YAML parser; offsets in its text. */
interface ParserError {
  message: string;
  pos: readonly [start: number, end: number];
}

/** A syntax error as users read it, at the mistake: the parser points at the place where it could not go on. */
export interface SyntaxFault {
  detail: string;
  help?: string;
  start: number;
  end: number;
  /** Another position that explains it. */
  related?: { message: string; start: number; end: number };
}

/** @param text what the parser read */
export function syntaxFault({ message, pos: [start, end] }: ParserError, text: string): SyntaxFault {
  const found =
    unclosed(message, text, start) ??
    badIndent(message, text, start) ??
    nestedValue(message, text, start) ??
    keyWithoutValue(message, text, start);
  if (message.startsWith('Alias cannot be an empty string'))
    return { detail: 'a value that is * must be quoted', help: 'write "*"', start, end };
  return found ?? { detail: firstSentence(message), start, end };
}

/** What the lexer puts before documents and scalars, and for the end of a block: it is not in the text. */
const MARKS: ReadonlySet<string> = new Set(['\u{02}', '\u{18}', '\u{1f}']);

/** A bracket or quote without its end: the parser points at the next line, or at the end of the file. */
function unclosed(message: string, text: string, at: number): SyntaxFault | undefined {
  const isFlow = / end with a [}\]]/.test(message);
  const isQuote = /^Missing closing ["']quote/.test(message);
  if (!isFlow && !isQuote) return undefined;
  const opened: { sign: string; start: number }[] = [];
  let offset = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (MARKS.has(lexeme)) continue;
    if (isQuote && /^["']/.test(lexeme) && offset + lexeme.length >= at)
      opened.push({ sign: lexeme.charAt(0), start: offset });
    if (offset >= at) break;
    if (isFlow && (lexeme === '{' || lexeme === '[')) opened.push({ sign: lexeme, start: offset });
    if (isFlow && (lexeme === '}' || lexeme === ']')) opened.pop();
    offset += lexeme.length;
  }
  const last = opened.at(-1);
  if (last === undefined) return undefined;
  const { sign, start } = last;
  const close = sign === '{' ? '}' : sign === '[' ? ']' : sign;
  return { detail: `the ${sign} is not closed`, help: `add ${close}`, start, end: start + 1 };
}

interface Line {
  start: number;
  indent: number;
  text: string;
}

function lineAround(text: string, at: number): Line {
  // A negative index would be read as 0.
  const start = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
  const next = text.indexOf('\n', at);
  const line = text.slice(start, next < 0 ? text.length : next);
  return { start, indent: line.length - line.trimStart().length, text: line.trim() };
}

function lineAfter(text: string, { start }: Line): Line | undefined {
  const next = text.indexOf('\n', start);
  return next < 0 || next + 1 >= text.length ? undefined : lineAround(text, next + 1);
}

/** A key that is indented otherwise than the map that it follows. */
function badIndent(message: string, text: string, at: number): SyntaxFault | undefined {
  const isItem = message.startsWith('Sequence item without');
  // At the top, the parser takes the line for one behind the end.
  const isTop = message.startsWith('Unexpected scalar at node end');
  if (!isItem && !isTop && !message.startsWith('All mapping items must start')) return undefined;
  let line = lineAround(text, at);
  while (line.text === '' || line.text.startsWith('#')) {
    const next = lineAfter(text, line);
    if (next === undefined) return undefined;
    line = next;
  }
  if (text.slice(line.start, line.start + line.indent).includes('\t')) return undefined;
  const start = line.start + line.indent;
  if (isTop && start !== at) return undefined;
  const fault = { start, end: start + line.text.length };
  if (isItem) {
    const detail = `this line is indented by ${line.indent}: it is no key of the list item above, and no new item`;
    return { detail, help: 'indent it like the other keys of the item, or begin it with a dash', ...fault };
  }
  const map = mapAbove(text, line);
  if (map === undefined) return undefined;
  const detail = `this line is indented by ${line.indent}, and the map that it follows by ${map.indent}`;
  const first = map.start + map.indent;
  const related = { message: 'the map begins here', start: first, end: first + map.text.length };
  return { detail, help: 'indent the keys of a map by the same number of spaces', ...fault, related };
}

/** The first line of the block above a line that is indented by more: its keys are those with the least indent. */
function mapAbove(text: string, line: Line): Line | undefined {
  let found: Line | undefined;
  for (let at = line.start; at > 0;) {
    const above = lineAround(text, at - 1);
    at = above.start;
    if (above.text === '' || above.text.startsWith('#')) continue;
    if (above.indent <= line.indent) break;
    if (found === undefined || above.indent <= found.indent) found = above;
  }
  return found;
}

/** A value that goes on with a key: one with a colon, or one followed by a line that is indented too far. */
function nestedValue(message: string, text: string, at: number): SyntaxFault | undefined {
  if (!message.startsWith('Nested mappings are not allowed in compact')) return undefined;
  const line = lineAround(text, at);
  const column = at - line.start;
  const [dash] = /^-(?=[^\s-])/.exec(line.text) ?? [];
  if (dash !== undefined) {
    const start = line.start + line.indent;
    return {
      detail: 'a list item needs a space after its dash',
      help: 'write - name',
      start,
      end: start + 1,
    };
  }
  const value = line.text.slice(column - line.indent);
  if (/:(\s|$)/.test(value)) {
    const detail = 'a value with a colon and a space in it must be quoted';
    return { detail, help: `write "${value}"`, start: at, end: at + value.length };
  }
  const next = lineAfter(text, line);
  if (next === undefined || !/:(\s|$)/.test(next.text)) return undefined;
  const start = next.start + next.indent;
  const keyAt = line.indent + (/^(- +)*/.exec(line.text)?.[0].length ?? 0);
  return {
    detail: `this line is indented by ${next.indent}, and the key above by ${keyAt}`,
    help: 'indent the keys of a map by the same number of spaces',
    start,
    end: start + next.text.length,
  };
}

/** The lines that git leaves where it could not merge. */
const CONFLICT = /^(<{7}|={7}|>{7})( |$)/;

/** A line that should be a key with a value. */
function keyWithoutValue(message: string, text: string, at: number): SyntaxFault | undefined {
  if (!/^Implicit (map )?keys need/.test(message)) return undefined;
  const line = lineAround(text, at);
  const start = line.start + line.indent;
  const fault = { start, end: start + line.text.length };
  if (CONFLICT.test(line.text))
    return { detail: 'a conflict of a merge is left', help: 'resolve the conflict', ...fault };
  const [, key] = /^(?:- +)?([A-Za-z_][\w./-]*)(:?)(?=\S|\s)/.exec(`${line.text} `) ?? [];
  if (key === undefined || /:(\s|$)/.test(line.text)) return undefined;
  const rest = line.text.slice(line.text.indexOf(key) + key.length);
  if (rest.startsWith(':'))
    return { detail: `a space is missing after ${key}:`, help: `write ${key}: ${rest.slice(1)}`, ...fault };
  return {
    detail: `${key} has no colon`,
    help: 'write it as a key with a value, or remove the line',
    ...fault,
  };
}

function firstSentence(message: string): string {
  const line = message.split('\n', 1)[0] ?? message;
  return line.charAt(0).toLowerCase() + line.slice(1);
}
