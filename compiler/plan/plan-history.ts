import type { Budget } from '../load/budget.ts';
import { joinPath } from '../load/files.ts';
import type { Change } from './change.ts';
import { earlierPlans, NO_HISTORY } from './earlier-plans.ts';
import type { PlanHistory } from './earlier-plans.ts';
import { PLANNED_ACTIONS } from './plan.ts';
import { planPath } from './target.ts';

/**
 * Reads the texts that plan files at base had in the history of base, newest first. Takes the absolute paths of all files that
 * are asked for, in that order, so that they can be read together.
 */
export type ReadEarlier = (paths: readonly string[]) => (path: string) => readonly string[];

/**
 * The plans of a change's target in the history of base, before the one at base. Changes without a plan have none.
 *
 * @param ids of the targets, in the order in which they are asked for
 * @param plans the folder of plans at base
 */
export function plansInHistory(
  read: ReadEarlier | undefined,
  ids: Iterable<string>,
  changes: ReadonlyMap<string, Change>,
  plans: string,
  budget: Budget,
): (change: Change) => PlanHistory {
  if (read === undefined) return () => NO_HISTORY;
  const pathOf = (change: Change): string => joinPath(plans, planPath(change));
  const planned = [...ids].flatMap((id) => {
    const change = changes.get(id);
    return change !== undefined && PLANNED_ACTIONS.has(change.action) ? [pathOf(change)] : [];
  });
  const textsOf = read(planned);
  return (change) =>
    PLANNED_ACTIONS.has(change.action)
      ? earlierPlans(change.id, textsOf(pathOf(change)), budget)
      : NO_HISTORY;
}
