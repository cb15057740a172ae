import type { JsonObject } from '../../schemas/wire/json.ts';
import { type NamedUnits, namedUnits, updatesNone, wantedReplicas } from '../../semantics/kinds/git-units.ts';
import type { Change } from '../plan/change.ts';
import type { Target } from '../plan/target.ts';
import { nameRuns } from '../text/name-runs.ts';
import type { ForecastRow } from './forecast-row.ts';

/** Targets with more units are not named: each name would be made first. */
const MOST_NAMED = 10_000;

/** What git knows of the names of the units of a target; undefined: nothing, or there are too many. */
export function namesOf({ normal: { units } }: Target): NamedUnits | undefined {
  const count = wantedReplicas(units);
  return count === undefined || count > MOST_NAMED ? undefined : namedUnits(units);
}

/**
 * Adds to each step the names of the units that it updates. Users choose them with OnDelete, and a summary shows no steps.
 *
 * @param template the template of the units before the rollout; undefined: neither state has it
 * @param done how many units a continuation does not update again
 */
export function rowsWithNames(
  { action, head, summarized }: Change,
  rows: readonly ForecastRow[],
  template: JsonObject | undefined,
  done: number,
): readonly ForecastRow[] {
  const named =
    head === undefined || updatesNone(head.normal.units) || summarized ? undefined : namesOf(head);
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
