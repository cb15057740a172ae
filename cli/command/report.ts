import type { Refusal } from './refusal.ts';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import { renderDiagnostic } from '../../compiler/diagnostics/render.ts';
import { repeated } from '../../compiler/diagnostics/repeated.ts';
import type { Host } from '../host.ts';
import { forTerminal, shorten } from '../../compiler/text/escape.ts';
import { paintFor } from '../../compiler/text/paint.ts';
import { countText } from '../../semantics/values/text.ts';

/** The most diagnostics that are printed, those that say the same as one; the others are counted. */
const MOST_SHOWN = 100;

/**
 * Writes diagnostics to standard error in the given order, with a count at the end.
 *
 * @param isHelpShown whether the help of a diagnostic is a part of it. Default: it always is.
 */
export function reportDiagnostics(
  host: Host,
  diagnostics: readonly Diagnostic[],
  isHelpShown: (help: string) => boolean = () => true,
): void {
  if (diagnostics.length === 0) return;
  const paint = paintFor(host.env, host.stdoutIsTTY);
  const groups = repeated(diagnostics);
  const shown = groups
    .slice(0, MOST_SHOWN)
    .map(({ first, others }) => renderDiagnostic(first, paint, { hasHelp: isHelpShown(first.help), others }));
  const hidden = groups.slice(MOST_SHOWN).reduce((sum, { others }) => sum + 1 + others.length, 0);
  const more = hidden > 0 ? `… and ${hidden} more; -o json lists all\n\n` : '';
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const warnings = diagnostics.length - errors;
  const counts = [
    errors > 0 ? countText(errors, 'error') : '',
    warnings > 0 ? countText(warnings, 'warning') : '',
  ];
  host.stderr(`${shown.join('\n')}\n${more}${counts.filter((count) => count !== '').join(', ')}\n`);
}

/** A command that is cut cannot be typed. */
const LONGEST_HELP = 2_000;

/** Prints in one line why a command is refused, and what to do. Escapes control characters of the input. */
export function reportRefusal(host: Host, command: string, { problem, help }: Refusal): void {
  const reason = forTerminal(shorten(problem, 400));
  const remedy = forTerminal(shorten(help, LONGEST_HELP));
  host.stderr(`kruise ${command}: ${reason}; ${remedy}\n`);
}

const MOST_KINDS = 20;

/** A line about objects of OpenKruise that are not planned. The kinds come from manifests and may be any text. */
export function ignoredText(ignored: ReadonlyMap<string, number>): string {
  const kinds = [...ignored].map(([kind, count]) => `${count} ${forTerminal(shorten(kind, 80))}`).sort();
  const more = kinds.length > MOST_KINDS ? ` and ${countText(kinds.length - MOST_KINDS, 'more kind')}` : '';
  return `this version does not plan: ${kinds.slice(0, MOST_KINDS).join(', ')}${more}\n`;
}
