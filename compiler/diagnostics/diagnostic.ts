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
export interface SourcePosition {
  source: Source;
  start: number;
  end: number;
}

export interface Diagnostic {
  code: Code;
  severity: Severity;
  message: string;
  help: string;
  position: SourcePosition | undefined;
  /** Second places that belong to the same mistake, each with a few words. */
  related: { message: string; position: SourcePosition }[];
}

/** Makes a diagnostic. An unknown code or a missing value does not compile. */
export function diagnostic<C extends Code>(
  code: C,
  args: Args<C>,
  place?: SourcePosition,
  related: Diagnostic['related'] = [],
): Diagnostic {
  const definition = registry[code] as unknown as Definition<Args<C>>;
  return {
    code,
    severity: definition.severity,
    message: definition.message(args),
    help: definition.help?.(args) ?? asHelp(definition.remedy),
    position: place,
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
      byText(a.position?.source.file ?? '', b.position?.source.file ?? '') ||
      (a.position?.start ?? 0) - (b.position?.start ?? 0) ||
      byText(a.code, b.code) ||
      byText(a.message, b.message),
  );
  return sorted.filter((found, index) => {
    const before = sorted[index - 1];
    return (
      before === undefined ||
      before.code !== found.code ||
      before.message !== found.message ||
      before.position?.source.file !== found.position?.source.file ||
      before.position?.start !== found.position?.start
    );
  });
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((found) => found.severity === 'error');
}
