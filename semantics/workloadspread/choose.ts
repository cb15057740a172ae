import { trailingDigits } from '../values/text.ts';
import type { NormalSpread, Subset } from './normalize.ts';
import { capOf } from './size.ts';

/** What decides about the next pod of a target. */
export interface Choice {
  spread: NormalSpread;
  /** How many pods the target is to have. */
  size: number;
  /** The active pods of the version of the new one, by subset, those of the same decision among them. */
  counted: ReadonlyMap<string, number>;
  /** Subsets in which pods were not scheduled, and that are left out for a while. */
  closed: ReadonlySet<string>;
}

/**
 * The subset of a new pod (OpenKruise workloadspread, rule 6.2): the first one with room, or of a StatefulSet the one of its ordinal.
 * Undefined: none has room, and the pod is created as it is.
 *
 * @param name that of the pod
 */
export function chooseSubset(name: string, choice: Choice): Subset | undefined {
  const { spread, size, counted, closed } = choice;
  const [first, second] = spread.subsets;
  if (first !== undefined && second === undefined && first.cap === undefined) return first;
  if (spread.target.kind === 'StatefulSet') return subsetOfOrdinal(name, choice);
  return spread.subsets.find((subset) => {
    if (closed.has(subset.name)) return false;
    const cap = capOf(subset, size);
    return cap === undefined || (counted.get(subset.name) ?? 0) < cap;
  });
}

/** The subsets that are not left out share the ordinals, one after the other. Which ordinals are reserved does not matter. */
function subsetOfOrdinal(name: string, { spread, size, closed }: Choice): Subset | undefined {
  const digits = trailingDigits(name);
  if (digits === '') return undefined;
  const ordinal = Number(digits);
  let end = 0;
  for (const subset of spread.subsets) {
    if (closed.has(subset.name)) continue;
    end += capOf(subset, size) ?? Infinity;
    if (ordinal < end) return subset;
  }
  return undefined;
}
