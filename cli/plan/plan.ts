import { compile } from '../../compiler/compile.ts';
import type { Compiled } from '../../compiler/compile.ts';
import { parseTarget } from '../command/find-target.ts';
import { shellWord } from '../command/shell-word.ts';
import type { Refusal } from '../command/refusal.ts';
import { hasErrors, sortDiagnostics } from '../../compiler/diagnostics/diagnostic.ts';
import { HostError } from '../../compiler/host.ts';
import type { CompilerHost, FileChange } from '../../compiler/host.ts';
import type { Host } from '../host.ts';
import { boundaryOf, shownPath, outsideLink } from '../../compiler/load/files.ts';
import type { RepeatRequest } from '../../compiler/plan/repeat.ts';
import { humanPlan } from '../../compiler/render/human.ts';
import { jsonPlan, markdownPlan, yamlPlans } from '../../compiler/render/machine.ts';
import { movedHere } from '../../compiler/plan/moved.ts';
import { unlistedAtNewer } from '../../compiler/plan/newer-base.ts';
import { outputFiles } from '../../compiler/render/outputs.ts';
import { forTerminal } from '../../compiler/text/escape.ts';
import { paintFor } from '../../compiler/text/paint.ts';
import { isCI } from '../command/ci.ts';
import { exitCode } from '../command/command.ts';
import type { Options, Run } from '../command/command.ts';
import { GitError } from '../git/git-error.ts';
import { comparedStates } from './compared.ts';
import { filesOf } from './files.ts';
import type { Compared } from './states.ts';
import { ignoredText, reportDiagnostics, reportRefusal } from '../command/report.ts';
import { countText } from '../../semantics/values/text.ts';

/** `kruise plan`: compares, prints, and writes the plans unless there is an error, `CI` is set or head is a commit. */
export const runPlan: Run = (host, operands, options) => {
  const again = repeatRequest(options);
  if (again !== undefined && 'problem' in again) {
    reportRefusal(host, 'plan', again);
    return exitCode.error;
  }
  const compared = comparedStates(host, operands, options);
  if ('problem' in compared) {
    reportRefusal(host, 'plan', compared);
    return exitCode.error;
  }
  try {
    return planBetween(host, compared, { operands, options, again });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    reportRefusal(host, 'plan', { problem: error.message, help: error.help });
    return exitCode.error;
  }
};

/** What the user asked for. */
interface Asked {
  operands: readonly string[];
  options: Options;
  again: RepeatRequest | undefined;
}

function planBetween(host: Host, compared: Compared, { operands, options, again }: Asked): number {
  const { head, base, baseHost, earlierPlans, isHistoryCut, newer, whole } = compared;
  for (const note of compared.notes) host.stderr(`${forTerminal(note)}\n`);
  const strict = options['strict'] === true;
  const compiled = compile(compared.host, {
    ...{ head, base, strict },
    ...(baseHost === undefined ? {} : { baseHost }),
    ...(earlierPlans === undefined ? {} : { earlierPlans }),
    ...(isHistoryCut === undefined ? {} : { isHistoryCut }),
    ...(again === undefined ? {} : { again }),
  });
  const isCompared = isCI(host.env) || !compared.isWritable;
  const read = (path: string): string | undefined => readText(compared.host, path, compiled);
  const outputs = outputFiles(compiled, head.plans, read, compared.host, !isCompared);
  const missed = [
    ...(newer === undefined ? [] : unlistedAtNewer(newer, compiled)),
    ...(whole === undefined ? [] : movedHere(whole, compiled)),
  ];
  const diagnostics = sortDiagnostics([...compiled.diagnostics, ...outputs.diagnostics, ...missed]);
  const failed = hasErrors(diagnostics);
  print(host, options, { ...compiled, diagnostics }, failed);
  if (failed) return exitCode.error;

  if (outputs.files.length > 0 && isCompared) {
    listFiles(host, outputs.files, 'would write', 'would remove');
    const count = outputs.files.length;
    const files = count === 1 ? '1 plan file is' : `${count} plan files are`;
    const [because, way] = compared.isWritable
      ? ['CI is set', 'run this without CI']
      : ['head is a commit', 'check it out, run this'];
    host.stderr(
      `${files} missing or out of date; ${because}, so nothing is written\n${way}, and commit the files: ${forTerminal(commandOf(operands, options))}\n`,
    );
    return exitCode.differs;
  }
  if (outputs.files.length > 0) {
    try {
      writeInside(host, outputs.files, head.root);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      host.stderr(
        `kruise plan: the plans cannot be written to ${forTerminal(`${shownPath(host, head.plans)}: ${error.reason}`)}\n`,
      );
      return exitCode.error;
    }
    listFiles(host, outputs.files, 'wrote', 'removed');
  } else if (compiled.changes.some(({ plan }) => plan !== undefined)) {
    host.stderr('plans are up to date\n');
  }
  const changed = compiled.changes.some(({ action }) => action !== 'Unchanged');
  return changed && options['detailed-exitcode'] === true ? exitCode.changes : exitCode.done;
}

