import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { namesIn } from '../forecast/names.ts';
import type { ForecastBudget } from '../forecast/forecast-budget.ts';
import { joinPath, shownPath } from '../load/files.ts';
import { changedBound } from '../plan/bound.ts';
import type { Change } from '../plan/change.ts';
import { leadsTo } from '../plan/committed-plan.ts';
import { addsHistoryAlone, knowsNewerBase, withImagesOf } from '../plan/earlier-plans.ts';
import { lacksLimitsAlone } from '../plan/limits.ts';
import { readPlan } from '../plan/read-plans.ts';
import { takesReturnLimit } from '../stages/plans.ts';
import { planFolder, planPath } from '../plan/target.ts';
import { forecastMarkdown } from '../render/forecast-markdown.ts';
import { planFile } from '../render/plan-file.ts';
import { metadataProblem, planDifference } from './differences.ts';
import { isSameText, targetName, unreadable } from './finding.ts';
import type { Committed, Finding } from './finding.ts';

/** What forecasts of a check may cost that it makes beside its own. */
type ForecastBudgets = Readonly<Record<'simulated' | 'named', ForecastBudget>>;

/**
 * What is wrong with the files of a target that this run plans: its plan and its forecast. A check accepts the forecast of a run over
 * other targets, on which it depends whether a forecast is simulated, and names units.
 *
 * @param budgets what it may cost to simulate rollouts for that, and to name their units
 */
export function plannedFiles(
  committed: Committed,
  change: Change,
  plan: RolloutPlan,
  budgets: ForecastBudgets,
): Finding[] {
  const { compiled, head, host, read } = committed;
  const finding = planned(committed, change, plan);
  const forecastAt = joinPath(head.plans, `${planFolder(change)}/forecast.md`);
  const isPlanWrong = finding !== undefined;
  const goesWith = finding?.accepted === undefined ? {} : { accepted: finding.accepted };
  const own = finding === undefined ? [] : [finding];
  const warnings = compiled.byTarget.get(change.id) ?? [];
  const textOf = (predicted: Change): string =>
    forecastMarkdown(predicted, warnings, compiled.plansAtBase.get(change.id)?.plan);
  const text = textOf(change);
  const present = read(forecastAt);
  if (isSameText(present, text)) return own;
  const isAccepted = !isPlanWrong && present !== undefined && isOfOtherRun(present, change, textOf, budgets);
  const problem = isPlanWrong ? undefined : forecastProblem(shownPath(host, forecastAt), present, change);
  const accepted = isAccepted ? { accepted: 'replaced' as const } : {};
  return [...own, { path: forecastAt, text, problem, ...accepted, ...goesWith }];
}

/** Whether a committed forecast is that of a run over other targets. */
function isOfOtherRun(
  present: string,
  change: Change,
  textOf: (predicted: Change) => string,
  budgets: ForecastBudgets,
): boolean {
  const may = (part: keyof ForecastBudgets): boolean => change[part] || budgets[part].affords(change);
  const named = namesIn(change) === 0 ? [change.named] : may('named') ? [false, true] : [false];
  const simulated = may('simulated') ? [false, true] : [false];
  const others = simulated
    .flatMap((isSimulated) => named.map((isNamed) => ({ ...change, simulated: isSimulated, named: isNamed })))
    .filter((other) => other.simulated !== change.simulated || other.named !== change.named);
  if (others.some((other) => isSameText(present, textOf(other)))) return true;
  // What passes uses nothing, as else a check would refuse some of many that are right. Once it refuses one, it fails.
  for (const part of ['named', 'simulated'] as const)
    if (!change[part] && others.some((other) => other[part])) budgets[part].use(change);
  return false;
}

function forecastProblem(path: string, present: string | undefined, change: Change): Diagnostic {
  return present === undefined
    ? diagnostic('KR3018', { path, why: `it is the forecast of the plan of ${targetName(change)}` })
    : diagnostic('KR3019', { path, why: `it is not the forecast of the plan of ${targetName(change)}` });
}

function planned(
  { compiled, head, host, read }: Committed,
  change: Change,
  plan: RolloutPlan,
): Finding | undefined {
  const { budget } = compiled;
  const path = joinPath(head.plans, planPath(change));
  const text = planFile(plan);
  const present = read(path);
  if (isSameText(present, text)) return undefined;
  const atBase = compiled.plansAtBase.get(change.id);
  const shown = shownPath(host, path);
  // What was taken back with the manifest has not the limit that somebody asks for now.
  const left = compiled.goingBack !== undefined && takesReturnLimit(change) ? 'replaced' : 'left';
  if (present === undefined) {
    const problem = diagnostic('KR3018', { path: shown, why: reasonOf(change) });
    return { path, text, problem, ...(change.goesBack ? { accepted: left } : {}) };
  }
  const source = { file: shown, text: present };
  const { plan: found, diagnostics } = readPlan(source, budget);
  if (found === undefined) return { path, text, problem: unreadable(diagnostics) };
  const edited = metadataProblem(found, change, source, budget);
  if (edited !== undefined) return { path, text, problem: edited };
  if (addsHistoryAlone(found, plan, atBase?.plan)) return undefined;
  const position = { source, start: 0, end: 0 };
  const older = (lacks: 'limits' | 'images'): Finding => {
    const args = { path: shown, target: targetName(change), lacks };
    return { path, text, problem: diagnostic('KR3028', args, position) };
  };
  const filled = withImagesOf(found, plan);
  if (filled !== undefined && addsHistoryAlone(filled, plan, atBase?.plan)) return older('images');
  if (lacksLimitsAlone(filled ?? found, plan, change.stepsOfRule, atBase?.plan)) return older('limits');
  const isEarlier =
    change.head !== undefined &&
    leadsTo(found.spec, change.head) &&
    atBase?.plan.spec.supersedes?.includes(found.spec.digest) === true;
  const isOfBase = isSameText(present, atBase?.source.text);
  // That a run was planned before is known from its plan alone, too.
  const goesBack = change.goesBack || (change.action === 'Run' && isEarlier);
  if (!compiled.isHistoryCut && knowsNewerBase(found, atBase?.plan, compiled.histories.get(change.id)))
    return { path, text, problem: diagnostic('KR3014', { path: shown }, position) };
  const { code, why } = planDifference(found.spec, plan.spec, atBase?.plan.spec, targetName(change));
  const problem = diagnostic(code, { path: shown, why }, position);
  if (!goesBack || !(isOfBase || isEarlier)) return { path, text, problem };
  return { path, text, problem, accepted: isOfBase ? 'replaced' : left };
}

function reasonOf(change: Change): string {
  const target = targetName(change);
  if (change.action === 'Bound') return `the ${changedBound(change)} of ${target} changes`;
  if (change.action === 'Continue') return `the plan of ${target} is continued`;
  if (change.action === 'Claims') return `the claim templates of ${target} change`;
  if (change.action === 'Run') return `the run of ${target} is new`;
  return change.action === 'Update' ? `the template of ${target} changes` : `${target} is planned again`;
}
