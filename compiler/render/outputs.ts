import type { Compiled } from '../compile.ts';
import type { FileChange, CompilerHost } from '../host.ts';
import { joinPath, shownPath } from '../load/files.ts';
import { bounded } from '../load/findings.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { addsHistoryAlone, knowsNewerBase } from '../plan/earlier-plans.ts';
import { readPlan } from '../plan/read-plans.ts';
import type { Change } from '../plan/change.ts';
import { isSuccessor } from '../plan/committed-plan.ts';
import { planFolder, planPath } from '../plan/target.ts';
import { forecastMarkdown, summaryMarkdown } from './forecast-markdown.ts';
import { planFile } from './plan-file.ts';

/**
 * The files that a run writes to the plans folder: a plan and its forecast for each target with a rollout; the plan at base
 * for a target whose change was reverted, unless the plan at head supersedes it for the same manifest; none for a deleted
 * target. Omits files that are already correct.
 *
 * @param plans absolute folder at head
 * @param writes false if the files are only compared
 */
export function outputFiles(
  compiled: Compiled,
  plans: string,
  read: (path: string) => string | undefined,
  host: Pick<CompilerHost, 'cwd' | 'inspect'>,
  writes = true,
): { files: FileChange[]; diagnostics: Diagnostic[] } {
  const wanted = new Map<string, string | undefined>();
  const diagnostics: Diagnostic[] = [];
  const planned = new Map<string, Change>();
  const many = compiled.changes.some(({ plan, summarized }) => plan !== undefined && summarized);
  const warningsOf = (change: Change): Diagnostic[] => compiled.byTarget.get(change.id) ?? [];
  for (const change of compiled.changes) {
    const planAt = joinPath(plans, planPath(change));
    const forecastAt = joinPath(plans, `${planFolder(change)}/forecast.md`);
    const { plan } = change;
    if (plan !== undefined) {
      wanted.set(planAt, planFile(plan));
      planned.set(planAt, change);
      wanted.set(
        forecastAt,
        many
          ? undefined
          : forecastMarkdown(change, warningsOf(change), compiled.plansAtBase.get(change.id)?.plan),
      );
    } else if (change.action === 'Delete') {
      wanted.set(planAt, undefined);
      wanted.set(forecastAt, undefined);
    } else {
      const present = read(planAt);
      const atBase = compiled.plansAtBase.get(change.id);
      if (present === undefined || isSameText(present, atBase?.source.text)) continue;
      if (atBase === undefined) {
        diagnostics.push(diagnostic('KR3008', { path: shownPath(host, planAt) }));
        continue;
      }
      const { plan: standing } = readPlan({ file: planAt, text: present }, compiled.budget);
      if (standing === undefined || !isSuccessor(standing, change, atBase.plan)) {
        wanted.set(planAt, atBase.source.text);
      }
    }
  }
  const summaryPath = joinPath(plans, 'SUMMARY.md');
  if (many) wanted.set(summaryPath, summaryMarkdown(compiled.changes, warningsOf));
  else if (planned.size > 0) wanted.set(summaryPath, undefined);
  const files: FileChange[] = [];
  for (const [path, text] of wanted) {
    if (text === undefined) {
      if (host.inspect(path)?.kind === 'file') files.push({ path, text });
      continue;
    }
    const present = read(path);
    if (isSameText(present, text)) continue;
    const isPlan = present !== undefined && path.endsWith('/plan.yaml');
    const committed = isPlan ? readPlan({ file: path, text: present }, compiled.budget).plan : undefined;
    const change = planned.get(path);
    if (committed !== undefined && change?.plan !== undefined) {
      const atBase = compiled.plansAtBase.get(change.id)?.plan;
      if (addsHistoryAlone(committed, change.plan, atBase)) continue;
      const history = compiled.histories.get(change.id);
      if (!compiled.isHistoryCut && knowsNewerBase(committed, atBase, history))
        diagnostics.push(diagnostic('KR3014', { path: shownPath(host, path) }));
    }
    files.push({ path, text });
    if (isPlan && committed === undefined)
      diagnostics.push(diagnostic('KR3010', { path: shownPath(host, path), writes }));
  }
  return { files, diagnostics: [...bounded(diagnostics, compiled.budget), ...compiled.budget.problems()] };
}

/** Whether two texts are equal but for the ends of their lines, which git may convert. */
function isSameText(one: string | undefined, other: string | undefined): boolean {
  return one === other || one?.replaceAll('\r\n', '\n') === other?.replaceAll('\r\n', '\n');
}
