import { isPlainText, jsonText, visibleText } from '../../semantics/values/unsafe-text.ts';
import { COLOR_SEQUENCE } from './paint.ts';

/** Escapes text from manifests for the output in which it is shown. */

/** For a terminal: escapes control sequences, line breaks and marks that reorder text. */
export function forTerminal(text: string): string {
  return visibleText(text);
}

/** Lines for a terminal, with the colors of `paint`. Escapes everything else, as a second defense after `forTerminal`. */
export function forScreen(text: string): string {
  return isPlainText(text) ? text : text.split('\n').map(screenLine).join('\n');
}

function screenLine(line: string): string {
  if (!line.includes('\u001b')) return visibleText(line);
  return line
    .split(COLOR_SEQUENCE)
    .map((part, at) => (at % 2 === 1 ? part : visibleText(part)))
    .join('');
}

/** A JSON document with a line break at its end. Escapes characters that a terminal would interpret; the values stay the same. */
export function forJson(value: unknown): string {
  return `${jsonText(value, 2)}\n`;
}

/**
 * For Markdown prose and table cells, which are also rendered as HTML: escapes markup, links, mentions and references in
 * the text.
 */
export function forMarkdown(text: string): string {
  return forTerminal(text)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/[\\`*_[\]|~$]/g, (character) => `\\${character}`)
    .replace(/[@#]|:(?=\/\/)|(?<=www)\./gi, (character) => `${character}<!-- -->`);
}

/** For a Markdown code span: the fence is longer than any run of backticks inside; `|` would end a table cell. */
export function forMarkdownCode(text: string): string {
  const safe = forTerminal(text);
  if (safe === '') return '(empty)';
  if (safe.includes('|'))
    return `<code>${forHtml(safe).replace(/\|/g, '&#124;').replace(/`/g, '&#96;')}</code>`;
  const longest = Math.max(0, ...(safe.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = safe.startsWith('`') || safe.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${safe}${pad}${fence}`;
}

/** For HTML text and double-quoted attributes. */
export function forHtml(text: string): string {
  return forTerminal(text)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;');
}

/** Cuts a string to `limit` UTF-16 units, ellipsis included, without splitting a surrogate pair. */
export function shorten(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
