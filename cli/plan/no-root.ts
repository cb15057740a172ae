import type { Finding } from '../../compiler/committed/finding.ts';
import { sortDiagnostics } from '../../compiler/diagnostics/diagnostic.ts';
import { diagnosticJson } from '../../compiler/diagnostics/render.ts';
import { forJson } from '../../compiler/text/escape.ts';
import { exitCode } from '../command/command.ts';
import type { Options } from '../command/command.ts';
import type { Host } from '../host.ts';
import { checkExitCode, checkProblems } from './check.ts';
import { fixCommand } from './fix-command.ts';
import { outputFiles, reportProblems } from './print.ts';
import { purposeOf } from './purpose.ts';
import type { Compared } from './states.ts';
import { listFiles, writeFiles } from './write.ts';

/** Removes, checks or lists the plans of no root, as the run does with those of its roots. Returns the exit code. */
export function planNoRoot(
  host: Host,
  compared: Compared,
  findings: readonly Finding[],
  operands: readonly string[],
  options: Options,
): number {
  const purpose = purposeOf(host, options, compared);
  if ('problem' in purpose) return exitCode.error;
  const isCheck = purpose.do === 'check';
  const fix = fixCommand(host, compared, operands, options);
  const problems = isCheck ? sortDiagnostics(checkProblems(findings, fix, undefined)) : [];
  if (options['output'] === 'json') {
    const files = outputFiles(host, findings);
    host.stdout(forJson({ format: '1', diagnostics: problems.map(diagnosticJson), files }));
  } else if (isCheck) reportProblems(host, problems);
  if (purpose.do === 'check') {
    const code = checkExitCode(problems);
    const reason = purpose.reason === undefined ? '' : `; ${purpose.reason}, so nothing is written`;
    host.stderr(`the committed plans are not those of this change (exit code ${code})${reason}\n`);
    return code;
  }
  if (purpose.do === 'print') listFiles(host, findings, 'would write', 'would remove');
  else if (!writeFiles(host, findings, compared.head)) return exitCode.error;
  return exitCode.done;
}
