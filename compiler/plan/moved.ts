import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import type { Budget } from '../load/budget.ts';
import type { IgnoredPaths } from '../load/ignored-paths.ts';
import { loadState } from '../load/manifests.ts';
import { createParseCache } from '../load/parse-cache.ts';
import type { Loaded, State } from '../load/manifests.ts';
import type { Change } from './change.ts';
import { shownName } from './target.ts';

/** Every manifest of both states, read only if it is needed. */
export interface WholeBase {
  host: () => CompilerHost;
  state: State;
  /** Whether head has an object of that ID in the file that base has it in. */
  isAtHead: (file: string, id: string, budget: Budget) => boolean;
  /** That file at head, as shown. */
  fileAtHead: (file: string) => string;
}

/**
 * The state at base with the workloads of head that it has elsewhere, and that head has moved from there: they are compared
 * with what they were.
 */
export function withMoved(
  base: Loaded,
  head: Loaded,
  { whole }: { whole?: WholeBase | undefined },
  ignoredFiles: IgnoredPaths,
  budget: Budget,
): Loaded {
  const ids = [...head.manifests.keys()].filter((id) => !base.manifests.has(id));
  if (whole === undefined || ids.length === 0) return base;
  const elsewhere = manifestsOf(whole, ignoredFiles, budget);
  const moved = ids.flatMap((id) => {
    const manifest = elsewhere.get(id);
    if (manifest === undefined || whole.isAtHead(manifest.origin.source.file, id, budget)) return [];
    return [[id, manifest] as const];
  });
  return { ...base, manifests: new Map([...base.manifests, ...moved]) };
}

function manifestsOf(
  { host, state }: WholeBase,
  ignoredFiles: IgnoredPaths,
  budget: Budget,
): Loaded['manifests'] {
  return loadState(host(), state, createParseCache(), budget, ignoredFiles).manifests;
}

/**
 * An error for each workload that looks new but stands elsewhere at base, outside of the compared paths, and still does at
 * head: its rollout would begin without a plan.
 */
export function movedHere(
  whole: WholeBase,
  {
    changes,
    ignoredFiles,
    budget,
  }: { changes: readonly Change[]; ignoredFiles: IgnoredPaths; budget: Budget },
): Diagnostic[] {
  const created = changes.filter(({ action }) => action === 'Create');
  if (created.length === 0) return [];
  const manifests = manifestsOf(whole, ignoredFiles, budget);
  return created.flatMap(({ id, kind, namespace, name, head }) => {
    const file = manifests.get(id)?.origin.source.file;
    if (file === undefined || head === undefined) return [];
    const target = `${kind} ${shownName({ namespace, name })}`;
    const files = [whole.fileAtHead(file), head.manifest.origin.source.file] as const;
    return [diagnostic('KR3017', { target, file, files })];
  });
}
