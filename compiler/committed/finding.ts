import type { Compiled } from '../compile.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic, Source } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import type { State } from '../load/manifests.ts';
import type { Change } from '../plan/change.ts';
import { shownName } from '../plan/target.ts';

/** A file in the folder of plans that is not what it should be. */
export interface Finding {
  /** Absolute. */
  path: string;
  /** What it should hold; undefined: it should not exist. */
  text: string | undefined;
  /** The problem, as a check reports it; undefined for a file that goes with another one, such as the forecast of a plan. */
  problem: Diagnostic | undefined;
  /** Why it is removed, if that needs a reason. */
  why?: string;
  /**
   * It should be so, but a check accepts what is there: a change that is taken back needs no plan, and a run over other paths may
   * have simulated another forecast. A run leaves what was taken back with it, and replaces what was not.
   */
  accepted?: 'left' | 'replaced';
  /** `KIND/NAME` of a target whose continuation was taken back: its plan is continued with the limits that it has now. */
  continues?: string;
}

/** What tells the targets of plans. `head` is undefined for one that has no manifest any more. */
type Planned = Pick<Change, 'id' | 'kind' | 'namespace' | 'name' | 'type'> & { head: unknown };

/** What the places of committed plans are judged by. */
export interface CommittedPaths {
  compiled: Pick<Compiled, 'planPaths' | 'unexpectedPlans' | 'budget'> & { changes: readonly Planned[] };
  head: State;
  host: Pick<CompilerHost, 'cwd' | 'inspect'>;
  /** The text of a file at head; undefined if it does not exist. */
  read: (path: string) => string | undefined;
}

/** What the committed files of a run are judged by. */
export interface Committed extends CommittedPaths {
  compiled: Compiled;
  /** The text of a file at base that lies at the same place as this one of head. */
  readAtBase: (path: string) => string | undefined;
}

/** A file that should not exist, or should be that of base. */
export function obsolete(source: Source, path: string, text: string | undefined, why: string): Finding {
  const problem = diagnostic('KR3021', { path: source.file, why }, { source, start: 0, end: 0 });
  return { path, text, problem, ...(text === undefined ? { why } : {}) };
}

/** Why a file is no plan: the first error of reading it. */
export function unreadable(found: readonly Diagnostic[]): Diagnostic | undefined {
  const error = found.find(({ severity }) => severity === 'error');
  if (error === undefined || error.code === 'KR3001' || error.code === 'KR3002') return error;
  return diagnostic('KR3002', { detail: error.message }, error.position, error.related);
}

/** `KIND NAMESPACE/NAME` */
export function targetName({ kind, namespace, name }: Pick<Change, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${shownName({ namespace, name })}`;
}

/** Whether two texts are equal but for the ends of their lines, which git may convert. */
export function isSameText(one: string | undefined, other: string | undefined): boolean {
  return one === other || one?.replaceAll('\r\n', '\n') === other?.replaceAll('\r\n', '\n');
}
