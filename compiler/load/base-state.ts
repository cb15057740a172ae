import type { Root } from '../../schemas/generated/types/config.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import type { Budget } from './budget.ts';
import { configOfState } from './configuration.ts';
import { fromCwd, isInside, joinPath, shownPath } from './files.ts';
import type { IgnoredPaths } from './ignored-paths.ts';
import type { Loaded, State } from './manifests.ts';
import { loadState } from './manifests.ts';
import type { ParseCache } from './parse-cache.ts';

/**
 * Loads base. Of an object that it has twice, the one in a file that head has counts. That is no mistake where base had roots
 * that this run does not have any more: each of them had its own.
 *
 * @param head what head is read from, and its root
 */
export function loadBase(
  head: { host: CompilerHost; root: string },
  host: CompilerHost,
  state: State,
  cache: ParseCache,
  budget: Budget,
  ignoredFiles: IgnoredPaths,
): Loaded {
  const loaded = loadState(host, state, cache, budget, ignoredFiles);
  if (!loaded.diagnostics.some(({ code }) => code === 'KR1016')) return loaded;
  const gone = new Set<string>();
  const isAtHead = (path: string): boolean => {
    const isThere =
      head.host.inspect(joinPath(head.root, `./${path.slice(state.root.length)}`)) !== undefined;
    if (!isThere) gone.add(shownPath(host, path));
    return isThere;
  };
  const again = loadState(host, { ...state, readsFirst: isAtHead }, cache, budget, ignoredFiles);
  if (rootsOf(host, state, budget).length === 0) return again;
  // If head has neither file, which of the two it stands for is a guess.
  const isSettled = ({ code, related: [first] }: Diagnostic): boolean =>
    code === 'KR1016' && !gone.has(first?.position.source.file ?? '');
  return { ...again, diagnostics: again.diagnostics.filter((found) => !isSettled(found)) };
}

/** The roots that the kruise.yaml in the folder of a state has. */
export function rootsOf(host: CompilerHost, state: State, budget: Budget): readonly Root[] {
  const { config, folder } = configOfState(host, state, budget);
  return folder === state.root ? (config.roots ?? []) : [];
}

/**
 * The folder of plans at base of a file of head that is in no root any more, but was at base.
 *
 * @param file as shown
 */
export function plansOfRoot(
  head: { host: CompilerHost; state: State },
  host: CompilerHost,
  state: State,
  file: string,
  budget: Budget,
): string | undefined {
  const path = joinPath(state.root, `./${fromCwd(head.host, file).slice(head.state.root.length)}`);
  const own = rootsOf(host, state, budget).filter((root) =>
    isInside(path, joinPath(state.root, `./${root.path}`)),
  );
  const [only, another] = own;
  return only === undefined || another !== undefined ? undefined : joinPath(state.plans, `./${only.name}`);
}
