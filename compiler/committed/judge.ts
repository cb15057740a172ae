import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import { joinPath, shownPath } from '../load/files.ts';
import { bounded } from '../load/findings.ts';
import { isSummary, summaryMarkdown } from '../render/forecast-markdown.ts';
import type { Committed, Finding } from './finding.ts';
import { isSameText } from './finding.ts';
import { filesOfRemoved, standingFiles } from './standing-files.ts';
import { plansAtOtherPaths, plansElsewhere } from './misplaced-plans.ts';
import { plannedFiles } from './planned-files.ts';

/** What is wrong with the committed files. */
export interface Judged {
  /** What a run that writes mends. */
  findings: Finding[];
  /** What no run mends: errors; and warnings. */
  diagnostics: Diagnostic[];
}

/**
 * Compares the folder of plans with what the compared states give. It holds a plan and a forecast for each target with a
 * rollout, the plan at base for a target that does not change, and nothing for a target that is gone. Correct files are not
 * in the result.
 */
export function judgeCommitted(committed: Committed & { host: CompilerHost }): Judged {
  const { compiled } = committed;
  const findings: Finding[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const change of compiled.changes) {
    if (change.plan !== undefined) findings.push(...plannedFiles(committed, change, change.plan));
    else if (change.action === 'Delete') findings.push(...filesOfRemoved(committed, change));
    else {
      const kept = standingFiles(committed, change);
      findings.push(...kept.findings);
      diagnostics.push(...kept.warnings);
    }
  }
  const others = plansAtOtherPaths(committed);
  const summary = summaryFile(committed, findings);
  findings.push(...summary.findings, ...others.findings);
  diagnostics.push(...summary.problems);
  diagnostics.push(...others.problems, ...plansElsewhere(committed));
  return {
    // A plan that lies elsewhere is not missing besides.
    findings: findings.map((each) =>
      each.problem?.code === 'KR3018' && others.movedFrom.has(each.path)
        ? { ...each, problem: undefined }
        : each,
    ),
    diagnostics: [...bounded(diagnostics, compiled.budget), ...compiled.budget.problems()],
  };
}

/** SUMMARY.md: for a run with more plans than forecasts. One that somebody wrote by hand is left alone. */
function summaryFile(
  committed: Committed,
  found: readonly Finding[],
): { findings: Finding[]; problems: Diagnostic[] } {
  const one = (...findings: Finding[]): ReturnType<typeof summaryFile> => ({ findings, problems: [] });
  const { compiled, head, host, read, readAtBase } = committed;
  const { changes, byTarget } = compiled;
  const path = joinPath(head.plans, 'SUMMARY.md');
  const planned = changes.filter(({ plan }) => plan !== undefined);
  const own = found.flatMap((each) => (each.path.endsWith('/plan.yaml') ? (each.accepted ?? []) : []));
  const isLeft = own.every((each) => each === 'left');
  const optional =
    planned.length > 0 && own.length === planned.length
      ? { accepted: isLeft ? ('left' as const) : ('replaced' as const) }
      : {};
  const args = { path: shownPath(host, path), why: 'the change does not have more plans than forecasts' };
  if (planned.some(({ summarized }) => summarized)) {
    const text = summaryMarkdown(changes, (change) => byTarget.get(change.id) ?? []);
    const present = read(path);
    if (isSameText(present, text)) return one();
    if (present !== undefined && !isSummary(present))
      return { findings: [], problems: [diagnostic('KR3026', { path: args.path })] };
    const problem =
      present === undefined
        ? diagnostic('KR3018', { ...args, why: 'it is the summary of the plans of this change' })
        : diagnostic('KR3019', { ...args, why: 'it is not the summary of the plans of this change' });
    return one({ path, text, problem, ...optional });
  }
  const present = host.inspect(path)?.kind === 'file' ? read(path) : undefined;
  if (present === undefined || !isSummary(present)) return one();
  const text = planned.length === 0 ? readAtBase(path) : undefined;
  if (text !== undefined && isSameText(present, text)) return one();
  return one({ path, text, problem: diagnostic('KR3021', args), ...optional });
}
