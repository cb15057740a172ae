import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { canonicalJson } from '../../semantics/values/canonical-json.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { joinPath, shownPath } from '../load/files.ts';
import type { Change } from '../plan/change.ts';
import { knowsNewerBase } from '../plan/earlier-plans.ts';
import { isFor, isSuccessor, leadsTo, mayReturnTo } from '../plan/committed-plan.ts';
import { readPlan } from '../plan/read-plans.ts';
import type { PlanFile } from '../plan/read-plans.ts';
import { planFolder, planPath } from '../plan/target.ts';
import { forecastMarkdown } from '../render/forecast-markdown.ts';
import { metadataProblem } from './differences.ts';
import { isSameText, obsolete, targetName, unreadable } from './finding.ts';
import type { Committed, Finding } from './finding.ts';

/**
 * What is wrong with the files of a target that this run does not plan. Its plan and forecast are those of base. Or its plan
 * is for a change that was merged without one: it supersedes that of base for the same manifest, or base has none and it leads
 * to the manifest. Such a plan has another base, so it is not compared, which is a warning.
 */
export function standingFiles(
  committed: Committed,
  change: Change,
): { findings: Finding[]; warnings: Diagnostic[] } {
  const { compiled, head, host, read, readAtBase } = committed;
  const { budget } = compiled;
  const path = joinPath(head.plans, planPath(change));
  const atBase = compiled.plansAtBase.get(change.id);
  const present = read(path);
  const target = targetName(change);
  const shown = shownPath(host, path);
  const restored = (problem: Diagnostic | undefined): Finding[] => [
    { path, text: atBase?.source.text, problem },
    ...forecast(),
  ];
  const forecast = (): Finding[] => forecastAsAtBase(committed, change, atBase);
  if (present === undefined && atBase === undefined)
    return { findings: leftFromRemoval(committed, change), warnings: [] };
  if (isSameText(present, atBase?.source.text)) {
    const isThere = atBase?.readForecast !== undefined || readAtBase(path) !== undefined;
    const findings = (isThere ? forecast() : []).map((each) => ({
      ...each,
      problem: forecastProblem(committed, change, each),
    }));
    return { findings, warnings: [] };
  }
  if (present === undefined) {
    const why = `base has this plan, and ${target} does not change`;
    const isNeeded = atBase !== undefined && !wentBack(change, atBase.plan);
    const problem = diagnostic('KR3018', { path: shown, why });
    // What clusters refuse may be removed, too.
    const accepted = compiled.damagedAtBase.has(change.id) ? { accepted: 'replaced' as const } : {};
    const findings = isNeeded ? restored(problem).map((each) => ({ ...each, ...accepted })) : [];
    return { findings, warnings: [] };
  }
  const source = { file: shown, text: present };
  const { plan, diagnostics } = readPlan(source, budget);
  if (plan === undefined) return { findings: restored(unreadable(diagnostics)), warnings: [] };
  const edited = metadataProblem(plan, change, source, budget);
  if (edited !== undefined) return { findings: restored(edited), warnings: [] };
  const isOther = atBase !== undefined && change.head !== undefined && !isFor(atBase.plan, change.head);
  if (isOther && isSuccessor(plan, change, atBase.plan))
    return { findings: [], warnings: [diagnostic('KR3027', { path: shown, target })] };
  if (atBase === undefined && change.head !== undefined && isFor(plan, change.head)) {
    const history = compiled.isHistoryCut ? undefined : compiled.histories.get(change.id);
    if (history !== undefined && knowsNewerBase(plan, undefined, history)) {
      const problem = diagnostic('KR3014', { path: shown }, { source, start: 0, end: 0 });
      return { findings: [{ path, text: present, problem }], warnings: [] };
    }
    return { findings: [], warnings: [diagnostic('KR3008', { path: shown, target })] };
  }
  const why = `${target} does not change, and ${whyOther(plan, atBase?.plan)}`;
  const found = obsolete(source, path, atBase?.source.text, why);
  const isTakenBack = atBase !== undefined && change.isContinuable && continues(atBase.plan, plan);
  const plans = isTakenBack ? { ...found, continues: `${change.kind}/${change.name}` } : found;
  return { findings: [plans, ...forecast()], warnings: [] };
}

