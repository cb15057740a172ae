import { byText } from '../text/order.ts';
import type { Definition, Severity } from './definition.ts';
import { registry } from './registry.ts';
import type { Args, Code } from './registry.ts';

/** A text that was read, under the name it is shown by. */
export interface Source {
  file: string;
  text: string;
}

/** A stretch of a source, in UTF-16 offsets, end excluded. */
export interface Place {
  source: Source;
  start: number;
  end: number;
}

export interface Diagnostic {
  code: Code;
  severity: Severity;
  message: string;
  help: string;
  place: Place | undefined;
  /** Second places that belong to the same mistake, each with a few words. */
  related: { message: string; place: Place }[];
}

/** Makes a diagnostic. An unknown code or a missing value does not compile. */
export function diagnostic<C extends Code>(
  code: C,
  args: Args<C>,
  place?: Place,
  related: Diagnostic['related'] = [],
): Diagnostic {
  const definition = registry[code] as unknown as Definition<Args<C>>;
  return {
    code,
    severity: definition.severity,
    message: definition.message(args),
    help: definition.help?.(args) ?? asHelp(definition.remedy),
    place,
    related,
  };
}

/** A sentence of the reference page as the end of a line: `help: remove one of the two`. */
function asHelp(remedy: string): string {
  return remedy.charAt(0).toLowerCase() + remedy.slice(1).replace(/\.$/, '');
}

/** With `--strict`, the warnings that the registry marks so become errors. */
export function strictly(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return diagnostics.map((found) => {
    const definition = registry[found.code] as unknown as Definition<never>;
    return definition.strict === true ? { ...found, severity: 'error' } : found;
  });
}

/** By file, place, code and message; what has no file comes first. Exact repetitions are dropped. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const sorted = [...diagnostics].sort(
    (a, b) =>
      byText(a.place?.source.file ?? '', b.place?.source.file ?? '') ||
      (a.place?.start ?? 0) - (b.place?.start ?? 0) ||
      byText(a.code, b.code) ||
      byText(a.message, b.message),
  );
  return sorted.filter((found, index) => {
    const before = sorted[index - 1];
    return (
      before === undefined ||
      before.code !== found.code ||
      before.message !== found.message ||
      before.place?.source.file !== found.place?.source.file ||
      before.place?.start !== found.place?.start
    );
  });
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((found) => found.severity === 'error');
}
