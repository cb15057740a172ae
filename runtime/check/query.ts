import type { Values } from './template.ts';

/** A piece of a query: text, or an argument and how its value is written into a literal. */
export type QueryPiece = string | { arg: string; write: (value: string) => string };

const PLACEHOLDER = /\{([A-Za-z][A-Za-z0-9_]{0,62})\}/y;

/**
 * Reads the string literals and comments of PromQL. A placeholder must be within a literal: only there a value cannot change
 * the query itself. In the literal of a `=~` or `!~` matcher the value is escaped, so that its dots are not wildcards.
 */
export function parseQuery(query: string): { pieces: QueryPiece[] } | { problem: string } {
  const pieces: QueryPiece[] = [];
  let text = '';
  let literal: { quote: string; write: (value: string) => string } | undefined;
  let at = 0;
  while (at < query.length) {
    const char = query.charAt(at);
    PLACEHOLDER.lastIndex = at;
    const arg = PLACEHOLDER.exec(query)?.[1];
    if (arg !== undefined) {
      if (literal === undefined) return { problem: `{${arg}} must be within quotes` };
      pieces.push(text, { arg, write: literal.write });
      text = '';
      at += arg.length + 2;
      continue;
    }
    if (literal === undefined && char === '#') {
      const end = query.indexOf('\n', at);
      at = end < 0 ? query.length : end;
      continue;
    }
    if (literal === undefined && isQuote(char)) {
      literal = { quote: char, write: writerFor(char, /[=!]~\s*$/.test(text)) };
    } else if (literal?.quote === char) {
      literal = undefined;
    } else if (literal !== undefined && literal.quote !== '`' && char === '\\') {
      text += char;
      at += 1;
      if (query.charAt(at) === '{') return { problem: 'a backslash before a brace is not allowed' };
    }
    text += query.charAt(at);
    at += 1;
  }
  if (literal !== undefined) return { problem: `has a string without a closing ${literal.quote}` };
  return { pieces: [...pieces, text].filter((piece) => piece !== '') };
}

/** The query with the values, or why they are refused, as a sentence. */
export function fillQuery(
  pieces: readonly QueryPiece[],
  values: Values,
): { query: string } | { refusal: string } {
  let query = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      query += piece;
      continue;
    }
    const value = values.get(piece.arg) ?? '';
    if (/["'`\\\p{Cc}]/u.test(value)) {
      return {
        refusal: `the argument ${piece.arg} is part of a query and must contain no quote and no backslash`,
      };
    }
    query += piece.write(value);
  }
  return { query };
}

function isQuote(char: string): boolean {
  return char === '"' || char === "'" || char === '`';
}

function writerFor(quote: string, inPattern: boolean): (value: string) => string {
  if (!inPattern) return String;
  // Within "" and '' a backslash is itself escaped.
  const backslash = quote === '`' ? '\\' : '\\\\';
  return (value) => value.replaceAll(/[.+*?()|[\]{}^$]/g, (char) => backslash + char);
}
