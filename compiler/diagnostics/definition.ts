export type Severity = 'error' | 'warning';

/** What a registry entry looks like; `A` are the values its sentences need. */
export interface Definition<A> {
  title: string;
  severity: Severity;
  /** With `--strict` this warning is an error. */
  strict?: boolean;
  message: (args: A) => string;
  /** What to do about this very input, where more can be said than `remedy` says. */
  help?: (args: A) => string | undefined;
  /** Why it matters, for `kruise explain` and the reference page. */
  about: string;
  /** What to do, in general. */
  remedy: string;
}

/** Fixes the type of the values a code needs, so that a wrong one does not compile. */
export function define<A = Record<never, never>>(definition: Definition<A>): Definition<A> {
  return definition;
}
