import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import type { Budget } from '../load/budget.ts';
import { joinPath } from '../load/files.ts';
import { loadPlan } from '../load/plan-files.ts';
import type { State } from '../load/manifests.ts';
import type { Locate } from '../validate/schema-errors.ts';
import type { Change } from './change.ts';
import { committedPlanProblems, isSuccessor } from './committed-plan.ts';
import { pathToPlan } from './path-to-plan.ts';
import { planPath } from './target.ts';

/** Reports problems of the plan that stands at base, unless head already has a plan that solves them. */
export function standingPlanProblems(
  host: CompilerHost,
  head: State,
  change: Change,
  atBase: RolloutPlan | undefined,
  locate: Locate,
  budget: Budget,
): Diagnostic[] {
  const { base, head: target } = change;
  if (atBase === undefined || base === undefined || target === undefined) return [];
  const path = pathToPlan(host, head, target.manifest);
  const problems = committedPlanProblems(target, base, atBase, locate, path);
  if (problems.length === 0) return [];
  const next = loadPlan(host, joinPath(head.plans, planPath(change)), budget);
  const isNext = next !== undefined && isSuccessor(next, change, atBase);
  return isNext ? committedPlanProblems(target, base, next, locate, path) : problems;
}
