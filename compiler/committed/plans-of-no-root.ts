import { kindOf } from '../../semantics/registry/registry.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import type { CompilerHost } from '../host.ts';
import type { Budget } from '../load/budget.ts';
import { findFiles, isInside, joinPath, shownPath } from '../load/files.ts';
import { readSource } from '../load/read.ts';
import { readPlan } from '../plan/read-plans.ts';
import { obsolete } from './finding.ts';
import type { Finding } from './finding.ts';
import { isOldSummary, OLD_SUMMARY } from './old-summary.ts';

/**
 * The plans in the common folder of plans that are in the folder of no root of kruise.yaml: the root was removed or renamed, or
 * there were no roots before. What is no plan of a kind of this version is left alone. None, unless every root is known.
 *
 * @param root the folder of kruise.yaml
 * @param plans the absolute folder in which each root has a folder of plans
 */
export function plansOfNoRoot(
  host: CompilerHost,
  root: string,
  plans: string,
  names: readonly string[],
  budget: Budget,
): Finding[] {
  if (!isInside(plans, root) || host.inspect(plans)?.kind !== 'folder') return [];
  const own = new Set(names.map((name) => joinPath(plans, `./${name}`)));
  const { files } = findFiles(host, root, plans, { ignores: (path) => own.has(path) }, budget);
  const why = 'no root of kruise.yaml has it';
  const findings: Finding[] = [];
  const folders = new Set<string>();
  for (const { path } of files) {
    if (!path.endsWith('/plan.yaml')) continue;
    const { source } = readSource(host, path, budget);
    if (source === undefined) continue;
    const { plan, edited } = readPlan(source, budget);
    const known = plan ?? edited;
    if (known === undefined || kindOf(groupKindOf(known.spec.target)) === undefined) continue;
    findings.push(obsolete({ ...source, file: shownPath(host, path) }, path, undefined, why));
    const forecast = path.replace(/plan\.yaml$/, 'forecast.md');
    if (host.inspect(forecast)?.kind === 'file')
      findings.push({ path: forecast, text: undefined, problem: undefined });
    folders.add(joinPath(path, '../../..'));
  }
  for (const folder of folders) {
    const path = joinPath(folder, OLD_SUMMARY);
    if (host.inspect(path)?.kind !== 'file') continue;
    const { source } = readSource(host, path, budget);
    if (source !== undefined && isOldSummary(source.text))
      findings.push({ path, text: undefined, problem: undefined });
  }
  return findings;
}
