import { byText } from '../text/order.ts';
import type { CheckResult, Definition, Severity } from './definition.ts';
import { registry } from './registry.ts';
import type { Args, Code } from './registry.ts';
import { isSecretText, QUOTES_TEXT } from './secret-text.ts';

/** A text that was read, and the name under which it is shown. */
export interface Source {
  file: string;
  text: string;
}

/** A range of a source, in UTF-16 offsets, end excluded. */
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
  /** Further positions of the same mistake, each with a short description. */
  related: { message: string; position: SourcePosition }[];
}

/** Creates a diagnostic. An unknown code or a missing value does not compile. */
export function diagnostic<C extends Code>(
  code: C,
  args: Args<C>,
  position?: SourcePosition,
  related: Diagnostic['related'] = [],
): Diagnostic {
  const definition = registry[code] as unknown as Definition<Args<C>>;
  const isWithheld = position !== undefined && QUOTES_TEXT.has(code) && isSecretText(position);
  return {
    code,
    severity: definition.severity,
    message: isWithheld
      ? `${definition.title} in a document with a Secret, whose text is not shown`
      : definition.message(args),
    help: (isWithheld ? undefined : definition.help?.(args)) ?? asHelp(definition.remedy),
    position,
    related,
  };
}

/** Converts a sentence of the reference page to the end of a help line: `help: remove one of the two`. */
function asHelp(remedy: string): string {
  return remedy.charAt(0).toLowerCase() + remedy.slice(1).replace(/\.$/, '');
}

/** Sorted, and with `--strict` the warnings of some codes are errors. */
export function finish(diagnostics: readonly Diagnostic[], strict: boolean): Diagnostic[] {
  return sortDiagnostics(strict ? strictly(diagnostics) : diagnostics);
}

function strictly(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return diagnostics.map((found) => {
    const definition = registry[found.code] as unknown as Definition<never>;
    return definition.strict === true ? { ...found, severity: 'error' } : found;
  });
}

/**
 * What an error means for a check of committed plans; undefined if the check cannot be made. An error by `--strict` is a
 * refusal: the plans are known, and a rule of the repository is against the change.
 */
export function checkResultOf({ code }: Pick<Diagnostic, 'code'>): CheckResult | undefined {
  const definition = registry[code] as unknown as Definition<never>;
  return definition.check ?? (definition.severity === 'warning' ? 'refused' : undefined);
}

/** Sorts by file, position, code and message; diagnostics without a file come first. Removes exact duplicates. */
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

/**
 * Returns a filter that removes diagnostics at positions with an earlier error, because an unreadable value needs no second
 * message.
 */
export function withoutEarlierErrors(earlier: readonly Diagnostic[]): (found: Diagnostic[]) => Diagnostic[] {
  const positions = new Set(earlier.filter(({ severity }) => severity === 'error').map(positionKey));
  return (found) =>
    positions.size === 0 ? found : found.filter((each) => !positions.has(positionKey(each)));
}

function positionKey({ position }: Diagnostic): string {
  return position === undefined ? '' : `${position.start} ${position.source.file}`;
}
