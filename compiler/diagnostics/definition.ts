export type Severity = 'error' | 'warning';

/**
 * What a failed check of committed plans found: a plan that is not that of the change, one that was tampered with, one of
 * another base, or a change that must not be rolled out.
 */
export type CheckResult = 'differs' | 'integrity' | 'stale' | 'refused';

/** An entry of the registry of diagnostics; `A` are the values that its messages need. */
export interface Definition<A> {
  title: string;
  severity: Severity;
  /** Whether `--strict` makes this warning an error. */
  strict?: boolean;
  /** What it means for a check of committed plans. Default: the check cannot be made. */
  check?: CheckResult;
  message: (args: A) => string;
  /** What to do about this input, if that is more specific than `remedy`. */
  help?: (args: A) => string | undefined;
  /** Why the problem matters, for `kruise explain` and the reference page. */
  about: string;
  /** What to do in general. */
  remedy: string;
}

/** Fixes the type of the values of a code, so that a wrong one does not compile. */
export function define<A = Record<never, never>>(definition: Definition<A>): Definition<A> {
  return definition;
}
