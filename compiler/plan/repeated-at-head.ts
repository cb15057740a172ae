import type { KruiseConfig } from '../../schemas/generated/types/config.ts';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import type { CompilerHost } from '../host.ts';
import type { Budget } from '../load/budget.ts';
import { joinPath, shownPath } from '../load/files.ts';
import type { State } from '../load/manifests.ts';
import { readSource } from '../load/read.ts';
import type { Change } from './change.ts';
import { isSuccessor, leadsTo } from './committed-plan.ts';
import { PLANNED_ACTIONS } from './plan.ts';
import { readPlan } from './read-plans.ts';
import type { PlanFile } from './read-plans.ts';
import { markAgain, markContinued } from './repeat.ts';
import { uncontinued } from './continuation.ts';
import { ruleFor } from './match.ts';
import { planPath } from './target.ts';

/**
 * Marks targets that head has a plan of which `--again` or `--continue` created, as if this run had the option: their plans and forecasts are
 * made anew, so that a check compares them and a second run writes the same. A plan that supersedes that of base by another
 * base cannot be made anew, and is not marked.
 *
 * @param planPaths the plan files that head has
 * @returns the texts that were read, by path
 */
export function markRepeatedAtHead(
  host: CompilerHost,
  head: State,
  changes: readonly Change[],
  plansAtBase: ReadonlyMap<string, PlanFile>,
  planPaths: readonly string[],
  config: KruiseConfig,
  budget: Budget,
): ReadonlyMap<string, string> {
  const present = new Set(planPaths);
  const texts = new Map<string, string>();
  for (const change of changes) {
    const atBase = plansAtBase.get(change.id);
    const path = joinPath(head.plans, planPath(change));
    if (atBase === undefined || PLANNED_ACTIONS.has(change.action) || !present.has(path)) continue;
    const { source } = readSource(host, path, budget);
    if (source === undefined) continue;
    texts.set(path, source.text);
    if (source.text === atBase.source.text) continue;
    const { plan } = readPlan({ ...source, file: shownPath(host, path) }, budget);
    if (plan === undefined || !isSuccessor(plan, change, atBase.plan)) continue;
    if (isRepeated(plan, change, atBase.plan)) markAgain(change, atBase);
    else if (isContinued(plan, change, atBase.plan, config)) markContinued(change, atBase);
  }
  return texts;
}

/**
 * Whether `--again` made a successor: with another attempt at what the plan at base leads to, or, where that leads elsewhere,
 * without knowledge of the template before.
 */
function isRepeated({ spec }: RolloutPlan, { head }: Change, atBase: RolloutPlan): boolean {
  if (head === undefined) return false;
  return leadsTo(atBase.spec, head)
    ? (spec.attempt ?? 1) > (atBase.spec.attempt ?? 1)
    : spec.from.every(({ depart }) => depart === true);
}

/** Whether `--continue` made a successor: the same attempt, where the plan at base has other limits. */
function isContinued(
  { spec }: RolloutPlan,
  change: Change,
  atBase: RolloutPlan,
  config: KruiseConfig,
): boolean {
  if (change.head === undefined || (spec.attempt ?? 1) !== (atBase.spec.attempt ?? 1)) return false;
  return uncontinued(change, atBase.spec, ruleFor(config, change.head.manifest), true) === undefined;
}
