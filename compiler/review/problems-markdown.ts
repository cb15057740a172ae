import type { ShownProblem } from '../diagnostics/shown.ts';
import { countText } from '../../semantics/values/text.ts';
import { forMarkdown, forMarkdownCode, shorten } from '../text/escape.ts';

/** The characters for problems: a comment on GitHub has room for the changes, too. */
const MOST_CHARACTERS = 12_000;
const LONGEST_MESSAGE = 400;
/** A command that is cut cannot be typed. */
const LONGEST_HELP = 1_000;

/** What is wrong as a list, with what mends it. Problems that do not fit are counted; none is cut. */
export function problemsMarkdown(problems: readonly ShownProblem[]): string {
  const items = problems.map(itemOf);
  let used = 0;
  const beyond = items.findIndex((item) => (used += item.length) > MOST_CHARACTERS);
  const shown = beyond < 0 ? items : items.slice(0, beyond);
  const more = items.length - shown.length;
  return `${shown.join('')}${more === 0 ? '' : `- … and ${countText(more, 'more problem')}; \`-o json\` lists all\n`}`;
}

function itemOf({ code, severity, message, help, at }: ShownProblem): string {
  const place =
    at === undefined ? '' : ` at ${forMarkdownCode(shorten(`${at.file}:${at.line}:${at.column}`, 300))}`;
  return `- ${severity} **${code}**${place}: ${forMarkdown(shorten(message, LONGEST_MESSAGE))}\n  - help: ${forMarkdown(shorten(help, LONGEST_HELP))}\n`;
}

/**
 * The begin of a page about a check that failed.
 *
 * @param verdict a clause, in lower case
 */
export function failedCheckMarkdown(verdict: string, problems: readonly ShownProblem[]): string {
  const sentence = `${verdict.charAt(0).toUpperCase()}${verdict.slice(1)}.`;
  return `# The check failed\n\n${forMarkdown(sentence)}\n\n${problemsMarkdown(problems)}`;
}
