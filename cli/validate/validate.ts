import { checkState } from '../../compiler/compile.ts';
import { hasErrors, sortDiagnostics } from '../../compiler/diagnostics/diagnostic.ts';
import { diagnosticJson } from '../../compiler/diagnostics/render.ts';
import { exitCode } from '../command/command.ts';
import type { Run } from '../command/command.ts';
import { shownPath } from '../../compiler/load/files.ts';
import { ignoredText, reportDiagnostics, reportRefusal } from '../command/report.ts';
import { forJson, forTerminal } from '../../compiler/text/escape.ts';
import { countText } from '../../semantics/values/text.ts';
import { validatedStates } from './states.ts';

/** `kruise validate`: every problem of every manifest, without a second state. */
export const runValidate: Run = (host, operands, options) => {
  const states = validatedStates(host, operands, String(options['out']));
  if ('problem' in states) {
    reportRefusal(host, 'validate', states);
    return exitCode.error;
  }
  const checked = states.map((state) => checkState(host, state, options['strict'] === true));
  const diagnostics = sortDiagnostics(checked.flatMap((each) => each.diagnostics));
  const failed = hasErrors(diagnostics);
  const sum = (count: (each: (typeof checked)[number]) => number): number =>
    checked.reduce((total, each) => total + count(each), 0);
  const found = sum(({ loaded }) => loaded.found);
  if (found === 0 && !failed) {
    reportDiagnostics(host, diagnostics);
    const where = states.flatMap(({ paths }) => paths.map((path) => shownPath(host, path))).join(', ');
    host.stderr(`kruise validate: no *.yaml, *.yml or *.json file in ${forTerminal(where)}\n`);
    return exitCode.error;
  }
  const objects = sum(({ loaded }) => loaded.manifests.size);
  const files = sum(({ loaded }) => loaded.files);
  if (options['output'] === 'json') {
    host.stdout(forJson({ format: '1', objects, files, diagnostics: diagnostics.map(diagnosticJson) }));
  } else {
    reportDiagnostics(host, diagnostics);
    const ignored = new Map<string, number>();
    for (const { loaded } of checked)
      for (const [kind, count] of loaded.ignored) ignored.set(kind, (ignored.get(kind) ?? 0) + count);
    if (ignored.size > 0) host.stderr(ignoredText(ignored));
    if (!failed) host.stdout(`${resultText(objects, files, found)}\n`);
  }
  return failed ? exitCode.error : exitCode.done;
};

function resultText(objects: number, files: number, found: number): string {
  if (objects > 0) return `${countText(objects, 'object')} in ${countText(files, 'file')}: valid.`;
  return `${countText(found, 'file')}, and no object in ${found === 1 ? 'it' : 'them'} that this version plans.`;
}
