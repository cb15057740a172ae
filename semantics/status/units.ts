import type { KubeObject } from '../../schemas/wire/object.ts';
import type { UnitNouns } from '../kinds/nouns.ts';
import type { Outcome, OwnStrategy, StatusFacts, UnitCounts } from '../kinds/status-facts.ts';
import { countText } from '../values/text.ts';
import { isObserved } from './observed.ts';

/** Done: as many units as the strategy updates are updated and available, and so is every other one. */
export function outcomeOfUnits({ wanted, due = wanted, available, updatedAvailable }: UnitCounts): Outcome {
  return updatedAvailable >= due && available >= wanted ? 'done' : 'underway';
}

/**
 * How many units the target's own strategy updates at once, as a clause.
 *
 * @param suffix what holds for those that are updated, after a comma; empty: nothing
 */
export function updatedAtOnce(
  target: KubeObject,
  facts: Pick<StatusFacts, 'observed'>,
  { unit, units }: UnitNouns,
  { wanted, due = wanted, updated }: UnitCounts,
  strategy: OwnStrategy,
  suffix = '',
): string {
  if (!isObserved(facts, target)) return `the number of ${units} to update is unknown`;
  const count = Math.max(0, due - updated);
  if (count === 0) return `no ${unit} is updated now`;
  const are = `${countText(count, unit, units)} ${count === 1 ? 'is' : 'are'} updated`;
  switch (strategy.is) {
    case 'active':
      return `${are} now${suffix}`;
    case 'paused':
      return `${are} once paused is false in its manifest`;
    case 'byHand':
      return `${are} when users delete them`;
  }
}
