import type { Compiled } from '../compile.ts';
import type { FileChange, Host } from '../host.ts';
import { joinPath, shownPath } from '../load/files.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { readPlan } from '../plan/base-plans.ts';
import type { Change } from '../plan/change.ts';
import { planFolder } from '../plan/target.ts';
import { forecastMarkdown, summaryMarkdown } from './forecast-markdown.ts';
import { planFile } from './plan-file.ts';

/**
 * The files a run leaves in the plans folder: a plan and its forecast for each target with a roll-out; the plan at
 * base for a target whose change was taken back; nothing for a deleted one. Files that are already right are not
 * listed.
 *
 * @param plans absolute folder at head
 */
export function outputFiles(
  compiled: Compiled,
  plans: string,
  read: (path: string) => string | undefined,
  host: Pick<Host, 'cwd'>,
): { files: FileChange[]; diagnostics: Diagnostic[] } {
  const wanted = new Map<string, string | undefined>();
  const diagnostics: Diagnostic[] = [];
  const planned = compiled.changes.filter(({ plan }) => plan !== undefined);
  const many = planned.some(({ summarised }) => summarised);
  const warningsOf = (change: Change): Diagnostic[] => compiled.byTarget.get(change.id) ?? [];
  for (const change of compiled.changes) {
    const folder = joinPath(plans, planFolder(change));
    const planPath = joinPath(folder, 'plan.yaml');
    const forecastPath = joinPath(folder, 'forecast.md');
    const { plan } = change;
    if (plan !== undefined) {
      wanted.set(planPath, planFile(plan));
      wanted.set(
        forecastPath,
        many
          ? undefined
          : forecastMarkdown(change, warningsOf(change), compiled.plansAtBase.get(change.id)?.plan),
      );
    } else if (change.action === 'Delete') {
      wanted.set(planPath, undefined);
      wanted.set(forecastPath, undefined);
    } else {
      const present = read(planPath);
      const atBase = compiled.plansAtBase.get(change.id)?.source.text;
      if (present === undefined || present === atBase) continue;
      if (atBase === undefined) {
        diagnostics.push(diagnostic('KR3008', { path: shownPath(host, planPath) }));
      } else wanted.set(planPath, atBase);
    }
  }
  const summaryPath = joinPath(plans, 'SUMMARY.md');
  if (many) wanted.set(summaryPath, summaryMarkdown(compiled.changes, warningsOf));
  else if (planned.length > 0) wanted.set(summaryPath, undefined);
  for (const [path, text] of wanted) {
    const present = path.endsWith('/plan.yaml') && text !== undefined ? read(path) : undefined;
    if (present === undefined || present === text) continue;
    const { plan } = readPlan({ file: path, text: present });
    if (plan === undefined) diagnostics.push(diagnostic('KR3010', { path: shownPath(host, path) }));
  }
  const files = [...wanted]
    .filter(([path, text]) => read(path) !== text)
    .map(([path, text]) => ({ path, text }));
  return { files, diagnostics };
}
