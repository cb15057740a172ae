import type { Budget } from '../../compiler/load/budget.ts';
import { createBudget } from '../../compiler/load/budget.ts';
import { buildSidecars, type Built } from '../../compiler/build/sidecars.ts';
import { hasErrors, sortDiagnostics } from '../../compiler/diagnostics/diagnostic.ts';
import { HostError } from '../../compiler/host.ts';
import { findFiles, fromCwd, isInside, joinPath, shownPath } from '../../compiler/load/files.ts';
import type { State } from '../../compiler/load/manifests.ts';
import { forTerminal } from '../../compiler/text/escape.ts';
import { countText } from '../../semantics/values/text.ts';
import { exitCode, type Options, type Run } from '../command/command.ts';
import { reportDiagnostics, reportRefusal } from '../command/report.ts';
import type { Refusal } from '../command/refusal.ts';
import { headState } from '../files/states.ts';
import { readStream, STDIN } from '../files/streams.ts';
import type { Host } from '../host.ts';
import { withRelativePaths } from '../files/relative-paths.ts';
import { withoutTrailing } from '../../semantics/values/text.ts';

/** `kruise build`: the manifests with the sidecars in their templates, to standard output or below a folder. */
export const runBuild: Run = (machine, operands, options) => {
  const host = withRelativePaths(machine);
  const budget = createBudget();
  const request = readRequest(host, operands, options, budget);
  if ('problem' in request) return refuse(host, request);
  const { state, out } = request;
  const built = buildSidecars(host, state, request.namespace, budget, out === undefined);
  const diagnostics = sortDiagnostics(built.diagnostics);
  reportDiagnostics(host, diagnostics);
  if (hasErrors(diagnostics)) {
    host.stderr('kruise build: nothing was written\n');
    return exitCode.error;
  }
  for (const note of built.notes) host.stderr(`kruise build: ${forTerminal(note)}\n`);
  const refusal = out === undefined ? print(host, built) : write(host, state, out, built);
  if (refusal !== undefined) return refuse(host, refusal);
  const where =
    out === undefined ? '' : `, ${countText(built.files.length, 'file')} in ${shownPath(host, out)}`;
  host.stderr(
    forTerminal(`sidecars in ${built.changed} of ${countText(built.templates, 'template')}${where}`),
  );
  host.stderr('\n');
  if (out !== undefined) reportOthers(host, state, out, built);
  return exitCode.done;
};

interface Request {
  state: State;
  namespace: string;
  /** An absolute folder; undefined: standard output. */
  out: string | undefined;
}

function readRequest(
  host: Host,
  operands: readonly string[],
  options: Options,
  budget: Budget,
): Request | Refusal {
  if (options['sidecars'] !== true)
    return { problem: 'there is nothing to build', help: 'add --sidecars to write sidecars into templates' };
  const hasStdin = operands.includes(STDIN);
  if (hasStdin && (operands.length > 1 || options['out'] !== undefined))
    return { problem: '- takes neither paths nor --out beside it', help: 'read and write one stream' };
  const state = headState(host, hasStdin ? [] : operands, 'plans', budget, (_host, named) => named);
  if ('problem' in state) return state;
  const namespace = String(options['namespace']);
  if (!hasStdin) {
    const out = outFolder(host, state, options['out']);
    return typeof out === 'object' ? out : { state, namespace, out };
  }
  const given = readStream(host, STDIN, false);
  return 'problem' in given
    ? given
    : { state: { ...state, paths: [], given: [given] }, namespace, out: undefined };
}

/** A folder that holds nothing of the input: the next run would read what this one has written. */
function outFolder(host: Host, { paths }: State, value: Options[string]): string | undefined | Refusal {
  if (typeof value !== 'string') return undefined;
  const out = fromCwd(host, value);
  const shown = shownPath(host, out);
  if (!isInside(out, host.cwd) || out === host.cwd)
    return { problem: `--out ${shown} is not below the working directory`, help: 'name a folder below it' };
  const above = paths.find((path) => isInside(out, path) || isInside(path, out));
  if (above === undefined) return out;
  return {
    problem: `--out ${shown} and the manifests in ${shownPath(host, above)} are not apart`,
    help: 'name the folder of the manifests as PATH, and a folder beside it with --out',
  };
}

function print(host: Host, { files }: Built): undefined {
  const texts = files.map(({ text }) => `${withoutTrailing(text.replace(/^---[^\S\n]*\n/, ''), '\n')}\n`);
  host.stdout(texts.filter((text) => text !== '\n').join('---\n'));
}

/** Where the files of a build are written. */
function changesOf({ root }: State, out: string, { files }: Built): { path: string; text: string }[] {
  return files.flatMap(({ path, text }) =>
    path === undefined ? [] : [{ path: joinPath(out, `./${path.slice(root.length)}`), text }],
  );
}

const MOST_NAMES = 5;

/** Names manifests of the folder that are not of this build: whoever applies the folder applies them, too. */
function reportOthers(host: Host, state: State, out: string, built: Built): void {
  if (host.inspect(out) === undefined) return;
  const own = new Set(changesOf(state, out, built).map(({ path }) => path));
  const others = findFiles(host, out, out, {}).files.filter(({ path }) => !own.has(path));
  if (others.length === 0) return;
  const names = others.slice(0, MOST_NAMES).map(({ path }) => shownPath(host, path));
  const more = others.length > MOST_NAMES ? ` and ${others.length - MOST_NAMES} more` : '';
  const verb = others.length === 1 ? 'was' : 'were';
  const text = `${shownPath(host, out)} holds ${countText(others.length, 'manifest')} that ${verb} not built now: ${names.join(', ')}${more}. Delete each whose source is gone`;
  host.stderr(`kruise build: ${forTerminal(text)}\n`);
}

function write(host: Host, state: State, out: string, built: Built): Refusal | undefined {
  try {
    host.write(changesOf(state, out, built), host.cwd);
    return undefined;
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return {
      problem: `${shownPath(host, out)} cannot be written: ${error.reason}`,
      help: 'nothing was written',
    };
  }
}

function refuse(host: Host, refusal: Refusal): number {
  reportRefusal(host, 'build', refusal);
  return exitCode.error;
}
