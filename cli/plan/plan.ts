import { compile } from '../../compiler/compile.ts';
import type { Compiled } from '../../compiler/compile.ts';
import { parseTarget } from '../command/find-target.ts';
import type { Refusal } from '../command/refusal.ts';
import { hasErrors, sortDiagnostics } from '../../compiler/diagnostics/diagnostic.ts';
import { HostError } from '../../compiler/host.ts';
import type { FileChange } from '../../compiler/host.ts';
import type { Host } from '../host.ts';
import { boundaryOf, fromCwd, shownPath, outsideLink } from '../../compiler/load/files.ts';
import type { RepeatRequest } from '../../compiler/plan/repeat.ts';
import { humanPlan } from '../../compiler/render/human.ts';
import { jsonPlan, markdownPlan, yamlPlans } from '../../compiler/render/machine.ts';
import { outputFiles } from '../../compiler/render/outputs.ts';
import { forTerminal } from '../../compiler/text/escape.ts';
import { paintFor } from '../../compiler/text/paint.ts';
import { exitCode } from '../command/command.ts';
import type { Options, Run } from '../command/command.ts';
import { baseState, headState } from '../files/states.ts';
import { ignoredText, reportDiagnostics, reportRefusal } from '../command/report.ts';

/** `kruise plan`: compares, prints, and writes the plans unless there is an error or `CI` is set. */
export const runPlan: Run = (host, operands, options) => {
  const baseDir = options['base-dir'];
  if (typeof baseDir !== 'string') {
    host.stderr('kruise plan: --base-dir is required: the folder with the state to compare with\n');
    host.stderr('  for example: git worktree add --detach ../base origin/main\n');
    host.stderr('               kruise plan --base-dir ../base\n');
    return exitCode.error;
  }
  if (baseDir.trim() === '') {
    host.stderr('kruise plan: --base-dir is empty: name the folder with the state to compare with\n');
    return exitCode.error;
  }
  if (host.inspect(fromCwd(host, baseDir))?.kind !== 'folder') {
    host.stderr(`kruise plan: --base-dir ${forTerminal(baseDir)} is not a folder\n`);
    return exitCode.error;
  }
  const head = headState(host, operands, String(options['out']));
  if (typeof head === 'string') {
    host.stderr(`kruise plan: ${forTerminal(head)}\n`);
    return exitCode.error;
  }
  const again = againIn(options);
  if (again !== undefined && 'problem' in again) {
    reportRefusal(host, 'plan', again);
    return exitCode.error;
  }
  const base = baseState(host, head, baseDir);
  if (host.inspect(base.root)?.real === host.inspect(head.root)?.real) {
    host.stderr(
      `kruise plan: --base-dir ${forTerminal(baseDir)} is the planned folder itself, so there are no differences\n`,
    );
    return exitCode.error;
  }
  const strict = options['strict'] === true;
  const compiled = compile(host, { head, base, strict, ...(again === undefined ? {} : { again }) });
  const outputs = outputFiles(compiled, head.plans, (path) => readText(host, path, compiled), host);
  const diagnostics = sortDiagnostics([...compiled.diagnostics, ...outputs.diagnostics]);
  const failed = hasErrors(diagnostics);
  print(host, options, { ...compiled, diagnostics }, failed);
  if (failed) return exitCode.error;

  if (outputs.files.length > 0 && isSet(host.env['CI'])) {
    listFiles(host, outputs.files, 'would write', 'would remove');
    const [be, change] =
      outputs.files.length === 1 ? ['1 file', 'is'] : [`${outputs.files.length} files`, 'are'];
    host.stderr(
      `CI is set, so nothing is written; ${be} ${change} out of date, run kruise plan and commit\n`,
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
};

/** What `--again` and `--target` ask for; undefined without them. */
function againIn(options: Options): RepeatRequest | Refusal | undefined {
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

/** Writes inside of the root, unless the root is reached by a link that leads out of its boundary. Throws a `HostError`. */
function writeInside(host: Host, files: readonly FileChange[], root: string): void {
  // The loader judges the root as well, but the root may have become a link since.
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
  if (more > 0) host.stderr(`… and ${more === 1 ? '1 more file' : `${more} more files`}\n`);
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

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== 'false' && value !== '0';
}

/** A file as it stands; undefined where there is none, and once a limit of the run is reached, which is an error then. */
function readText(host: Host, path: string, { budget }: Compiled): string | undefined {
  if (budget.exceeded !== undefined) return undefined;
  try {
    const bytes = host.readFile(path, budget.limits.fileBytes);
    const isWithin = budget.take('files', 1) && budget.take('readBytes', bytes.length);
    return isWithin ? new TextDecoder().decode(bytes) : undefined;
  } catch {
    return undefined;
  }
}
