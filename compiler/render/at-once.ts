import { countText } from '../../semantics/values/text.ts';
import type { ChangeAtOnce, SpreadTable } from '../plan/at-once.ts';
import { shownName } from '../plan/target.ts';
import { forMarkdown, forMarkdownCode, forTerminal, shorten } from '../text/escape.ts';
import type { Paint } from '../text/paint.ts';
import type { Mark } from './change-text.ts';
import { copySentences } from './copies-text.ts';

const NO_PLAN = 'reconciled at once, needs no plan';

/** The most characters of a list of fields. */
const MOST_SHOWN = 200;

/** What a change of an object without plans does, as a clause. */
export function atOnceText(change: ChangeAtOnce): string {
  switch (change.action) {
    case 'Create':
      return `new; ${NO_PLAN}`;
    case 'Update': {
      const { fields, effect, copies } = change;
      const isSame = fields.length === 0 && effect === undefined;
      if (isSame) return `${copies === undefined ? 'unchanged' : 'other namespaces than before'}; ${NO_PLAN}`;
      const changed = fields.length === 0 ? [] : [`${shorten(fields.join(', '), MOST_SHOWN)} changed`];
      const does = effect === undefined ? [] : [shorten(effect, MOST_SHOWN)];
      return [...changed, ...does, NO_PLAN].join('; ');
    }
    case 'Delete': {
      const { type, object } = change.manifest;
      const removal = type.facts.removal(object);
      return removal === undefined ? 'removed' : `removed: ${removal}`;
    }
  }
}

const MARKS = {
  Create: ['+', 'green'],
  Update: ['~', 'yellow'],
  Delete: ['-', 'red'],
} as const satisfies Record<ChangeAtOnce['action'], readonly [mark: Mark, style: Parameters<Paint>[0]]>;

/** What happens to the object. */
export function atOnceMark({ action }: ChangeAtOnce): Mark {
  return MARKS[action][0];
}

/** What a change does beyond that, as sentences. */
export function atOnceDetails({ copies, spreads, rollout }: ChangeAtOnce): string[] {
  return [
    ...(copies === undefined ? [] : copySentences(copies)),
    ...(spreads === undefined ? [] : spreadSentences(spreads)),
    ...(rollout === undefined ? [] : [rollout]),
  ];
}

/** A longer list of subsets helps nobody. */
const MOST_SUBSETS = 10;

/** `Of 6 pods of web, in this order: a: at most 2, b: all that come.` */
function spreadSentences({ workload, size, rows }: SpreadTable): string[] {
  const shown = rows.slice(0, MOST_SUBSETS).map(({ name, most }) => {
    const count = most === undefined ? 'all that come' : `at most ${most}`;
    return `${shorten(name, MOST_SHOWN)}: ${count}`;
  });
  const more = rows.length - shown.length;
  return [
    `Of ${countText(size, 'pod')} of ${workload}, in this order: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
    'Running pods do not move.',
  ];
}

/** One line of the human output, and one for each detail. */
export function atOnceLine(change: ChangeAtOnce, paint: Paint): string {
  const [mark, style] = MARKS[change.action];
  const { manifest } = change;
  const title = forTerminal(`${manifest.kind} ${shownName(manifest)}`);
  const details = atOnceDetails(change).map((text) => `      ${forTerminal(text)}\n`);
  return `${paint(style, mark.padStart(3))} ${paint('bold', title)}: ${forTerminal(atOnceText(change))}\n${details.join('')}`;
}

/** The same as a part of a page of Markdown; undefined: nothing of it changes. */
export function atOnceMarkdown(changes: readonly ChangeAtOnce[]): string | undefined {
  if (changes.length === 0) return undefined;
  const lines = changes.flatMap((change) => [
    `- ${change.manifest.kind} ${forMarkdownCode(shownName(change.manifest))}: ${forMarkdown(atOnceText(change))}`,
    ...atOnceDetails(change).map((text) => `  - ${forMarkdown(text)}`),
  ]);
  return `## Reconciled at once\n\n${lines.join('\n')}\n`;
}
