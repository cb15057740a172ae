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

/** What base and head are read from, and the configuration of head. */
export interface Hiding {
  host: CompilerHost;
  state: State;
  head: { host: CompilerHost; state: State };
  cache: ParseCache;
  budget: Budget;
  configuration: Configuration;
}

/**
 * The workloads of base that `ignore` at head leaves out, and that of base did not, where they were or where they went: a change
 * could take a workload out of every check. Those that head has in another file are compared with what they were; each of the
 * others is a problem.
 */
export function hiddenByIgnore(
  hiding: Hiding,
  base: Loaded,
  head: Loaded,
): { base: Loaded; problems: Diagnostic[] } {
  const { host, state, cache, budget, configuration } = hiding;
  const none = { base, problems: [] };
  if ((configuration.config.ignore ?? []).length === 0 || isUnplanned(host, state, budget)) return none;
  const before = ignoredAtBase(host, state, budget);
  if (before.text === textOf(configuration)) return none;
  const all = loadState(host, state, cache, budget, before.paths);
  const hidden = [...all.manifests].filter(([id]) => !base.manifests.has(id));
  const moved = hidden.filter(([id]) => head.manifests.has(id));
  const at = configuration.locate?.(['ignore'], 'key');
  const gone = new Set([...base.manifests.keys()].filter((id) => !head.manifests.has(id)));
  const ignored = ignoredPaths(configuration);
  const isSeen = (path: string): boolean => ignored.covering(path, path).length === 0;
  const { folder } = configuration;
  const went = outOfSight(hiding, before.paths, gone, folder === undefined ? [] : [folder], isSeen);
  return {
    base: {
      ...base,
      manifests: new Map([...base.manifests, ...moved]),
      // A file that is left out from now on may be removed with the same change.
      protectedFiles: all.protectedFiles,
      diagnostics: [...base.diagnostics, ...limitsOf(all.diagnostics), ...went.limits],
    },
    problems: [
      ...hidden.flatMap(([id, manifest]) =>
        head.manifests.has(id) ? [] : [problem(manifest, 'ignore', at)],
      ),
      ...went.manifests.map((manifest) => problem(manifest, 'ignore', at, manifest.origin.source.file)),
    ],
  };
}

/**
 * The workloads of base that are in no root of head, though base had them in one, or had no roots.
 *
 * @param atBase the roots that base had; empty: all of its folder was planned
 * @param kept the folders of the roots of head, as they are called at base
 * @param seen the absolute folders of the roots of head
 */
