import type { Values } from './template.ts';

/** A piece of a query: text, or an argument and how its value is made text of a literal. */
export type QueryPiece = string | { arg: string; write: (value: string) => string };

const PLACEHOLDER = /\{([A-Za-z][A-Za-z0-9_]{0,62})\}/y;

/**
 * Reads PromQL as far as its string literals and comments go. A place for an argument must stand in a literal: only
 * there a value cannot become a part of the query itself. In the literal of a `=~` or `!~` matcher a value stands for
 * itself, its dots are no wildcards.
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
      if (literal === undefined) return { problem: `{${arg}} must stand within quotes` };
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
      if (query.charAt(at) === '{') return { problem: 'a backslash must not stand before a brace' };
    }
    text += query.charAt(at);
    at += 1;
  }
  if (literal !== undefined) return { problem: `has a string that no ${literal.quote} ends` };
  return { pieces: [...pieces, text].filter((piece) => piece !== '') };
}

/** The query with the values in it, or why they do not fit, as a sentence. */
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
        refusal: `the argument ${piece.arg} stands in a query and must hold no quote and no backslash`,
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
  // Within "" and '' a backslash itself is written as two.
  const backslash = quote === '`' ? '\\' : '\\\\';
  return (value) => value.replaceAll(/[.+*?()|[\]{}^$]/g, (char) => backslash + char);
}
