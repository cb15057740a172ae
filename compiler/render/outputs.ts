import type { Compiled } from '../compile.ts';
import type { FileChange, CompilerHost } from '../host.ts';
import { joinPath, shownPath } from '../load/files.ts';
import { bounded } from '../load/findings.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { readPlan } from '../plan/read-plans.ts';
import type { Change } from '../plan/change.ts';
import { isSuccessor } from '../plan/committed-plan.ts';
import { planFolder, planPath } from '../plan/target.ts';
import { forecastMarkdown, summaryMarkdown } from './forecast-markdown.ts';
import { planFile } from './plan-file.ts';

/**
 * The files a run leaves in the plans folder: a plan and its forecast for each target with a rollout; the plan at
 * base for a target whose change was taken back, unless that at head was made on top of it for the same manifest;
 * nothing for a deleted one. Files that are already right are not listed.
 *
 * @param plans absolute folder at head
 */
export function outputFiles(
  compiled: Compiled,
  plans: string,
  read: (path: string) => string | undefined,
  host: Pick<CompilerHost, 'cwd' | 'inspect'>,
): { files: FileChange[]; diagnostics: Diagnostic[] } {
  const wanted = new Map<string, string | undefined>();
  const diagnostics: Diagnostic[] = [];
  const planned = compiled.changes.filter(({ plan }) => plan !== undefined);
  const many = planned.some(({ summarized }) => summarized);
  const warningsOf = (change: Change): Diagnostic[] => compiled.byTarget.get(change.id) ?? [];
  for (const change of compiled.changes) {
    const planAt = joinPath(plans, planPath(change));
    const forecastAt = joinPath(plans, `${planFolder(change)}/forecast.md`);
    const { plan } = change;
    if (plan !== undefined) {
      wanted.set(planAt, planFile(plan));
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
      if (present === undefined || present === atBase?.source.text) continue;
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
  else if (planned.length > 0) wanted.set(summaryPath, undefined);
  const files: FileChange[] = [];
  for (const [path, text] of wanted) {
    if (text === undefined) {
      if (host.inspect(path)?.kind === 'file') files.push({ path, text });
      continue;
    }
    const present = read(path);
    if (present === text) continue;
    files.push({ path, text });
    if (present === undefined || !path.endsWith('/plan.yaml')) continue;
    const { plan } = readPlan({ file: path, text: present }, compiled.budget);
    if (plan === undefined) diagnostics.push(diagnostic('KR3010', { path: shownPath(host, path) }));
  }
  return { files, diagnostics: [...bounded(diagnostics, compiled.budget), ...compiled.budget.problems()] };
}