function whyOther(plan: RolloutPlan, atBase: RolloutPlan | undefined): string {
  if (atBase === undefined) return 'this plan is not for it as it is';
  return continues(atBase, plan)
    ? 'the plan at base continues this one: a cluster that has it does not return to this one'
    : 'this plan is not the one at base';
}

/** Whether a plan is a continuation of another one, which is for the same manifest and the same attempt. */
function continues({ spec }: RolloutPlan, { spec: earlier }: RolloutPlan): boolean {
  const isSame =
    spec.to.hash === earlier.to.hash &&
    canonicalJson(spec.to.bound) === canonicalJson(earlier.to.bound) &&
    (spec.attempt ?? 1) === (earlier.attempt ?? 1);
  return isSame && spec.supersedes?.includes(earlier.digest) === true;
}

/**
 * The files of a target without a manifest at head: no plan, and a forecast of its removal, which no plan gates. It stays when it is
 * merged, as that of a plan does.
 */
export function filesOfRemoved(committed: Committed, change: Change): Finding[] {
  const { compiled, head, host, read } = committed;
  const planAt = joinPath(head.plans, planPath(change));
  const target = targetName(change);
  const source = { file: shownPath(host, planAt), text: read(planAt) ?? '' };
  const plan =
    host.inspect(planAt)?.kind === 'file'
      ? [obsolete(source, planAt, undefined, `${target} has no manifest any more`)]
      : [];
  const path = joinPath(head.plans, forecastPath(change));
  const text = forecastMarkdown(change, compiled.byTarget.get(change.id) ?? [], undefined);
  const present = read(path);
  if (isSameText(present, text)) return plan;
  const args = { path: shownPath(host, path), why: `it is the forecast of the removal of ${target}` };
  const problem =
    present === undefined
      ? diagnostic('KR3018', args)
      : diagnostic('KR3019', { ...args, why: `it is not the forecast of the removal of ${target}` });
  return [...plan, { path, text, problem: plan.length > 0 ? undefined : problem }];
}

function forecastPath(change: Change): string {
  return `${planFolder(change)}/forecast.md`;
}

/** The forecast of the removal of a target that is there again: a run removes it, and a check accepts it. */
function leftFromRemoval({ head, read }: Committed, change: Change): Finding[] {
  const path = joinPath(head.plans, forecastPath(change));
  if (change.head === undefined || read(path) === undefined) return [];
  return [{ path, text: undefined, problem: undefined, why: `${targetName(change)} is there again` }];
}

/** The forecast of a plan that is restored, or of one that is removed. Of a plan that was moved, it lies elsewhere at base. */
function forecastAsAtBase(committed: Committed, change: Change, atBase: PlanFile | undefined): Finding[] {
  const { head, host, read, readAtBase } = committed;
  const path = joinPath(head.plans, forecastPath(change));
  const readForecast = atBase?.readForecast ?? (() => readAtBase(path));
  const text = atBase === undefined ? undefined : readForecast();
  const isRight = text === undefined ? host.inspect(path)?.kind !== 'file' : isSameText(read(path), text);
  return isRight ? [] : [{ path, text, problem: undefined }];
}

/** Why the forecast of a plan that stands must be that of base: it was reviewed there, and no run writes it anew. */
function forecastProblem({ host }: Committed, change: Change, { path, text }: Finding): Diagnostic {
  const shown = shownPath(host, path);
  const why = `${targetName(change)} does not change`;
  if (text === undefined)
    return diagnostic('KR3021', { path: shown, why: `base has a plan without a forecast, and ${why}` });
  return host.inspect(path)?.kind === 'file'
    ? diagnostic('KR3019', { path: shown, why: `base has another forecast, and ${why}` })
    : diagnostic('KR3018', { path: shown, why: `base has this forecast, and ${why}` });
}

/** Whether the manifest stands where the plan at base starts, so that no plan is needed. */
function wentBack({ head }: Change, { spec }: RolloutPlan): boolean {
  return head !== undefined && !leadsTo(spec, head) && mayReturnTo(spec, head);
}
