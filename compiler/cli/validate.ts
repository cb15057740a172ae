import { checkState } from '../compile.ts';
import { hasErrors } from '../diagnostics/diagnostic.ts';
import { diagnosticJson } from '../diagnostics/render.ts';
import { exitCode } from './command.ts';
import type { Run } from './command.ts';
import { headState } from './places.ts';
import { reportDiagnostics } from './report.ts';

/** `kruise validate`: every problem of every manifest, without a second state. */
export const runValidate: Run = (host, operands, options) => {
  const state = headState(host, operands, 'plans');
  if (typeof state === 'string') {
    host.stderr(`kruise validate: ${state}\n`);
    return exitCode.error;
  }
  const { loaded, diagnostics } = checkState(host, state, options['strict'] === true);
  const failed = hasErrors(diagnostics);
  const objects = loaded.manifests.size;
  if (options['output'] === 'json') {
    const document = {
      format: '1',
      objects,
      files: loaded.files,
      diagnostics: diagnostics.map(diagnosticJson),
    };
    host.stdout(`${JSON.stringify(document, null, 2)}\n`);
  } else {
    reportDiagnostics(host, diagnostics);
    if (!failed)
      host.stdout(`${objects} ${objects === 1 ? 'object' : 'objects'} in ${loaded.files} files: valid.\n`);
  }
  return failed ? exitCode.error : exitCode.done;
};
