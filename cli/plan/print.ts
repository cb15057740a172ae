import type { Finding } from '../../compiler/committed/finding.ts';
import type { Compiled } from '../../compiler/compile.ts';
import { hasErrors, sortDiagnostics } from '../../compiler/diagnostics/diagnostic.ts';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import { pageHash } from '../page-hash.ts';
import type { FileChange } from '../../compiler/host.ts';
import { shownPath } from '../../compiler/load/files.ts';
import { failedCheckMarkdown } from '../../compiler/review/problems-markdown.ts';
import { shownProblem } from '../../compiler/diagnostics/shown.ts';
import { humanPlan } from '../../compiler/render/human.ts';
import { jsonPlan, markdownPlan, yamlPlans } from '../../compiler/render/machine.ts';
import { htmlPage } from '../../compiler/render/page/page.ts';
import { forTerminal } from '../../compiler/text/escape.ts';
import { paintFor } from '../../compiler/text/paint.ts';
import type { Options } from '../command/command.ts';
import { ignoredText, reportDiagnostics } from '../command/report.ts';
import type { Host } from '../host.ts';

/** Prints what a run found: the problems, then the changes. Changes are not known if there is an error. */
export function printPlan(
  host: Host,
  options: Options,
  compiled: Compiled,
  files: readonly FileChange[],
): void {
  if (options['output'] === 'json') {
    // Nothing is written then: what would be is not known.
    host.stdout(jsonPlan(compiled, hasErrors(compiled.diagnostics) ? [] : outputFiles(host, files)));
    return;
  }
  reportDiagnostics(host, compiled.diagnostics);
  if (compiled.ignored.size > 0) host.stderr(ignoredText(compiled.ignored));
  if (hasErrors(compiled.diagnostics)) host.stderr('nothing was written\n');
  else printChanges(host, options, compiled);
}

/**
 * Prints the same for a check, with what is wrong with the committed plans last. A page of Markdown begins with that instead: it is
 * read without standard error. Returns that beginning.
 *
 * @param verdict what a failed check says, as one clause
 */
export function printChecked(
  host: Host,
  options: Options,
  compiled: Compiled,
  problems: readonly Diagnostic[],
  findings: readonly Finding[],
  verdict: string,
): string {
  if (options['output'] === 'json') {
    const diagnostics = sortDiagnostics([...compiled.diagnostics, ...problems]);
    const isKnown = !hasErrors(compiled.diagnostics);
    const wrong = findings.filter(({ accepted }) => isKnown && accepted === undefined);
    host.stdout(jsonPlan({ ...compiled, diagnostics }, outputFiles(host, wrong), isKnown));
    return '';
  }
  reportDiagnostics(host, compiled.diagnostics);
  if (compiled.ignored.size > 0) host.stderr(ignoredText(compiled.ignored));
  const isKnown = !hasErrors(compiled.diagnostics);
  const errors = [...compiled.diagnostics, ...problems].filter(({ severity }) => severity === 'error');
  const failure =
    options['output'] === 'markdown' && errors.length > 0
      ? failedCheckMarkdown(verdict, sortDiagnostics(errors).map(shownProblem))
      : '';
  if (!isKnown) host.stdout(failure);
  else printChanges(host, options, compiled, failure === '' ? '' : `${failure}\n`);
  if (!isKnown && problems.length === 0) return failure;
  if (problems.length > 0) reportProblems(host, problems);
  if (!hasErrors(problems)) host.stderr('the committed plans are those of this change\n');
  return failure;
}

/** One command mends most problems of a check: what several have in common is printed once, after them. */
export function reportProblems(host: Host, problems: readonly Diagnostic[]): void {
  const counts = new Map<string, number>();
  for (const { help } of problems) counts.set(help, (counts.get(help) ?? 0) + 1);
  const shared = [...counts].filter(([, count]) => count > 1);
  reportDiagnostics(host, problems, (help) => counts.get(help) === 1);
  for (const [help, count] of shared) {
    const all = shared.length === 1 && count === problems.length ? 'all of these' : `${count} of these`;
    host.stderr(`help for ${all}: ${forTerminal(help)}\n`);
  }
}

/** @param before what a page of Markdown begins with */
function printChanges(host: Host, options: Options, compiled: Compiled, before = ''): void {
  if (options['output'] === 'yaml') host.stdout(yamlPlans(compiled));
  else if (options['output'] === 'markdown') host.stdout(markdownPlan(compiled, before));
  else if (options['output'] === 'html') host.stdout(htmlPage(compiled, pageHash));
  else host.stdout(humanPlan(compiled, paintFor(host.env, host.stdoutIsTTY)));
}

/** The files of a run as JSON. */
export function outputFiles(
  host: Host,
  files: readonly FileChange[],
): { file: string; action: 'write' | 'remove' }[] {
  return files.map(({ path, text }) => ({
    file: shownPath(host, path),
    action: text === undefined ? 'remove' : 'write',
  }));
}
