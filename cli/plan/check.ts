import type { Finding } from '../../compiler/committed/finding.ts';
import type { Compiled } from '../../compiler/compile.ts';
import type { CheckResult } from '../../compiler/diagnostics/definition.ts';
import { checkResultOf, diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import { joinPath, shownPath } from '../../compiler/load/files.ts';
import { changedMeanwhile } from '../../compiler/plan/changed-meanwhile.ts';
import { planPath } from '../../compiler/plan/target.ts';
import { shellWord } from '../../compiler/text/shell-word.ts';
import { exitCode } from '../command/command.ts';
import { type Fix, fixHelp } from './fix-command.ts';
import type { BranchTip, Compared } from './states.ts';

/** The problems of a check, each with the command that mends it. `branch`: what head lacks the newest commits of. */
export function checkProblems(
  findings: readonly Finding[],
  fix: Fix,
  branch: string | undefined,
): Diagnostic[] {
  return findings.flatMap(({ problem, accepted, continues }) => {
    if (problem === undefined || accepted !== undefined) return [];
    // The base is the wrong one: the plan is not to be written anew.
    if (problem.code === 'KR3014') return [problem];
    const isStale = checkResultOf(problem) === 'stale';
    const help =
      isStale && branch !== undefined
        ? afterRebase(branch, fix)
        : continues === undefined || fix.isRepeat
          ? fixHelp(fix)
          : `for the limits that it has now, ${fixHelp(continued(fix, continues))}; to keep the plan of base: ${fix.command}`;
    return [{ ...problem, help }];
  });
}

/** The command that continues one plan. */
function continued(fix: Fix, target: string): Fix {
  return { ...fix, command: `${fix.command} --continue --target ${shellWord(target)}` };
}

function afterRebase(baseName: string, fix: Fix): string {
  return fixHelp({ ...fix, before: [...fix.before, ['git', 'rebase', baseName]] });
}

/** Plans of this change that a merge would make wrong, for what the branch that it goes to did since head left it. */
export function overtakenPlans(
  compiled: Compiled,
  { host, head, base, baseHost = host }: Compared,
  { branch, host: hostOfTip, state }: BranchTip,
  fix: Fix,
): Diagnostic[] {
  const planned = compiled.changes.filter(({ plan }) => plan !== undefined);
  if (planned.length === 0) return [];
  const whyOf = changedMeanwhile({
    head: { host, state: head },
    base: { host: baseHost, state: base },
    tip: { host: hostOfTip(), state, branch },
    plansAtBase: compiled.plansAtBase,
    budget: compiled.budget,
  });
  const found = planned.flatMap((change) => {
    const why = whyOf(change);
    if (why === undefined) return [];
    const path = shownPath(host, joinPath(head.plans, planPath(change)));
    return [{ ...diagnostic('KR3020', { path, why }), help: afterRebase(branch, fix) }];
  });
  // Then it is not known what the branch has.
  return [...found, ...compiled.budget.problems()];
}

/** The most basic result counts: a check that cannot be made, then plans that were tampered with. */
const ORDER: readonly (CheckResult | undefined)[] = [undefined, 'integrity', 'refused', 'stale', 'differs'];

/** The exit code of a check that found errors. */
export function checkExitCode(found: readonly Diagnostic[]): number {
  const errors = found.filter(({ severity }) => severity === 'error').map(checkResultOf);
  const worst = ORDER.find((result) => errors.includes(result));
  return worst === undefined ? exitCode.error : exitCode[worst];
}