/** The command line of this run, reduced to what affects the written files. */
function commandOf(operands: readonly string[], options: Options): string {
  const { out, again, target } = options;
  const args = ['kruise', 'plan', ...operands, ...filesOf(options).flatMap((file) => ['-f', file])];
  for (const name of ['base-file', 'base', 'base-dir'] as const) {
    const value = options[name];
    if (typeof value === 'string') args.push(`--${name}`, value);
  }
  if (out !== 'plans') args.push('--out', String(out));
  if (again === true) args.push('--again');
  if (typeof target === 'string') args.push('--target', target);
  return args.map(shellWord).join(' ');
}

/** The targets of `--again` and `--target`; undefined without them. */
function repeatRequest(options: Options): RepeatRequest | Refusal | undefined {
  const target = options['target'];
  if (typeof target !== 'string') {
    return options['again'] === true ? { kind: undefined, name: undefined, namespace: undefined } : undefined;
  }
  if (options['again'] !== true) {
    const help = 'add --again, or name paths instead';
    return { problem: '--target needs --again', help };
  }
  return parseTarget(target, undefined);
}

/** Writes inside of the root. Refuses a root that is reached by a link out of its boundary. Throws a `HostError`. */
function writeInside(host: Host, files: readonly FileChange[], root: string): void {
  // The loader checks the root as well, but the root may have become a link since.
  const out = outsideLink(host, root, boundaryOf(host, root, host.cwd));
  if (out !== undefined) throw new HostError(`the link ${shownPath(host, out.link)} leads ${out.target}`);
  host.write(files, root);
}

const MOST_LISTED = 20;

function listFiles(host: Host, files: readonly FileChange[], wrote: string, removed: string): void {
  for (const { path, text } of files.slice(0, MOST_LISTED)) {
    host.stderr(`${text === undefined ? removed : wrote} ${forTerminal(shownPath(host, path))}\n`);
  }
  const more = files.length - MOST_LISTED;
  if (more > 0) host.stderr(`… and ${countText(more, 'more file')}\n`);
}

function print(host: Host, options: Options, compiled: Compiled, failed: boolean): void {
  if (options['output'] === 'json') {
    host.stdout(jsonPlan(compiled));
    return;
  }
  reportDiagnostics(host, compiled.diagnostics);
  if (compiled.ignored.size > 0) host.stderr(ignoredText(compiled.ignored));
  if (failed) {
    host.stderr('nothing was written\n');
    return;
  }
  if (options['output'] === 'yaml') host.stdout(yamlPlans(compiled));
  else if (options['output'] === 'markdown') host.stdout(markdownPlan(compiled));
  else host.stdout(humanPlan(compiled.changes, paintFor(host.env, host.stdoutIsTTY)));
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
