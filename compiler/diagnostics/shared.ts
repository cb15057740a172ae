import type { Diagnostic } from './diagnostic.ts';

/** A diagnostic about several objects. Each of them that is a target has it in its forecast, wherever its position is. */
export interface SharedDiagnostic {
  /** Group, kind, namespace and name of each. */
  ids: readonly string[];
  found: Diagnostic;
}

export function foundIn(shared: readonly SharedDiagnostic[]): Diagnostic[] {
  return shared.map(({ found }) => found);
}

/**
 * Files diagnostics by the targets that they are about.
 *
 * @param isTarget whether an ID is that of a target
 * @returns those of each target, and those that are about no target
 */
export function filedByTarget(
  shared: readonly SharedDiagnostic[],
  isTarget: (id: string) => boolean,
): { byTarget: Map<string, Diagnostic[]>; others: Diagnostic[] } {
  const byTarget = new Map<string, Diagnostic[]>();
  const others: Diagnostic[] = [];
  for (const { ids, found } of shared) {
    const targets = new Set(ids.filter(isTarget));
    if (targets.size === 0) others.push(found);
    for (const id of targets) byTarget.set(id, [...(byTarget.get(id) ?? []), found]);
  }
  return { byTarget, others };
}

/** Whether a batch updates none of the pods of a target: its forecast has that, and a run says it once for all targets of a size. */
export function isOfIdleBatches({ code }: Pick<Diagnostic, 'code'>): boolean {
  return code === 'KR4010';
}
