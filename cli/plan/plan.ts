import type { Budget } from '../../compiler/load/budget.ts';
import { budgetOf, withBudget } from '../budget.ts';
import { judgeCommitted } from '../../compiler/committed/judge.ts';
import type { Judged } from '../../compiler/committed/judge.ts';
import { compile } from '../../compiler/compile.ts';
import type { Compiled } from '../../compiler/compile.ts';
import { checkResultOf, hasErrors, sortDiagnostics } from '../../compiler/diagnostics/diagnostic.ts';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import type { CompilerHost } from '../../compiler/host.ts';
import { isInside, joinPath, shownPath } from '../../compiler/load/files.ts';
import { movedHere } from '../../compiler/plan/moved.ts';
import { unlistedAtNewer } from '../../compiler/plan/newer-base.ts';
import type { RepeatRequest } from '../../compiler/plan/repeat.ts';
import { countText } from '../../semantics/values/text.ts';
import type { IntOrPercent } from '../../semantics/values/int-or-percent.ts';
import { forTerminal } from '../../compiler/text/escape.ts';
import { exitCode } from '../command/command.ts';
import type { Options, Run } from '../command/command.ts';
import { rootReviewOf } from '../../compiler/review/of-roots.ts';
import { parseTarget } from '../command/find-target.ts';
import type { Refusal } from '../command/refusal.ts';
import { shellWord } from '../../compiler/text/shell-word.ts';
import { withRelativePaths } from '../files/relative-paths.ts';
import { GitError } from '../git/git-error.ts';
import { selectRoots } from '../roots/select.ts';
import type { Host } from '../host.ts';
import { checkExitCode, checkProblems, overtakenPlans } from './check.ts';
import { comparedPaths, exclusionProblem, headSource } from './compared.ts';
import { comparedFiles, filesOf, readFiles } from './files.ts';
import { refuse } from './refuse.ts';
import { planRoots } from './roots.ts';
import type { Compared } from './states.ts';
import { fixCommand } from './fix-command.ts';
import { printChecked, printPlan } from './print.ts';
import { purposeOf } from './purpose.ts';
import { listFiles, overwritten, writeFiles } from './write.ts';

/** `kruise plan`: compares two states, prints what changes, and writes, checks or only shows the plans. */
export const runPlan: Run = (host, operands, options) => {
  const repeat = repeatRequest(options);
  if (repeat !== undefined && 'problem' in repeat) return refuse(host, repeat, options);
  const goingBack = returnLimit(options);
  if (typeof goingBack === 'object') return refuse(host, goingBack, options);
  const budget = budgetOf(host, options);
  if ('problem' in budget) return refuse(host, budget, options);
  try {
    const own = withBudget(withRelativePaths(host), budget);
    return planStates(own, { operands, options, repeat, goingBack, budget });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return refuse(host, { problem: error.message, help: error.help }, options);
  }
};

/** Plans the files, the roots of kruise.yaml or the paths that the operands and options name. Throws a `GitError`. */
function planStates(host: Host, asked: Asked): number {
  const { operands, options, budget } = asked;
  const planOne = (own: Host, compared: Compared | Refusal): number =>
    'problem' in compared ? refuse(own, compared, options) : planBetween(own, compared, asked);
  const problem = exclusionProblem(options);
  if (problem !== undefined) return refuse(host, problem, options);
  const files = readFiles(host, operands, options);
  if (files !== undefined)
    return planOne(host, 'problem' in files ? files : comparedFiles(host, files, options, budget));
  const source = headSource(host, options);
  const paths = [...operands, ...filesOf(options)];
  const roots = selectRoots(source.host, paths, String(options['out']), budget);
  if (roots === undefined) return planOne(host, comparedPaths(host, source, paths, options, budget));
  if ('problem' in roots) return refuse(host, roots, options);
  return planRoots(host, source, roots, asked, planOne);
}

/** What the user asked for. */
interface Asked {
  operands: readonly string[];
  options: Options;
  repeat: RepeatRequest | undefined;
  goingBack: IntOrPercent | undefined;
  /** What the run may read. */
  budget: Budget;
}

