import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import type { Budget } from '../load/budget.ts';
import type { IgnoredPaths } from '../load/ignored-paths.ts';
import { loadState } from '../load/manifests.ts';
import { createParseCache } from '../load/parse-cache.ts';
import type { State } from '../load/manifests.ts';
import type { Change } from './change.ts';
import { shownName, toTarget } from './target.ts';

/** The state of the branch that a change goes to, where that is not the base. */
export interface NewerState {
  host: CompilerHost;
  state: State;
  /** What the user calls the base, and the branch. */
  base: string;
  branch: string;
}

/**
 * An error for each target of the change that has a template at that state which neither is the one at head nor stands in its
 * plan. What the change leaves as it is at base is no part of it.
 */
export function unlistedAtNewer(
  { host, state, base, branch }: NewerState,
  {
    changes,
    ignoredFiles,
    budget,
  }: { changes: readonly Change[]; ignoredFiles: IgnoredPaths; budget: Budget },
): Diagnostic[] {
  const concerned = changes.filter(({ action, plan }) => plan !== undefined || action === 'Create');
  if (concerned.length === 0) return [];
  const { manifests } = loadState(host, state, createParseCache(), budget, ignoredFiles);
  return concerned.flatMap(({ id, kind, namespace, name, plan, head }) => {
    const manifest = manifests.get(id);
    if (manifest === undefined || head === undefined) return [];
    const { hash } = toTarget(manifest);
    if ([head, ...(plan?.spec.from ?? [])].some((listed) => listed.hash === hash)) return [];
    return [diagnostic('KR3015', { target: `${kind} ${shownName({ namespace, name })}`, base, branch })];
  });
}
