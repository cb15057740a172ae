import { repeated, alsoAt } from '../diagnostics/repeated.ts';
import type { ShownProblem } from '../diagnostics/shown.ts';
import type { ShownRefusal } from './read-review.ts';
import { countText } from '../../semantics/values/text.ts';
import { forMarkdown, forMarkdownCode, shorten } from '../text/escape.ts';

/** The characters for problems: a comment on GitHub has room for the changes, too. */
const MOST_CHARACTERS = 12_000;
/** One has up to ten times its characters once it is escaped. */
const MOST_REFUSALS = 2;
const LONGEST_MESSAGE = 400;
/** A command that is cut cannot be typed. */
const LONGEST_HELP = 1_000;

/** Why nothing was compared, each reason with what mends it. Those that do not fit are counted. */
export function refusalsMarkdown(refusals: readonly ShownRefusal[]): string {
  const shown = refusals.slice(0, MOST_REFUSALS).map(({ root, problem, help }) => {
    const where = root === undefined ? '' : `root ${forMarkdown(root)}: `;
    return `${where}${forMarkdown(shorten(problem, LONGEST_MESSAGE))}\n\nhelp: ${forMarkdown(shorten(help, LONGEST_HELP))}\n`;
  });
  const more = refusals.length - shown.length;
  const rest = more === 0 ? [] : [`… and ${countText(more, 'more root')}; \`-o json\` lists all\n`];
  return [...shown, ...rest].join('\n');
}

/** What is wrong as a list, with what mends it. Problems that do not fit are counted; none is cut. */
export function problemsMarkdown(problems: readonly ShownProblem[]): string {
  const groups = repeated(problems);
  const items = groups.map(itemOf);
  let used = 0;
  const beyond = items.findIndex((item) => (used += item.length) > MOST_CHARACTERS);
  const shown = beyond < 0 ? items : items.slice(0, beyond);
  const more = groups.slice(shown.length).reduce((sum, { others }) => sum + 1 + others.length, 0);
  return `${shown.join('')}${more === 0 ? '' : `- … and ${countText(more, 'more problem')}; \`-o json\` lists all\n`}`;
}

function itemOf({ first, others }: ReturnType<typeof repeated<ShownProblem>>[number]): string {
  const { code, severity, message, help } = first;
  const [place] = placesOf([first]);
  const at = place === undefined ? '' : ` at ${place}`;
  const also = placesOf(others);
  return [
    `- ${severity} **${code}**${at}: ${forMarkdown(shorten(message, LONGEST_MESSAGE))}\n`,
    ...(also.length === 0 ? [] : [`  - ${alsoAt(also)}\n`]),
    `  - help: ${forMarkdown(shorten(help, LONGEST_HELP))}\n`,
  ].join('');
}

function placesOf(problems: readonly ShownProblem[]): string[] {
  return problems.flatMap(({ at }) =>
    at === undefined ? [] : [forMarkdownCode(shorten(`${at.file}:${at.line}:${at.column}`, 300))],
  );
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
