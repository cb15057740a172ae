import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import { createBudget } from '../load/budget.ts';
import type { IgnoredPaths } from '../load/ignored-paths.ts';
import { loadState } from '../load/manifests.ts';
import { createParseCache } from '../load/parse-cache.ts';
import type { State } from '../load/manifests.ts';
import type { Change } from './change.ts';
import { shownName } from './target.ts';

/** Every manifest at base, read only if it is needed. */
export interface WholeBase {
  host: () => CompilerHost;
  state: State;
}

/**
 * An error for each workload that looks new but stands elsewhere at base, outside of the compared paths: its rollout would
 * begin without a plan.
 */
export function movedHere(
  { host, state }: WholeBase,
  { changes, ignoredFiles }: { changes: readonly Change[]; ignoredFiles: IgnoredPaths },
): Diagnostic[] {
  const created = changes.filter(({ action }) => action === 'Create');
  if (created.length === 0) return [];
  const { manifests } = loadState(host(), state, createParseCache(), createBudget(), ignoredFiles);
  return created.flatMap(({ id, kind, namespace, name }) => {
    const file = manifests.get(id)?.origin.source.file;
    if (file === undefined) return [];
    return [diagnostic('KR3017', { target: `${kind} ${shownName({ namespace, name })}`, file })];
  });
}
