import type { JsonObject } from '../../schemas/wire/json.ts';
import { type NamedUnits, namedUnits, updatesNone, wantedReplicas } from '../../semantics/kinds/git-units.ts';
import type { Change } from '../plan/change.ts';
import type { Target } from '../plan/target.ts';
import { nameRuns } from '../text/name-runs.ts';
import type { ForecastRow } from './forecast-row.ts';
import { type ForecastBudget, forecastBudget } from './forecast-budget.ts';

/** Targets with more units are not named: each name would be made first. */
const MOST_NAMED = 10_000;

/** The most names that one run makes for forecasts: those of twenty of the largest targets. */
const MOST_OF_A_RUN = 20 * MOST_NAMED;

/** Decides which forecasts of a run name units: in the order of the targets until the names of the run are used. */
export function chooseNamed(changes: readonly Change[]): void {
  const budget = nameBudget();
  for (const change of changes) {
    change.named = budget.affords(change);
    if (change.named) budget.use(change);
  }
}

/** What the forecasts of one run may cost that name their units. */
export function nameBudget(): ForecastBudget {
  return forecastBudget(MOST_OF_A_RUN, namesIn);
}

/** How many names the forecast of a change has. */
export function namesIn({ head, plan }: Change): number {
  return plan === undefined || head === undefined || namesOf(head) === undefined ? 0 : (head.applied ?? 0);
}

/** What git knows of the names of the units of a target; undefined: nothing, or there are too many. */
export function namesOf({ normal: { units } }: Target): NamedUnits | undefined {
  const count = wantedReplicas(units);
  return count === undefined || count > MOST_NAMED ? undefined : namedUnits(units);
}

/**
 * Adds to each step the names of the units that it updates. Users choose them with OnDelete.
 *
 * @param template the template of the units before the rollout; undefined: neither state has it
 * @param done how many units a continuation does not update again
 */
export function rowsWithNames(
  { action, head, named: isNamed }: Change,
  rows: readonly ForecastRow[],
  template: JsonObject | undefined,
  done: number,
): readonly ForecastRow[] {
  const named = head === undefined || updatesNone(head.normal.units) || !isNamed ? undefined : namesOf(head);
  if (named === undefined || head === undefined) return rows;
  const manifest = head.manifest.object;
  const order =
    action === 'Claims'
      ? named.wanted(manifest).toReversed()
      : named.order(manifest, template ?? head.normal.template);
  let before = done;
  return rows.map((row) => {
    const names = nameRuns(order.slice(before, row.pods?.expected ?? 0));
    before = Math.max(before, row.pods?.expected ?? 0);
    return names === '' ? row : { ...row, names };
  });
}

/** The reserved ordinals among those of a target, as its manifest writes them; empty: none. */
export function reservedText({ head }: Change): string {
  return head === undefined ? '' : (namesOf(head)?.reserved(head.manifest.object) ?? '');
}
