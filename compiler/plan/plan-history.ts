import type { Budget } from '../load/budget.ts';
import { joinPath } from '../load/files.ts';
import type { Change } from './change.ts';
import { earlierPlans } from './earlier-plans.ts';
import type { PlanHistory } from './earlier-plans.ts';
import { PLANNED_ACTIONS } from './plan.ts';
import { readPlan, targetId } from './read-plans.ts';
import type { PlanFile } from './read-plans.ts';
import { planPath } from './target.ts';

/** Earlier versions of a plan, newest first. */
export interface EarlierTexts {
  texts: readonly string[];
  /** The newest one is the plan at base, which lies in another folder there. Reads the forecast beside it. */
  moved: { readForecast: () => string | undefined } | undefined;
  /** There may be others, which this clone does not have. */
  isCut: boolean;
}

/**
 * Reads the texts that plan files at base had in the history of base. Takes the absolute paths of all files that are asked
 * for, in that order, so that they can be read together.
 */
export type ReadEarlier = (paths: readonly string[]) => (path: string) => EarlierTexts;

/** What is known of a change's target before the change. */
export interface Earlier {
  /** Undefined: it was not read. */
  history: PlanHistory | undefined;
  /** The plan at base, if it lies in another folder there. */
  moved: PlanFile | undefined;
  /** There may be more. */
  isCut: boolean;
}

const NOTHING: Earlier = { history: undefined, moved: undefined, isCut: false };

/**
 * Whether the history of base is asked for a change: it is planned, or has a plan that base does not have at its place.
 *
 * @param isAsAtBase base has a plan of the target, or head has none
 */
export function hasEarlier({ action, base, head }: Change, isAsAtBase: boolean): boolean {
  return PLANNED_ACTIONS.has(action) || (base !== undefined && head !== undefined && !isAsAtBase);
}

/**
 * The plans of a change's target in the history of base, before the one at base. Changes that are not asked for have none.
 *
 * @param changes in the order in which they are asked for
 * @param plans the folder of plans at base
 */
export function plansInHistory(
  read: ReadEarlier | undefined,
  changes: readonly Change[],
  plans: string,
  budget: Budget,
): (change: Change) => Earlier {
  if (read === undefined) return () => NOTHING;
  const asked = new Set(changes);
  const pathOf = (change: Change): string => joinPath(plans, planPath(change));
  const textsOf = read(changes.map(pathOf));
  return (change) => {
    if (!asked.has(change)) return NOTHING;
    const { texts, moved, isCut } = textsOf(pathOf(change));
    const [text] = texts;
    const source = { file: pathOf(change), text: text ?? '' };
    const plan = moved !== undefined && text !== undefined ? readPlan(source, budget).plan : undefined;
    const own = plan !== undefined && targetId(plan) === change.id ? plan : undefined;
    return {
      history: earlierPlans(change.id, texts, budget),
      moved: own && moved ? { source, plan: own, ...moved } : undefined,
      isCut,
    };
  };
}
