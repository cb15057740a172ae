import type { GitRun } from '../../semantics/kinds/run-in-git.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { formatPath, type Locate } from './schema-errors.ts';

/** Warns of fields of a run that a plan does not apply. */
export function runRules({ deadline, ttl }: GitRun, locate: Locate): Diagnostic[] {
  return [['KR2170', ttl] as const, ['KR2171', deadline] as const].flatMap(([code, found]) => {
    if (found === undefined) return [];
    const { path, seconds } = found;
    return [diagnostic(code, { field: formatPath(path), seconds }, locate(path, 'value'))];
  });
}
