import { countText } from '../../../semantics/values/text.ts';
import type { Compiled } from '../../compile.ts';
import type { Change } from '../../plan/change.ts';
import { shownName } from '../../plan/target.ts';
import { type Group, groupsOf } from '../../review/groups.ts';
import { totalsText } from '../../review/totals.ts';
import { effectOfGroup, fieldChange, shownFields, subjectOf } from '../../review/wording.ts';
import { forHtml } from '../../text/escape.ts';
import { summary } from '../change-text.ts';
import { pageFrame } from './frame.ts';
import { targetPart } from './target.ts';

/** The most targets of a group, and of the page, that are shown one by one; of the others it has the names. */
const MOST_OF_GROUP = 20;
const MOST_TARGETS = 300;

/**
 * `-o html`: what a change does, as one page. Contains no path and no time: equal states give equal bytes.
 *
 * @param sha256 the hash of a text as a policy names it: `sha256-` and base64
 */
export function htmlPage(
  compiled: Pick<Compiled, 'changes' | 'atOnce' | 'byTarget'>,
  sha256: (text: string) => string,
): string {
  const { changes, byTarget } = compiled;
  const groups = groupsOf(compiled);
  const byId = new Map(changes.map((change) => [change.id, change]));
  let left = MOST_TARGETS;
  const sections = groups.map((group) => {
    const shown = group.members
      .slice(0, Math.min(MOST_OF_GROUP, left))
      .flatMap(({ id }) => byId.get(id) ?? []);
    left -= shown.length;
    // What the group of a single target shows is not said of the target again.
    const said = group.members.length > 1 ? [] : group.warnings.map(({ message }) => message);
    return groupPart(group, shown, (change) =>
      targetPart(
        change,
        (byTarget.get(change.id) ?? []).filter(({ message }) => !said.includes(message)),
      ),
    );
  });
  const about = groups.length === 0 ? [] : [totalsText(groups)];
  return pageFrame({ title: summary(changes), about, sections }, sha256);
}

function groupPart(group: Group, shown: readonly Change[], part: (change: Change) => string): string {
  const { fields, more } = shownFields(group);
  const lines = [
    ...fields.map((field) => `<li><code>${forHtml(field.path)}</code>: ${forHtml(fieldChange(field))}</li>`),
    ...(more > 0 ? [`<li>and ${countText(more, 'more field')}</li>`] : []),
    ...(group.plan === undefined ? [] : [`<li>${forHtml(group.plan.text)}</li>`]),
    ...group.warnings.map(({ code, message }) => `<li>warning: ${forHtml(message)} (${code})</li>`),
  ];
  const risks = group.risks.map((risk) => `<span class="risk">${risk}</span>`).join('');
  const subject = subjectOf(group);
  const effect = effectOfGroup(group);
  const about = forHtml(`${group.kind} ${effect}`.toLowerCase());
  return `<section class="group${risks === '' ? '' : ' risky'}" data-about="${about}">
<h2><span class="mark">${forHtml(group.mark)}</span> ${forHtml(subject)}</h2>
<p>${risks}${forHtml(effect)}</p>
${lines.length === 0 ? '' : `<ul>${lines.join('')}</ul>`}
${[...shown.map(part), ...others(group, shown.length)].join('\n')}
</section>`;
}

/** The names of the members that are not shown. */
function others({ members }: Group, from: number): string[] {
  const rest = members.slice(from);
  if (rest.length === 0) return [];
  const names = rest.map((member) => shownName(member));
  const items = names.map(
    (name) => `<code class="target" data-name="${forHtml(name.toLowerCase())}">${forHtml(name)}</code>`,
  );
  return [`<p>${from === 0 ? '' : 'And '}${items.join(' ')}</p>`];
}
