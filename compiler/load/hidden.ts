import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic, SourcePosition } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import { shownName } from '../plan/target.ts';
import type { Budget } from './budget.ts';
import { configOfState } from './configuration.ts';
import type { Configuration } from './configuration.ts';
import { fromCwd, isInside, joinPath, relativePath } from './files.ts';
import { ignoredPaths } from './ignored-paths.ts';
import type { IgnoredPaths } from './ignored-paths.ts';
import type { Manifest } from './manifest.ts';
import { loadState } from './manifests.ts';
import type { Loaded, State } from './manifests.ts';
import type { ParseCache } from './parse-cache.ts';

/** What base is read from, and the configuration of head. */
interface Hiding {
  host: CompilerHost;
  state: State;
  cache: ParseCache;
  budget: Budget;
  configuration: Configuration;
}

/**
 * The workloads of base that `ignore` at head leaves out, and that of base did not: a change could take a workload out of every
 * check. Those that head has in another file are compared with what they were; each of the others is a problem.
 */
export function hiddenByIgnore(
  { host, state, cache, budget, configuration }: Hiding,
  base: Loaded,
  head: Loaded,
): { base: Loaded; problems: Diagnostic[] } {
  const none = { base, problems: [] };
  if ((configuration.config.ignore ?? []).length === 0 || isUnplanned(host, state, budget)) return none;
  const before = ignoredAtBase(host, state, budget);
  if (before.text === textOf(configuration)) return none;
  const all = loadState(host, state, cache, budget, before.paths);
  const hidden = [...all.manifests].filter(([id]) => !base.manifests.has(id));
  const moved = hidden.filter(([id]) => head.manifests.has(id));
  const at = configuration.locate?.(['ignore'], 'key');
  return {
    base: {
      ...base,
      manifests: new Map([...base.manifests, ...moved]),
      diagnostics: [...base.diagnostics, ...limitsOf(all.diagnostics)],
    },
    problems: hidden.flatMap(([id, manifest]) =>
      head.manifests.has(id) ? [] : [problem(manifest, 'ignore', at)],
    ),
  };
}

/**
 * The workloads of base that are in no root of head, though base had them in one, or had no roots.
 *
 * @param atBase the roots that base had; empty: all of its folder was planned
 * @param kept the folders of the roots of head, as they are called at base
 * @param isAtHead whether head has a folder
 */
export function hiddenByRoots(
  { host, state, cache, budget, configuration }: Hiding,
  atBase: readonly { name: string; path: string; isRendered: boolean }[],
  kept: readonly string[],
  isAtHead: (path: string) => boolean,
): Diagnostic[] {
  if (isUnplanned(host, state, budget)) return [];
  const at = configuration.locate?.(['roots'], 'key');
  const placeOf = (path: string): string => joinPath(state.root, `./${path}`);
  // A root that is removed with its folder hides nothing.
  const gone = atBase.filter(({ path }) => !kept.includes(path) && isAtHead(path));
  const rendered = gone.filter(({ isRendered }) => isRendered);
  const paths = atBase.length === 0 ? [state.root] : gone.map(({ path }) => placeOf(path));
  const read = paths.filter(
    (path) => host.inspect(path) !== undefined && !rendered.some((root) => placeOf(root.path) === path),
  );
  const { manifests, diagnostics } = loadState(
    host,
    { ...state, paths: read, isFound: true },
    cache,
    budget,
    ignoredAtBase(host, state, budget).paths,
  );
  // What has to be rendered could not be planned without roots.
  if (atBase.length === 0 && diagnostics.some(({ code }) => code === 'KR1028')) return [];
  const isKept = ({ origin }: Manifest): boolean => {
    const file = fileOf(host, state, origin.source.file);
    return kept.some((path) => isInside(file, placeOf(path)));
  };
  return [
    ...limitsOf(diagnostics),
    ...rendered.map(({ name }) => diagnostic('KR3035', { what: `the root ${name}`, by: 'roots' }, at)),
    ...[...manifests.values()].filter((each) => !isKept(each)).map((each) => problem(each, 'roots', at)),
  ];
}

/** Other problems of what is hidden do not matter, except that not all of it was read. */
function limitsOf(found: readonly Diagnostic[]): Diagnostic[] {
  return found.filter(({ code }) => code === 'KR1035');
}

/** Base has neither plans nor a configuration: the change begins with them. */
function isUnplanned(host: CompilerHost, state: State, budget: Budget): boolean {
  const { folder } = configOfState(host, state, budget);
  return folder === undefined && host.inspect(state.allPlans ?? state.plans) === undefined;
}

function problem(manifest: Manifest, by: 'ignore' | 'roots', at: SourcePosition | undefined): Diagnostic {
  return diagnostic('KR3035', { what: `${manifest.kind} ${shownName(manifest)}`, by }, at);
}

/** The absolute path of a file that is shown as git names it, or relative to the working directory. */
function fileOf(host: CompilerHost, { top, root }: State, shown: string): string {
  if (top === undefined) return fromCwd(host, shown);
  const inTree = shown.slice(shown.indexOf(':') + 1);
  return isInside(root, top) ? joinPath(top, `./${inTree}`) : fromCwd(host, shown);
}

/** The ignore list of base, for paths of head. */
function ignoredAtBase(
  host: CompilerHost,
  state: State,
  budget: Budget,
): { paths: IgnoredPaths; text: string } {
  const configuration = configOfState(host, state, budget);
  const { folder } = configuration;
  const { headRoot = state.root } = state;
  const atHead =
    folder === undefined ? undefined : joinPath(headRoot, relativePath({ cwd: state.root }, folder));
  const moved = { ...configuration, folder: atHead };
  return { paths: ignoredPaths(moved), text: textOf(moved) };
}

function textOf({ config, folder }: Pick<Configuration, 'config' | 'folder'>): string {
  return JSON.stringify([folder ?? null, config.ignore ?? []]);
}