function planBetween(host: Host, compared: Compared, asked: Asked): number {
  const { options } = asked;
  const { repeat, goingBack } =
    compared.isAskedElsewhere === true ? { repeat: undefined, goingBack: undefined } : asked;
  const purpose = purposeOf(host, options, compared);
  if ('problem' in purpose) return refuse(host, purpose, options);
  const isNamed = asked.operands.length + filesOf(options).length > 0;
  if (compared.olderBase !== undefined && (purpose.do === 'check' || !isNamed)) throw compared.olderBase;
  const { head, base, baseHost, earlierPlans, isHistoryCut, newer, whole } = compared;
  for (const note of compared.notes) host.stderr(`${forTerminal(note)}\n`);
  const compiled = compile(compared.host, {
    ...{ head, base, strict: options['strict'] === true, isPart: compared.isPart === true },
    budget: asked.budget,
    onPlanned: (done, of) => host.progress?.(() => `planning: ${done} of ${countText(of, 'workload')}`),
    ...(baseHost === undefined ? {} : { baseHost }),
    ...(earlierPlans === undefined ? {} : { earlierPlans }),
    ...(isHistoryCut === undefined ? {} : { isHistoryCut }),
    whole,
    ...(compared.otherRoots === undefined ? {} : { otherRoots: compared.otherRoots }),
    ...(repeat === undefined ? {} : { repeat }),
    ...(goingBack === undefined ? {} : { goingBack }),
  });
  if (compiled.diagnostics.some(({ code }) => UNMET.has(code))) compared.onUnmet?.();
  if (compiled.isHistoryCut && isHistoryCut !== true) host.stderr(HISTORY_MISSING);
  const judged = judge(host, compared, compiled);
  const isSame =
    judged.findings.length === 0 &&
    compiled.atOnce.length === 0 &&
    compiled.changes.every(({ action }) => action === 'Unchanged');
  const older = isSame ? compared.ifUnchanged?.() : undefined;
  if (older !== undefined) host.stderr(`${forTerminal(older)}\n`);
  const missed = [
    ...(newer === undefined ? [] : unlistedAtNewer(newer, compiled)),
    ...(whole === undefined ? [] : movedHere(whole, compiled)),
    ...compiled.budget.problems(),
  ];
  const isStaged = options['staged'] === true;
  // What a revert has taken back with the manifest is left as it is: it needs no plan.
  const wrong = judged.findings.filter(({ accepted }) => accepted !== 'left');
  const unmended =
    purpose.do === 'check' ? [] : overwritten(host, isStaged ? compared.host : undefined, wrong);
  const left = [...(compared.hidden ?? []), ...compiled.hidden];
  const hidden =
    purpose.do === 'check'
      ? left
      : left.map((each) => (each.code === 'KR3035' ? { ...each, severity: 'warning' as const } : each));
  const others = [...compiled.diagnostics, ...judged.diagnostics, ...missed, ...hidden];
  // Nothing is overwritten if there is an error.
  const isRefused = hasErrors([...others, ...unmended]);
  const diagnostics = [...others, ...unmended.filter(({ code }) => !isRefused || code !== 'KR3010')];
  const found = { ...compiled, diagnostics: sortDiagnostics(diagnostics) };
  if (purpose.do === 'check') return check(host, compared, found, judged, asked, purpose.reason);
  const files = wrong.map(({ path, text }) => ({ path, text }));
  printPlan(host, options, found, files);
  if (hasErrors(found.diagnostics)) return exitCode.error;
  compared.onReviewed?.(rootReviewOf(found, '', options['output'] === 'html'));
  for (const { message, help } of overtaken(host, compared, compiled, asked))
    host.stderr(`${forTerminal(message)}; ${forTerminal(help)}\n`);
  if (purpose.do === 'print') {
    listFiles(host, wrong, 'would write', 'would remove');
    if (files.length > 0) host.stderr(`nothing was written: ${purpose.reason}\n`);
  } else if (!writeFiles(host, wrong, head)) {
    return exitCode.error;
  } else if (files.length > 0 && isStaged) {
    host.stderr(`stage them, too: git add ${forTerminal(shellWord(shownPath(host, head.plans)))}\n`);
  } else if (files.length === 0 && compiled.changes.some(({ plan }) => plan !== undefined)) {
    host.stderr('plans are up to date\n');
  }
  return codeOf(compiled, options);
}

/** What a check says of plans that the branch has overtaken since. */
function overtaken(
  host: Host,
  compared: Compared,
  compiled: Compiled,
  { operands, options }: Asked,
): Diagnostic[] {
  const { tip } = compared;
  const fix = fixCommand(host, compared, operands, options);
  return tip === undefined ? [] : overtakenPlans(compiled, compared, tip, fix);
}

/** Nothing is there to plan again, to continue, or to limit on its way back. */
const UNMET: ReadonlySet<string> = new Set(['KR3011', 'KR3029', 'KR3030']);

const HISTORY_MISSING =
  'this partial clone lacks earlier versions of the plans, so they are not looked up; to have them: git fetch --refetch --no-filter\n';

