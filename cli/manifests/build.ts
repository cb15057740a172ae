import type { Budget } from '../../compiler/load/budget.ts';
import { createBudget } from '../../compiler/load/budget.ts';
import type { BuiltFile } from '../../compiler/build/documents.ts';
import { buildPlain } from '../../compiler/build/lower.ts';
import { buildSidecars } from '../../compiler/build/sidecars.ts';
import { protectionLines, verdictLines, verdictSummary } from '../../compiler/build/verdict-text.ts';
import { hasErrors, sortDiagnostics } from '../../compiler/diagnostics/diagnostic.ts';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import { fromCwd, isInside, joinPath, shownPath } from '../../compiler/load/files.ts';
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
import { areApart } from './apart.ts';
import { builtSources, RENDERED_FILE } from './sources.ts';
import { printFiles, reportDifferences, reportNotIgnored, reportUnbuilt, writeFiles } from './output.ts';

/** `kruise build`: the manifests as kinds of Kubernetes, or with the sidecars in their templates. */
export const runBuild: Run = (machine, operands, options) => {
  const host = withRelativePaths(machine);
  const budget = createBudget();
  const asked = readRequests(host, operands, options, budget);
  if ('problem' in asked) return refuse(host, asked);
  const { requests } = asked;
  const all = requests.map((request): Built => {
    const built =
      options['sidecars'] === true ? withSidecars(host, request, budget) : asPlain(host, request, budget);
    return { ...built, ...request, files: namedFiles(built.files, request) };
  });
  const diagnostics = sortDiagnostics([...asked.diagnostics, ...all.flatMap((each) => each.diagnostics)]);
  reportDiagnostics(host, diagnostics);
  if (hasErrors(diagnostics)) {
    host.stderr('kruise build: nothing was written\n');
    return exitCode.error;
  }
  for (const note of all.flatMap(({ notes }) => notes)) host.stderr(`kruise build: ${forTerminal(note)}\n`);
  return options['check'] === true ? compared(host, all) : written(host, all, budget);
};

/** Compares the folders with their sources. */
function compared(host: Host, all: readonly Built[]): number {
  const differing = all.filter(
    ({ state, out, files }) => out !== undefined && reportDifferences(host, state, out, files),
  );
  if (differing.length > 0) return exitCode.differs;
  for (const { out = '' } of all)
    host.stderr(`${forTerminal(`${shownPath(host, out)} is what the source gives`)}\n`);
  return exitCode.done;
}

/** Writes all folders or none, or prints the one stream. */
function written(host: Host, all: readonly Built[], budget: Budget): number {
  const folders = all.flatMap(({ state, out, files }) => (out === undefined ? [] : [{ state, out, files }]));
  const refusal = writeFiles(host, folders);
  if (refusal !== undefined) return refuse(host, refusal);
  for (const { state, out, files, summary } of all) {
    if (out === undefined) printFiles(host, files);
    const where = out === undefined ? '' : `, ${countText(files.length, 'file')} in ${shownPath(host, out)}`;
    host.stderr(`${forTerminal(`${summary}${where}`)}\n`);
    if (out === undefined) continue;
    reportUnbuilt(host, state, out, files);
    reportNotIgnored(host, state, out, files, budget);
  }
  return exitCode.done;
}

/** What a command prints has no path, and gets one where it is written. */
function namedFiles(files: readonly BuiltFile[], { state, out }: Request): readonly BuiltFile[] {
  if (out === undefined) return files;
  const path = joinPath(state.root, `./${RENDERED_FILE}`);
  return files.map((file) => (file.path === undefined ? { ...file, path } : file));
}

/** What both ways to build give. */
interface Result {
  files: readonly BuiltFile[];
  diagnostics: readonly Diagnostic[];
  notes: readonly string[];
  summary: string;
}

interface Built extends Result, Request {}

function withSidecars(host: Host, { state, namespace, out }: Request, budget: Budget): Result {
  const built = buildSidecars(host, state, namespace, budget, out === undefined);
  return {
    ...built,
    summary: `sidecars in ${built.changed} of ${countText(built.templates, 'template')}`,
  };
}

