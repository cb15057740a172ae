import type { Budget } from '../load/budget.ts';
import { joinPath } from '../load/files.ts';
import type { Change } from './change.ts';
import { earlierPlans, NO_HISTORY } from './earlier-plans.ts';
import type { PlanHistory } from './earlier-plans.ts';
import { PLANNED_ACTIONS } from './plan.ts';
import { readPlan, targetId } from './read-plans.ts';
import type { PlanFile } from './read-plans.ts';
import { planPath } from './target.ts';

/** Earlier versions of a plan, newest first. */
export interface EarlierTexts {
  texts: readonly string[];
  /** The newest one is the plan at base, which lies in another folder there. */
  isMoved: boolean;
}

/**
 * Reads the texts that plan files at base had in the history of base. Takes the absolute paths of all files that are asked
 * for, in that order, so that they can be read together.
 */
export type ReadEarlier = (paths: readonly string[]) => (path: string) => EarlierTexts;

/** What is known of a change's target before the change. */
export interface Earlier {
  history: PlanHistory;
  /** The plan at base, if it lies in another folder there. */
  moved: PlanFile | undefined;
}

const NOTHING: Earlier = { history: NO_HISTORY, moved: undefined };

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
): (change: Change) => Earlier {
  if (read === undefined) return () => NOTHING;
  const pathOf = (change: Change): string => joinPath(plans, planPath(change));
  const planned = [...ids].flatMap((id) => {
    const change = changes.get(id);
    return change !== undefined && PLANNED_ACTIONS.has(change.action) ? [pathOf(change)] : [];
  });
  const textsOf = read(planned);
  return (change) => {
    if (!PLANNED_ACTIONS.has(change.action)) return NOTHING;
    const { texts, isMoved } = textsOf(pathOf(change));
    const [text] = texts;
    const source = { file: pathOf(change), text: text ?? '' };
    const plan = isMoved && text !== undefined ? readPlan(source, budget).plan : undefined;
    const isOwn = plan !== undefined && targetId(plan) === change.id;
    return {
      history: earlierPlans(change.id, texts, budget),
      moved: isOwn ? { source, plan } : undefined,
    };
  };
}
