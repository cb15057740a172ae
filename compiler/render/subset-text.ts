import { subsetsOf, wantedReplicas } from '../../semantics/kinds/git-units.ts';
import type { Change } from '../plan/change.ts';
import { shorten } from '../text/escape.ts';

/** So many subsets are named. */
const MOST_NAMED = 5;

/** Which subsets get another number of pods: `: a 5 → 4, d none → 3`; '' where none does, or there are none. */
function movesText({ base, head }: Pick<Change, 'base' | 'head'>): string {
  if (base === undefined || head === undefined) return '';
  const [before, after] = [sizesOf(base), sizesOf(head)];
  const names = new Set([...after.keys(), ...before.keys()]);
  const moved = [...names].filter((name) => before.get(name) !== after.get(name));
  const shown = moved
    .slice(0, MOST_NAMED)
    .map((name) => `${shorten(name, 80)} ${before.get(name) ?? 'none'} → ${after.get(name) ?? 'none'}`);
  const more = moved.length - shown.length;
  if (shown.length === 0) return '';
  return `: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function sizesOf({ normal }: NonNullable<Change['head']>): ReadonlyMap<string, number> {
  return new Map((subsetsOf(normal.units) ?? []).map(({ name, n }) => [name, n]));
}

/** `replicas 10 to 12: a 3 → 5`, or `the same 10 in other subsets: a 5 → 4, b 5 → 6`. */
export function replicasMoved({ base, head }: Pick<Change, 'base' | 'head'>): string {
  const [before, after] = [replicasIn(base), replicasIn(head)];
  const what = before === after ? `the same ${before} in other subsets` : `replicas ${before} to ${after}`;
  return `${what}${movesText({ base, head })}`;
}

export function replicasIn(state: Change['head']): number | undefined {
  return state && wantedReplicas(state.normal.units);
}
