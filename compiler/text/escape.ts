import { jsonText, visibleText } from '../../semantics/values/unsafe-text.ts';
import { COLOR_SEQUENCE } from './paint.ts';

/**
 * The one place where strings that come from manifests are made harmless for where they are shown.
 */

/** For a terminal: no escape sequence, no line break and no reordering mark survives. */
export function forTerminal(text: string): string {
  return visibleText(text);
}

/**
 * Lines for a screen, with the colors of the program: what somebody forgot to escape is escaped here at the latest. Of escape
 * sequences only those colors pass.
 */
export function forScreen(text: string): string {
  return text.split('\n').map(screenLine).join('\n');
}

function screenLine(line: string): string {
  if (!line.includes('\u001b')) return visibleText(line);
  return line
    .split(COLOR_SEQUENCE)
    .map((part, at) => (at % 2 === 1 ? part : visibleText(part)))
    .join('');
}

/** A document of JSON with a line break at its end: the values are the same, and a terminal can show it. */
export function forJson(value: unknown): string {
  return `${jsonText(value, 2)}\n`;
}

/**
 * For Markdown prose and table cells, which are also shown as HTML: no mark-up, link, mention or reference of the
 * text's own survives.
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

/** Cuts a string to `limit` characters, an ellipsis included, and none of them in two. */
export function shorten(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
