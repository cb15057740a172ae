import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { joinPath, shownPath } from '../load/files.ts';
import { changedBound } from '../plan/bound.ts';
import type { Change } from '../plan/change.ts';
import { leadsTo } from '../plan/committed-plan.ts';
import { addsHistoryAlone, knowsNewerBase } from '../plan/earlier-plans.ts';
import { lacksLimitsAlone } from '../plan/limits.ts';
import { readPlan } from '../plan/read-plans.ts';
import { takesReturnLimit } from '../stages/plans.ts';
import { planFolder, planPath } from '../plan/target.ts';
import { forecastMarkdown } from '../render/forecast-markdown.ts';
import { planFile } from '../render/plan-file.ts';
import { metadataProblem, planDifference } from './differences.ts';
import { isSameText, targetName, unreadable } from './finding.ts';
import type { Committed, Finding } from './finding.ts';

/**
 * What is wrong with the files of a target that this run plans: its plan, and its forecast unless a summary replaces the
 * forecasts.
 */
export function plannedFiles(committed: Committed, change: Change, plan: RolloutPlan): Finding[] {
  const { compiled, head, host, read } = committed;
  const finding = planned(committed, change, plan);
  const forecastAt = joinPath(head.plans, `${planFolder(change)}/forecast.md`);
  const isPlanWrong = finding !== undefined;
  const goesWith = finding?.accepted === undefined ? {} : { accepted: finding.accepted };
  const own = finding === undefined ? [] : [finding];
  if (change.summarized) {
    if (host.inspect(forecastAt)?.kind !== 'file') return own;
    const why = 'the run has more plans than forecasts, and SUMMARY.md replaces them';
    const problem = diagnostic('KR3021', { path: shownPath(host, forecastAt), why });
    return [
      ...own,
      { path: forecastAt, text: undefined, problem: isPlanWrong ? undefined : problem, ...goesWith },
    ];
  }
  const warnings = compiled.byTarget.get(change.id) ?? [];
  const text = forecastMarkdown(change, warnings, compiled.plansAtBase.get(change.id)?.plan);
  const present = read(forecastAt);
  if (isSameText(present, text)) return own;
  const problem = isPlanWrong ? undefined : forecastProblem(shownPath(host, forecastAt), present, change);
  return [...own, { path: forecastAt, text, problem, ...goesWith }];
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
  if (lacksLimitsAlone(found, plan, change.stepsOfRule, atBase?.plan)) {
    const args = { path: shown, target: targetName(change) };
    return { path, text, problem: diagnostic('KR3028', args, position) };
  }
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
