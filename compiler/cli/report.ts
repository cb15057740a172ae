import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { renderDiagnostic } from '../diagnostics/render.ts';
import type { Host } from '../host.ts';
import { paintFor } from '../text/paint.ts';

/** A page of diagnostics is enough to see a pattern; the rest is counted. */
const MOST_SHOWN = 100;

/** Writes diagnostics for a person to standard error: errors first to be seen last, a count at the end. */
export function reportDiagnostics(host: Host, diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.length === 0) return;
  const paint = paintFor(host.env, host.stdoutIsTTY);
  const shown = diagnostics.slice(0, MOST_SHOWN).map((found) => renderDiagnostic(found, paint));
  const hidden = diagnostics.length - shown.length;
  const more = hidden > 0 ? `… and ${hidden} more; -o json lists all\n\n` : '';
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const warnings = diagnostics.length - errors;
  const counts = [errors > 0 ? plural(errors, 'error') : '', warnings > 0 ? plural(warnings, 'warning') : ''];
  host.stderr(`${shown.join('\n')}\n${more}${counts.filter((count) => count !== '').join(', ')}\n`);
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
