import { countText } from '../../../semantics/values/text.ts';
import { shownName } from '../../plan/target.ts';
import { type Group, groupsOf, type Member, type Reviewed, type ShownGroup } from '../../review/groups.ts';
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
export function htmlPage(reviewed: Reviewed, sha256: (text: string) => string): string {
  const groups = groupsOf(reviewed);
  return groupedPage(summary(reviewed.changes), groups, targetParts(reviewed, groups), sha256);
}

/** The first targets of each group as parts of a page, as many as a page shows one by one. */
export function targetParts(
  { changes, byTarget }: Reviewed,
  groups: readonly Group[],
): ReadonlyMap<Member, string> {
  const byId = new Map(changes.map((change) => [change.id, change]));
  const parts = groups.flatMap(({ members, warnings }) => {
    // What the group of a single target shows is not said of the target again.
    const said = members.length > 1 ? [] : warnings.map(({ message }) => message);
    return members.slice(0, MOST_OF_GROUP).flatMap((member): [Member, string][] => {
      const change = byId.get(member.id);
      const diagnostics = (byTarget.get(member.id) ?? []).filter(({ message }) => !said.includes(message));
      return change === undefined ? [] : [[member, targetPart(change, diagnostics)]];
    });
  });
  return new Map(parts.slice(0, MOST_TARGETS));
}

/**
 * Groups as one page.
 *
 * @param parts what is shown of a member; of others the page has the names
 */
export function groupedPage(
  title: string,
  groups: readonly ShownGroup[],
  parts: ReadonlyMap<Member, string>,
  sha256: (text: string) => string,
): string {
  let left = MOST_TARGETS;
  const sections = groups.map((group) => {
    const shown = group.members.filter((member) => parts.has(member)).slice(0, Math.min(MOST_OF_GROUP, left));
    left -= shown.length;
    return groupPart(group, new Map(shown.map((member) => [member, parts.get(member) ?? ''])));
  });
  const about = groups.length === 0 ? [] : [totalsText(groups)];
  return pageFrame({ title, about, sections }, sha256);
}

/** @param shown the members that are shown, each as a part of the page */
function groupPart(group: ShownGroup, shown: ReadonlyMap<Member, string>): string {
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
${[...shown.values(), ...others(group, shown)].join('\n')}
</section>`;
}

/** The names of the members that are not shown. */
function others({ members }: ShownGroup, shown: ReadonlyMap<Member, string>): string[] {
  const rest = members.filter((member) => !shown.has(member));
  if (rest.length === 0) return [];
  const names = rest.map((member) => shownName(member));
  const items = names.map(
    (name) => `<code class="target" data-name="${forHtml(name.toLowerCase())}">${forHtml(name)}</code>`,
  );
  return [`<p>${shown.size === 0 ? '' : 'And '}${items.join(' ')}</p>`];
}
