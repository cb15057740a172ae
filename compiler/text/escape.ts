/**
 * The one place where strings that come from manifests are made harmless for where they are shown.
 */

/** Control characters (C0, DEL, C1), bidirectional overrides, invisible spaces and line separators. */
const UNSAFE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\p{Cs}/gu;

function escapeCharacter(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  if (character === '\r') return '\\r';
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** For a terminal: no escape sequence, no line break and no reordering mark survives. */
export function forTerminal(text: string): string {
  return text.replace(UNSAFE, escapeCharacter);
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

/** Cuts a string to `limit` characters, an ellipsis included. */
export function shorten(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}
