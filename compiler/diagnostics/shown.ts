import type { Diagnostic } from './diagnostic.ts';
import { positionOf } from './position.ts';

/** A diagnostic as outputs for reviewers show it, also one that was read from JSON. */
export interface ShownProblem {
  code: string;
  severity: Diagnostic['severity'];
  message: string;
  help: string;
  /** The file, with line and column from 1; undefined: it has no place. */
  at: { file: string; line: number; column: number } | undefined;
}

export function shownProblem({ code, severity, message, help, position }: Diagnostic): ShownProblem {
  const at = position && { file: position.source.file, ...positionOf(position) };
  return { code, severity, message, help, at };
}