export function hiddenByRoots(
  hiding: Hiding,
  atBase: readonly { name: string; path: string; isRendered: boolean }[],
  kept: readonly string[],
  seen: readonly string[],
): Diagnostic[] {
  const { host, state, head, cache, budget, configuration } = hiding;
  if (isUnplanned(host, state, budget)) return [];
  const at = configuration.locate?.(['roots'], 'key');
  const placeOf = (path: string): string => joinPath(state.root, `./${path}`);
  // A root that is removed with its folder hides nothing.
  const pathAtHead = (path: string): string => joinPath(head.state.root, `./${path}`);
  const isAtHead = (path: string): boolean => head.host.inspect(pathAtHead(path)) !== undefined;
  const gone = atBase.filter(({ path }) => !kept.includes(path) && isAtHead(path));
  const rendered = gone.filter(({ isRendered }) => isRendered);
  const paths = atBase.length === 0 ? [state.root] : gone.map(({ path }) => placeOf(path));
  const read = paths.filter(
    (path) => host.inspect(path) !== undefined && !rendered.some((root) => placeOf(root.path) === path),
  );
  const before = ignoredAtBase(host, state, budget).paths;
  const loadAt = (places: readonly string[]): Loaded =>
    loadState(host, { ...state, paths: places, isFound: true }, cache, budget, before);
  const { manifests, diagnostics } = loadAt(read);
  // What has to be rendered could not be planned without roots.
  if (atBase.length === 0 && diagnostics.some(({ code }) => code === 'KR1028')) return [];
  const isKept = ({ origin }: Manifest): boolean => {
    const file = fileOf(host, state, origin.source.file);
    return kept.some((path) => isInside(file, placeOf(path)));
  };
  const left = [...manifests.values()].filter((each) => !isKept(each));
  const isLeft = new Set(left.map(({ id }) => id));
  // What was in another root may have gone where no root is any more.
  const others = atBase.filter(({ path, isRendered }) => kept.includes(path) && !isRendered);
  const there = others.map(({ path }) => placeOf(path)).filter((path) => host.inspect(path) !== undefined);
  const known = gone.length === 0 ? manifests : loadAt([...read, ...there]).manifests;
  const ids = new Set([...known.keys()].filter((id) => !isLeft.has(id)));
  const folders = atBase.length === 0 ? [head.state.root] : gone.map(({ path }) => pathAtHead(path));
  const present = seen.filter((path) => head.host.inspect(path) !== undefined);
  const isSeen = (path: string): boolean => seen.some((folder) => isInside(path, folder));
  const went = outOfSight(hiding, before, ids, folders.length === 0 ? [] : [...folders, ...present], isSeen);
  return [
    ...limitsOf(diagnostics),
    ...went.limits,
    ...rendered.map(({ name }) =>
      diagnostic('KR3035', { what: `the root ${name}`, by: 'roots', movedTo: undefined }, at),
    ),
    ...left.map((each) => problem(each, 'roots', at)),
    ...went.manifests.map((each) => problem(each, 'roots', at, each.origin.source.file)),
  ];
}

/**
 * The workloads that head has in files that its configuration leaves out, and in no other file.
 *
 * @param before what base ignored
 * @param ids those that are looked for
 * @param paths of head, where they may be
 * @param isSeen whether the configuration of head has a file in what is planned
 */
function outOfSight(
  { head: { host, state }, cache, budget }: Hiding,
  before: IgnoredPaths,
  ids: ReadonlySet<string>,
  paths: readonly string[],
  isSeen: (path: string) => boolean,
): { manifests: Manifest[]; limits: Diagnostic[] } {
  if (ids.size === 0 || paths.length === 0) return { manifests: [], limits: [] };
  const everywhere = { ...state, paths, given: [], isFound: true as const, readsFirst: isSeen };
  const { manifests, diagnostics } = loadState(host, everywhere, cache, budget, before);
  return {
    manifests: [...manifests.values()].filter(
      ({ id, origin }) => ids.has(id) && !isSeen(fileOf(host, state, origin.source.file)),
    ),
    limits: limitsOf(diagnostics),
  };
}

/** Other problems of what is hidden do not matter, except that not all of it was read. */
function limitsOf(found: readonly Diagnostic[]): Diagnostic[] {
  return found.filter(({ code }) => code === 'KR1035');
}

/** Base has neither plans nor a configuration: the change begins with them. */
export function isUnplanned(host: CompilerHost, state: State, budget: Budget): boolean {
  const { folder } = configOfState(host, state, budget);
  return folder === undefined && host.inspect(state.allPlans ?? state.plans) === undefined;
}

/** @param movedTo the file that has it at head, as shown */
function problem(
  manifest: Manifest,
  by: 'ignore' | 'roots',
  at: SourcePosition | undefined,
  movedTo?: string,
): Diagnostic {
  const what = `${manifest.kind} ${shownName(manifest)}`;
  return diagnostic('KR3035', { what, by, movedTo }, at);
}

/** The absolute path of a file that is shown as git names it, or relative to the working directory. */
function fileOf(host: CompilerHost, { top, root }: State, shown: string): string {
  if (top === undefined) return fromCwd(host, shown);
  const inTree = shown.slice(shown.indexOf(':') + 1);
  return isInside(root, top) ? joinPath(top, `./${inTree}`) : fromCwd(host, shown);
}

/** The ignore list of base, for paths of head. */
export function ignoredAtBase(
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
