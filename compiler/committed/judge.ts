import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { nameBudget } from '../forecast/names.ts';
import { simulationBudget } from '../forecast/simulation-cost.ts';
import type { CompilerHost } from '../host.ts';
import { bounded } from '../load/findings.ts';
import type { Committed, Finding } from './finding.ts';
import { filesOfRemoved, standingFiles } from './standing-files.ts';
import { plansAtOtherPaths, plansElsewhere } from './misplaced-plans.ts';
import { oldSummary } from './old-summary.ts';
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
  const budgets = { simulated: simulationBudget(), named: nameBudget() };
  for (const change of compiled.changes) {
    if (change.plan !== undefined) findings.push(...plannedFiles(committed, change, change.plan, budgets));
    else if (change.action === 'Delete') findings.push(...filesOfRemoved(committed, change));
    else {
      const kept = standingFiles(committed, change);
      findings.push(...kept.findings);
      diagnostics.push(...kept.warnings);
    }
  }
  const others = plansAtOtherPaths(committed);
  findings.push(...oldSummary(committed), ...others.findings);
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
