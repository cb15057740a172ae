import { countText } from '../../semantics/values/text.ts';
import { sum } from '../forecast/gates.ts';
import { marked } from '../render/mark.ts';
import { forTerminal } from '../text/escape.ts';
import type { Paint } from '../text/paint.ts';
import type { ShownGroup } from './groups.ts';
import type { Risk } from './order.ts';
import { effectsText, membersOf, totalsText } from './totals.ts';
import { effectOfGroup, fieldChange, namesOf, reasonOf, shownFields, subjectOf } from './wording.ts';

/** The lines for groups: with the totals, and the files that a run lists, they fill one screen of 50 lines. */
const MOST_LINES = 38;
/** The lines of them for groups of one line each, where not all fit in whole. */
const SHORT_LINES = 12;
/** The most names in such a line. */
const FEW_NAMES = 2;

/**
 * The groups of a run on one screen, the riskiest first: the first in whole, the next in one line each, and the rest counted. The
 * totals follow.
 */
export function groupedPlan(groups: readonly ShownGroup[], paint: Paint): string {
  const whole = groups.map((group) => wholeLines(group, paint));
  const fits = sum(whole.map((lines) => lines.length)) <= MOST_LINES;
  const full = fits ? groups.length : fitting(whole, MOST_LINES - SHORT_LINES - 1);
  const short = groups.slice(full, full + SHORT_LINES);
  const rest = groups.slice(full + short.length);
  const lines = [
    ...whole.slice(0, full).flat(),
    ...short.map((group) => titleLine(group, namesIn(group), paint)),
    ...(rest.length === 0 ? [] : [paint('dim', restText(rest))]),
  ];
  return `${lines.join('\n')}\n\n${totalsText(groups)}\n`;
}

/** How many of these blocks of lines fit. */
function fitting(blocks: readonly (readonly string[])[], most: number): number {
  let used = 0;
  const beyond = blocks.findIndex((lines) => (used += lines.length) > most);
  return beyond < 0 ? blocks.length : beyond;
}

function wholeLines(group: ShownGroup, paint: Paint): string[] {
  const { fields, more } = shownFields(group);
  return [
    titleLine(group, '', paint),
    ...fields.map((field) => {
      const reason = reasonOf(field);
      const shown = forTerminal(`${field.path}: ${fieldChange(field)}`);
      const mark = marked(reason === undefined ? '~' : '-/+', paint);
      return `    ${mark} ${shown}${reason === undefined ? '' : paint('dim', ` (${forTerminal(reason)})`)}`;
    }),
    ...(more > 0 ? [`        and ${countText(more, 'more field')}`] : []),
    ...(group.plan === undefined ? [] : [`        ${forTerminal(group.plan.text)}`]),
    ...(group.members.length === 1 ? [] : [`        ${forTerminal(namesOf(group))}`]),
  ];
}

/** The risks that are painted, because no mark shows them. */
const PAINTED: ReadonlySet<Risk> = new Set<Risk>([
  ...(['LosesData', 'MayLoseData', 'NeedsNoPlan'] as const),
  ...(['NoAvailability', 'HostAccess', 'NotReversible', 'NoGate'] as const),
]);

function titleLine(group: ShownGroup, names: string, paint: Paint): string {
  const text = forTerminal(effectOfGroup(group));
  const shown = isPainted(group) ? paint('red', text) : text;
  const subject = paint('bold', forTerminal(`${subjectOf(group)}${names}`));
  return `${marked(group.mark, paint)} ${subject}: ${shown}`;
}

/** The mark of a target that is deleted shows that, and the mark of one whose pods are deleted by name does not. */
function isPainted({ risks, mark }: ShownGroup): boolean {
  return risks.some((risk) => PAINTED.has(risk) || (risk === 'Deletes' && mark !== '-'));
}

function namesIn(group: ShownGroup): string {
  return group.members.length === 1 ? '' : ` (${namesOf(group, FEW_NAMES)})`;
}

/** What is not shown, which no risk puts before what is. */
function restText(rest: readonly ShownGroup[]): string {
  const targets = countText(membersOf(rest), 'more target');
  return `  … and ${targets} in ${countText(rest.length, 'group')}, none riskier than these: ${effectsText(rest)}; -o json lists all`;
}
