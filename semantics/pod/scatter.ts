import { objectsIn } from '../values/json-shape.ts';
import type { Pod } from './types.ts';

/** One label of `updateStrategy.scatterStrategy`. */
export interface ScatterTerm {
  key: string;
  value: string;
}

type Matches = (pod: Pod) => boolean;

/** Reads a scatter strategy. Entries that do not fit the schema are ignored. */
export function readScatter(value: unknown): ScatterTerm[] {
  return objectsIn(value).map(({ key, value: of }) => ({
    key: typeof key === 'string' ? key : '',
    value: typeof of === 'string' ? of : '',
  }));
}

/**
 * Spreads the pods with these labels evenly over the update order (OpenKruise inplace-update, rule 6.7), term by term. Of
 * several terms those without a matching pod are left out, and the one with the most matches comes first.
 *
 * @param waiting pods that are to be updated, in order
 * @param all every pod of the workload: as long as matching pods are rarer among the waiting ones than among all, the spread
 *   is computed from all, so that it stays the same from reconcile to reconcile
 */
export function scattered(
  waiting: readonly Pod[],
  all: readonly Pod[],
  terms: readonly ScatterTerm[],
): readonly Pod[] {
  let order = waiting;
  for (const matches of inOrder(waiting, terms)) order = spread(order, all, matches);
  return order;
}

function inOrder(waiting: readonly Pod[], terms: readonly ScatterTerm[]): Matches[] {
  const counted = terms.map((term) => {
    const matches: Matches = ({ metadata }) => metadata.labels?.[term.key] === term.value;
    return { matches, count: waiting.filter(matches).length };
  });
  const used = counted.length > 1 ? counted.filter(({ count }) => count > 0) : counted;
  return used.sort((a, b) => b.count - a.count).map(({ matches }) => matches);
}

/** The pattern of the spread: first `lead` unmatched pods, then `groups` times `matched` and `unmatched` ones. */
interface Rhythm {
  lead: number;
  groups: number;
  matched: number;
  unmatched: number;
}

function spread(order: readonly Pod[], all: readonly Pod[], matches: Matches): readonly Pod[] {
  const matched = order.filter(matches);
  const unmatched = order.filter((pod) => !matches(pod));
  const last = matched.at(-1);
  const matchedOfAll = all.filter(matches).length;
  const total = { matched: matchedOfAll - 1, unmatched: all.length - matchedOfAll };
  // OpenKruise stops to spread where one pod of a side is left, and the others bunch. Only one of all pods cannot be spread.
  if (last === undefined || unmatched.length === 0 || total.matched === 0 || total.unmatched <= 1)
    return order;
  if (matched.length === 1) return [...unmatched, last];

  const rhythm = rhythmOf({ matched: matched.length - 1, unmatched: unmatched.length }, total);
  const result: Pod[] = [];
  const [inner, remaining] = [matched.slice(0, -1), [...unmatched]];
  result.push(...remaining.splice(0, rhythm.lead));
  for (let group = 0; group < rhythm.groups; group++)
    result.push(...inner.splice(0, rhythm.matched), ...remaining.splice(0, rhythm.unmatched));
  return [...result, ...inner, ...remaining, last];
}

interface Counts {
  matched: number;
  unmatched: number;
}

function rhythmOf(own: Counts, total: Counts): Rhythm {
  if (total.unmatched / total.matched >= own.unmatched / own.matched) {
    const groups = Math.min(own.matched, own.unmatched);
    return {
      lead: 0,
      groups,
      matched: rounded(own.matched / groups),
      unmatched: rounded(own.unmatched / groups),
    };
  }
  const groupsOfAll = Math.min(total.matched, total.unmatched);
  const matched = rounded(total.matched / groupsOfAll);
  const unmatched = rounded(total.unmatched / groupsOfAll);
  const groups = Math.min(Math.floor(own.matched / matched), Math.floor(own.unmatched / unmatched));
  return { lead: own.unmatched - groups * unmatched, groups, matched, unmatched };
}

/** Rounds half away from zero, for values that are never negative. */
function rounded(value: number): number {
  return Math.floor(value + 0.5);
}