function asPlain(host: Host, { state, namespace, strict, out }: Request, budget: Budget): Result {
  const isShown = out === undefined;
  const { protection, gates, ...built } = buildPlain(
    host,
    state,
    { before: builtBefore(host, state, out), namespace, strict, isShown },
    budget,
  );
  const { files, diagnostics, verdicts } = built;
  const notes = [...verdictLines(verdicts), ...gates, ...protectionLines(protection)];
  return { files, diagnostics, notes, summary: verdictSummary(verdicts) };
}

/** The folder as the last build has written it; undefined: it is not there. */
function builtBefore(host: Host, { plans }: State, out: string | undefined): State | undefined {
  const isThere = out !== undefined && host.inspect(out)?.kind === 'folder';
  return isThere ? { root: out, paths: [out], plans } : undefined;
}

interface Request {
  state: State;
  namespace: string;
  /** An absolute folder; undefined: standard output. */
  out: string | undefined;
  strict: boolean;
}

/** What the operands name, or without any the sources of the roots of kruise.yaml. */
function readRequests(
  host: Host,
  operands: readonly string[],
  options: Options,
  budget: Budget,
): { requests: readonly Request[]; diagnostics: readonly Diagnostic[] } | Refusal {
  const isAllowed = options['allow-render'] === true;
  const isBare = operands.length === 0 && options['out'] === undefined;
  const found = isBare ? builtSources(host, isAllowed, budget) : undefined;
  if (found === undefined) {
    const request = readRequest(host, operands, options, budget);
    return 'problem' in request ? request : { requests: [request], diagnostics: [] };
  }
  if ('problem' in found) return found;
  const { sources, diagnostics } = found;
  const [namespace, strict] = [String(options['namespace']), options['strict'] === true];
  return { requests: sources.map((source) => ({ ...source, namespace, strict })), diagnostics };
}

function readRequest(
  host: Host,
  operands: readonly string[],
  options: Options,
  budget: Budget,
): Request | Refusal {
  const checks = options['check'] === true;
  const strict = options['strict'] === true;
  if (checks && options['out'] === undefined)
    return {
      problem: '--check needs --out',
      help: 'name the folder that an earlier build has written, or give roots in kruise.yaml a source',
    };
  if (strict && options['sidecars'] === true)
    return {
      problem: '--strict is about kinds of Kubernetes, and --sidecars builds none',
      help: 'leave out one',
    };
  const hasStdin = operands.includes(STDIN);
  if (hasStdin && (operands.length > 1 || options['out'] !== undefined))
    return { problem: '- takes neither paths nor --out beside it', help: 'read and write one stream' };
  const state = headState(host, hasStdin ? [] : operands, 'plans', budget, (_host, named) => named);
  if ('problem' in state) return state;
  const namespace = String(options['namespace']);
  if (!hasStdin) {
    const out = outFolder(host, state, options['out']);
    return typeof out === 'object' ? out : { state, namespace, out, strict };
  }
  const given = readStream(host, STDIN, false);
  return 'problem' in given
    ? given
    : { state: { ...state, paths: [], given: [given] }, namespace, out: undefined, strict };
}

/** A folder that holds nothing of the input: the next run would read what this one has written. */
function outFolder(host: Host, { paths }: State, value: Options[string]): string | undefined | Refusal {
  if (typeof value !== 'string') return undefined;
  const out = fromCwd(host, value);
  const shown = shownPath(host, out);
  if (!isInside(out, host.cwd) || out === host.cwd)
    return { problem: `--out ${shown} is not below the working directory`, help: 'name a folder below it' };
  const above = paths.find((path) => !areApart(host, out, path));
  if (above === undefined) return out;
  return {
    problem: `--out ${shown} and the manifests in ${shownPath(host, above)} are not apart`,
    help: 'name the folder of the manifests as PATH, and a folder beside it with --out',
  };
}

function refuse(host: Host, refusal: Refusal): number {
  reportRefusal(host, 'build', refusal);
  return exitCode.error;
}
