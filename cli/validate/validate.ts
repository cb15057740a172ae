import { checkState } from '../../compiler/compile.ts';
import { hasErrors } from '../../compiler/diagnostics/diagnostic.ts';
import { diagnosticJson } from '../../compiler/diagnostics/render.ts';
import { exitCode } from '../command/command.ts';
import type { Run } from '../command/command.ts';
import { shownPath } from '../../compiler/load/files.ts';
import type { Loaded } from '../../compiler/load/manifests.ts';
import { headState } from '../files/states.ts';
import { ignoredText, reportDiagnostics, reportRefusal } from '../command/report.ts';
import { forJson, forTerminal } from '../../compiler/text/escape.ts';

/** `kruise validate`: every problem of every manifest, without a second state. */
export const runValidate: Run = (host, operands, options) => {
  const state = headState(host, operands, String(options['out']));
  if ('problem' in state) {
    reportRefusal(host, 'validate', state);
    return exitCode.error;
  }
  const { loaded, diagnostics } = checkState(host, state, options['strict'] === true);
  const failed = hasErrors(diagnostics);
  if (loaded.found === 0 && !failed) {
    const where = state.paths.map((path) => shownPath(host, path)).join(', ');
    host.stderr(`kruise validate: no *.yaml, *.yml or *.json file in ${forTerminal(where)}\n`);
    return exitCode.error;
  }
  const objects = loaded.manifests.size;
  if (options['output'] === 'json') {
    const document = {
      format: '1',
      objects,
      files: loaded.files,
      diagnostics: diagnostics.map(diagnosticJson),
    };
    host.stdout(forJson(document));
  } else {
    reportDiagnostics(host, diagnostics);
    if (loaded.ignored.size > 0) host.stderr(ignoredText(loaded.ignored));
    if (!failed) host.stdout(`${resultText(objects, loaded)}\n`);
  }
  return failed ? exitCode.error : exitCode.done;
};

function resultText(objects: number, { found, files }: Loaded): string {
  if (objects > 0) return `${counted(objects, 'object')} in ${counted(files, 'file')}: valid.`;
  return `${counted(found, 'file')}, and no object in ${found === 1 ? 'it' : 'them'} that this version plans.`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
