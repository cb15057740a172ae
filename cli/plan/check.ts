import type { Finding } from '../../compiler/committed/finding.ts';
import { targetName } from '../../compiler/committed/finding.ts';
import type { Compiled } from '../../compiler/compile.ts';
import type { CheckResult } from '../../compiler/diagnostics/definition.ts';
import { checkResultOf, diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import type { CompilerHost } from '../../compiler/host.ts';
import { joinPath, shownPath } from '../../compiler/load/files.ts';
import type { State } from '../../compiler/load/manifests.ts';
import { readPlan, targetId } from '../../compiler/plan/read-plans.ts';
import { planPath } from '../../compiler/plan/target.ts';
import { exitCode } from '../command/command.ts';
import { shellWord } from '../../compiler/text/shell-word.ts';
import { type Fix, fixHelp } from './fix-command.ts';
import type { BranchTip } from './states.ts';

/** The problems of a check, each with the command that mends it. `branch`: what head lacks the newest commits of. */
export function checkProblems(
  findings: readonly Finding[],
  fix: Fix,
  branch: string | undefined,
): Diagnostic[] {
  return findings.flatMap(({ problem, optional }) => {
    if (problem === undefined || optional === true) return [];
    // The base is the wrong one: the plan is not to be written anew.
    if (problem.code === 'KR3014') return [problem];
    const isStale = checkResultOf(problem) === 'stale';
    const help = isStale && branch !== undefined ? afterRebase(branch, fix) : fixHelp(fix);
    return [{ ...problem, help }];
  });
}

function afterRebase(baseName: string, fix: Fix): string {
  return fixHelp({ ...fix, command: `git rebase ${shellWord(baseName)} && ${fix.command}` });
}

/** Plans of this change whose target got another plan on the branch since: they would not list what that one leads to. */
export function overtakenPlans(
  { changes, plansAtBase }: Compiled,
  { branch, read }: BranchTip,
  head: State,
  host: CompilerHost,
  fix: Fix,
): Diagnostic[] {
  return changes.flatMap((change) => {
    if (change.plan === undefined) return [];
    const path = joinPath(head.plans, planPath(change));
    const newest = read(path);
    if (newest === undefined || newest === plansAtBase.get(change.id)?.source.text) return [];
    // One that was edited there has had no effect.
    const { plan } = readPlan({ file: path, text: newest });
    if (plan === undefined || targetId(plan) !== change.id) return [];
    const why = `${branch} has a newer plan of ${targetName(change)}`;
    const found = diagnostic('KR3020', { path: shownPath(host, path), why });
    return [{ ...found, help: afterRebase(branch, fix) }];
  });
}

/** The most basic result counts: a check that cannot be made, then plans that were tampered with. */
const ORDER: readonly (CheckResult | undefined)[] = [undefined, 'integrity', 'refused', 'stale', 'differs'];

/** The exit code of a check that found errors. */
export function checkExitCode(found: readonly Diagnostic[]): number {
  const errors = found.filter(({ severity }) => severity === 'error').map(checkResultOf);
  const worst = ORDER.find((result) => errors.includes(result));
  return worst === undefined ? exitCode.error : exitCode[worst];
}
