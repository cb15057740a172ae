import type { Condition } from '../../schemas/wire/object.ts';
import type { HotPhase } from './hot-pair.ts';
import { nameOf, type Unit } from './unit.ts';

/** The condition of a set that says where hot upgrades stand. */
export const HOT_UPGRADE_CONDITION = 'plan.kruise.io/HotUpgrade';

/** What a person should know first comes first. */
const PHASES: readonly Exclude<HotPhase, 'Idle'>[] = ['Failed', 'Upgrading', 'Migrating', 'Resetting'];

/**
 * Where the hot upgrades of a set stand: how many pods have a pair in each phase, and the first of them by name. Undefined: none
 * is in progress.
 */
export function hotCondition(units: readonly Unit[]): Condition | undefined {
  const texts: string[] = [];
  let reason: string | undefined;
  for (const phase of PHASES) {
    const names = units
      .filter(({ hot }) => hot.pairs.some((pair) => pair.phase === phase))
      .map(({ pod }) => nameOf(pod));
    const [first] = names.sort();
    if (first === undefined) continue;
    reason ??= phase;
    texts.push(`${phase}: ${first}${names.length === 1 ? '' : ` and ${names.length - 1} more`}`);
  }
  return reason === undefined
    ? undefined
    : { type: HOT_UPGRADE_CONDITION, status: 'True', reason, message: texts.join('; ') };
}