/** Compares the committed plans with those of this run. Writes nothing. */
function check(
  host: Host,
  compared: Compared,
  compiled: Compiled,
  { findings }: Judged,
  asked: Asked,
  whyChecked: string | undefined,
): number {
  const { operands, options } = asked;
  const { tip } = compared;
  const fix = fixCommand(host, compared, operands, options);
  const isKnown = !hasErrors(compiled.diagnostics);
  const problems = isKnown
    ? sortDiagnostics([
        ...checkProblems(findings, fix, tip?.branch),
        ...overtaken(host, compared, compiled, asked),
      ])
    : // What was edited is wrong whatever the manifests would give.
      sortDiagnostics(checkProblems(findings, fix, undefined).filter(isOfIntegrity));
  const errors = [...compiled.diagnostics, ...problems];
  const code = hasErrors(errors) ? checkExitCode(errors) : exitCode.done;
  const what = isKnown ? 'the committed plans are not those of this change' : 'the check failed';
  const verdict = `${what} (exit code ${code})`;
  const failure = printChecked(host, options, compiled, problems, findings, verdict);
  if (isKnown) compared.onReviewed?.(rootReviewOf(compiled, failure, options['output'] === 'html'));
  if (code === exitCode.done) return codeOf(compiled, options);
  const reason = whyChecked === undefined ? '' : `; ${whyChecked}, so nothing is written`;
  host.stderr(`${verdict}${reason}\n`);
  return code;
}

function isOfIntegrity(found: Diagnostic): boolean {
  return checkResultOf(found) === 'integrity';
}

function judge(host: Host, { host: headHost, head, base, baseHost }: Compared, compiled: Compiled): Judged {
  // A root of kruise.yaml may have had another name at base.
  const atBase = (path: string): string => joinPath(base.plans, `./${path.slice(head.plans.length)}`);
  // Without the folder of plans, each file in it would be one more that does not exist.
  const isEmpty = headHost.inspect(head.plans) === undefined;
  return judgeCommitted({
    ...{ compiled, head, host: headHost },
    read: (path) =>
      isEmpty && isInside(path, head.plans)
        ? undefined
        : (compiled.textsAtHead.get(path) ?? readText(headHost, path, compiled)),
    readAtBase: (path) => readText(baseHost ?? host, atBase(path), compiled),
  });
}

function codeOf({ changes, atOnce }: Compiled, options: Options): number {
  const isChanged = atOnce.length > 0 || changes.some(({ action }) => action !== 'Unchanged');
  return isChanged && options['detailed-exitcode'] === true ? exitCode.changes : exitCode.done;
}

/** The targets of `--again` or `--continue`, and `--target`; undefined without them. */
function repeatRequest(options: Options): RepeatRequest | Refusal | undefined {
  const { target, again, continue: isContinued } = options;
  if (again === true && isContinued === true)
    return { problem: '--again and --continue exclude each other', help: 'leave one of them out' };
  const how = again === true ? 'again' : 'continue';
  const isAsked = again === true || isContinued === true;
  if (typeof target !== 'string')
    return isAsked ? { how, kind: undefined, name: undefined, namespace: undefined } : undefined;
  if (!isAsked) {
    const help = 'add --again or --continue, or name paths instead';
    return { problem: '--target needs --again or --continue', help };
  }
  const parsed = parseTarget(target, undefined);
  return 'problem' in parsed ? { ...parsed, problem: `--target: ${parsed.problem}` } : { how, ...parsed };
}

/** The limit of `--going-back`; undefined without it. */
function returnLimit({ 'going-back': limit }: Options): IntOrPercent | Refusal | undefined {
  if (typeof limit !== 'string') return undefined;
  const isPercent = /^([1-9][0-9]?|100)%$/.test(limit);
  if (isPercent || /^[1-9][0-9]{0,8}$/.test(limit)) return isPercent ? limit : Number(limit);
  return {
    problem: `--going-back needs how many pods change at a time, not ${limit}`,
    help: 'a number above 0, or a percentage from 1% to 100%: --going-back 25%',
  };
}

/** The content of a file; undefined if it does not exist. Reaching a limit of the run is an error. */
function readText(host: CompilerHost, path: string, { budget }: Compiled): string | undefined {
  if (budget.exceeded !== undefined) return undefined;
  try {
    const bytes = host.readFile(path, budget.limits.fileBytes);
    const isWithin = budget.take('files', 1) && budget.take('readBytes', bytes.length);
    return isWithin ? new TextDecoder().decode(bytes) : undefined;
  } catch {
    return undefined;
  }
}
