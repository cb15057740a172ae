import { countText } from '../../semantics/values/text.ts';
import { canonicalJson } from '../../semantics/values/canonical-json.ts';
import type { ShownGroup } from './groups.ts';

/** The groups of one root of `kruise.yaml`. */
interface OfRoot {
  name: string;
  groups: readonly ShownGroup[];
}

interface Part {
  group: ShownGroup;
  root: string;
}

/** How many roots a group names. */
const MOST_NAMED = 5;

/**
 * The groups of several roots, each with the roots that it is from. What a reviewer sees alike in several roots is one group. Two that look
 * alike in one root differ in what is not shown, so they stay apart: the first of a root joins the first of another one, and so on.
 */
export function acrossRoots(roots: readonly OfRoot[]): ShownGroup[] {
  const alike = new Map<string, [Part, ...Part[]]>();
  for (const { name, groups } of roots) {
    const times = new Map<string, number>();
    for (const group of groups) {
      const look = lookOf(group);
      const time = times.get(look) ?? 0;
      times.set(look, time + 1);
      const key = `${time} ${look}`;
      const before = alike.get(key);
      if (before === undefined) alike.set(key, [{ group, root: name }]);
      else before.push({ group, root: name });
    }
  }
  return [...alike.values()].map(joined);
}

/** What a group shows but its targets and what follows from their sizes. Messages name a target. */
function lookOf({ members: _members, units, plan, warnings, ...group }: ShownGroup): string {
  const codes = warnings.map(({ code }) => code);
  const steps = plan && { text: plan.text, approvals: plan.approvals };
  return canonicalJson([group, units?.nouns ?? null, steps ?? null, codes]);
}

function joined(parts: [Part, ...Part[]]): ShownGroup {
  const [{ group }] = parts;
  const groups = parts.map((part) => part.group);
  const { plan, units } = group;
  return {
    ...group,
    notes: [rootsText(parts.map(({ root }) => root)), ...group.notes],
    units: units && {
      ...units,
      count: groups.reduce((sum, each) => sum + (each.units?.count ?? 0), 0),
    },
    plan: plan && { ...plan, leastMs: Math.max(...groups.map((each) => each.plan?.leastMs ?? 0)) },
    members: groups.flatMap(({ members }) => members),
  };
}

function rootsText(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  const shown = names.slice(0, MOST_NAMED).join(', ');
  if (names.length === 1) return `root ${shown}`;
  return `roots ${shown}${more > 0 ? ` and ${countText(more, 'more root')}` : ''}`;
}
