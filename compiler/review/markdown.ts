import { forHtml, forMarkdown, forMarkdownCode } from '../text/escape.ts';
import { countText } from '../../semantics/values/text.ts';
import { sum } from '../forecast/gates.ts';
import { shownName } from '../plan/target.ts';
import type { ShownGroup } from './groups.ts';
import { effectsText, membersOf, totalsText } from './totals.ts';
import {
  distinctNames,
  effectOfGroup,
  fieldChange,
  namesOf,
  reasonOf,
  shownFields,
  subjectOf,
} from './wording.ts';

/** A comment on GitHub has at most 65,536 characters; whoever posts it adds some. */
export const MOST_CHARACTERS = 60_000;
/** The characters of them for groups of one line each, where not all fit in whole. */
const SHORT_CHARACTERS = 15_000;
/** The characters of them for names in details, where not all fit. */
const NAMES_CHARACTERS = 15_000;

/**
 * The same as a page of Markdown: the totals, then the groups, the riskiest first. Names are in folded details, as many as a comment
 * holds beside all else. Groups that do not fit even without them have one line each, and the rest is counted.
 *
 * @param title one line, such as the number of changes
 * @param most the characters of the page
 */
export function groupedMarkdown(
  title: string,
  groups: readonly ShownGroup[],
  most = MOST_CHARACTERS,
): string {
  const head = `# ${title}\n\n${forMarkdown(totalsText(groups))}\n`;
  const room = most - head.length;
  const unnamed = groups.map((group) => wholeItem(group, 0));
  const needs = groups.map((group) => length(namesInDetails(group)));
  const fits = length(unnamed) + Math.min(sum(needs), NAMES_CHARACTERS) <= room;
  const full = fits ? unnamed : fitting(unnamed, room - NAMES_CHARACTERS - SHORT_CHARACTERS);
  const short = fitting(groups.slice(full.length).map(titleItem), SHORT_CHARACTERS - 1_000);
  const rest = groups.slice(full.length + short.length);
  const brief = [...short, ...(rest.length === 0 ? [] : [restItem(rest)])];
  const shares = sharesOf(needs.slice(0, full.length), room - length(full) - length(brief));
  const items = shares.map((share, index) => wholeItem(groups[index] as ShownGroup, share));
  return `${head}\n${[...items, ...brief].join('')}`;
}

/** Shares out a number of characters: what needs less than an equal share gets all that it needs. */
function sharesOf(needs: readonly number[], most: number): number[] {
  const shares = needs.map(() => 0);
  let remaining = most;
  const ascending = [...needs.entries()].sort(([, a], [, b]) => a - b);
  for (const [index, [at, need]] of ascending.entries()) {
    const share = Math.min(need, Math.floor(remaining / (needs.length - index)));
    shares[at] = share;
    remaining -= share;
  }
  return shares;
}

/** The characters of texts with one between them. */
function length(texts: readonly string[]): number {
  return sum(texts.map((text) => text.length + 1));
}

function fitting(texts: readonly string[], most: number): readonly string[] {
  let used = 0;
  const beyond = texts.findIndex((text) => (used += text.length + 1) > most);
  return beyond < 0 ? texts : texts.slice(0, beyond);
}

function titleItem(group: ShownGroup): string {
  const [first] = group.members;
  const subject =
    group.members.length === 1 && first !== undefined
      ? `${group.kind} ${forMarkdownCode(shownName(first))}`
      : subjectOf(group);
  return `- \`${group.mark}\` **${subject}**: ${forMarkdown(effectOfGroup(group))}\n`;
}

/** @param room the most characters of names in details */
function wholeItem(group: ShownGroup, room: number): string {
  const { fields, more } = shownFields(group);
  const lines = [
    ...fields.map((field) => {
      const reason = reasonOf(field);
      const because = reason === undefined ? '' : ` (${forMarkdown(reason)})`;
      return `${forMarkdownCode(field.path)}: ${forMarkdown(fieldChange(field))}${because}`;
    }),
    ...(more > 0 ? [`and ${countText(more, 'more field')}`] : []),
    ...(group.plan === undefined ? [] : [forMarkdown(group.plan.text)]),
    ...group.warnings.map(({ code, message }) => {
      const each = group.members.length === 1 ? 'warning' : 'a warning for each, such as';
      return `${each}: ${forMarkdown(message)} (${code})`;
    }),
    ...namesItem(group, room),
  ];
  return `${titleItem(group)}${lines.map((line) => `  - ${line}\n`).join('')}`;
}

/** The first names, and those that fit in details. The details are HTML, in which Markdown has no meaning. */
function namesItem(group: ShownGroup, room: number): string[] {
  if (group.members.length === 1) return [];
  const names = namesInDetails(group);
  const shown = fitting(names, room);
  const more = names.length - shown.length;
  const parts = more === 0 ? shown : [...shown, `and ${more} more: <code>-o json</code> lists all`];
  return [`<details><summary><code>${forHtml(namesOf(group))}</code></summary>${parts.join(' ')}</details>`];
}

/** Empty for a target alone, which is in the title. */
function namesInDetails({ members }: ShownGroup): string[] {
  if (members.length === 1) return [];
  const names = distinctNames(members);
  return names.map((each, index) => {
    const name = `<code>${forHtml(each)}</code>`;
    return index === names.length - 1 ? name : `${name},`;
  });
}

function restItem(rest: readonly ShownGroup[]): string {
  const targets = countText(membersOf(rest), 'more target');
  return `- … and ${targets} in ${countText(rest.length, 'group')}, none riskier than these: ${effectsText(rest)}; \`-o json\` lists all\n`;
}
