import type { Finding } from '../../compiler/committed/finding.ts';
import { plansOfNoRoot } from '../../compiler/committed/plans-of-no-root.ts';
import { hasErrors, sortDiagnostics } from '../../compiler/diagnostics/diagnostic.ts';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import { diagnosticJson } from '../../compiler/diagnostics/render.ts';
import { rootsOf } from '../../compiler/load/base-state.ts';
import type { Budget } from '../../compiler/load/budget.ts';
import { otherRoot } from '../../compiler/load/elsewhere.ts';
import { fromCwd, isInside, joinPath } from '../../compiler/load/files.ts';
import { hiddenByRoots } from '../../compiler/load/hidden.ts';
import { createParseCache } from '../../compiler/load/parse-cache.ts';
import type { GivenText } from '../../compiler/load/read.ts';
import { protectedInRemovedRoots } from '../../compiler/stages/removed-roots.ts';
import { forJson, forTerminal } from '../../compiler/text/escape.ts';
import { exitCode } from '../command/command.ts';
import type { Options } from '../command/command.ts';
import type { Refusal } from '../command/refusal.ts';
import { reportDiagnostics } from '../command/report.ts';
import { type Exported, exportTree } from '../git/export.ts';
import type { Host } from '../host.ts';
import { refuse } from './refuse.ts';
import { pathsAtBase, rootsAtBase } from '../roots/base.ts';
import { renderHeads } from '../roots/head.ts';
import { render } from '../roots/render.ts';
import type { SelectedRoots } from '../roots/select.ts';
import { comparedWith, type HeadSource } from './compared.ts';
import { folderIn } from './git-base.ts';
import { planNoRoot } from './no-root.ts';
import { createPrinter } from './root-output.ts';
import type { Compared, StateInGit } from './states.ts';

/**
 * Plans each root of kruise.yaml by itself, and writes the plans of all of them or none. Throws a `GitError`.
 *
 * @param planOne plans one root on the given host, and returns the exit code
 */
export function planRoots(
  host: Host,
  source: HeadSource,
  roots: SelectedRoots,
  { operands, options, budget }: { operands: readonly string[]; options: Options; budget: Budget },
  planOne: (host: Host, compared: Compared) => number,
): number {
  const trees = createTrees(host);
  try {
    const compared = comparedRoots(host, source, roots, options, budget, trees.folderOf);
    if ('problem' in compared) {
      return refuse(host, compared, options);
    }
    const { diagnostics } = compared;
    const isJson = options['output'] === 'json';
    const failed = (more: Diagnostic[] = []): number => {
      const all = [...diagnostics, ...more];
      if (isJson) host.stdout(forJson({ format: '1', diagnostics: all.map(diagnosticJson), roots: [] }));
      else {
        reportDiagnostics(host, more);
        host.stderr('nothing was written\n');
      }
      return exitCode.error;
    };
    if (!isJson) reportDiagnostics(host, diagnostics);
    if (hasErrors(diagnostics)) return failed();
    for (const note of compared.states[0]?.notes ?? []) host.stderr(`${forTerminal(note)}\n`);
    const printer = createPrinter(host, String(options['output']), diagnostics);
    const hidden = hiddenRoots(host, roots, compared.states, operands, budget);
    const { states } = compared;
    const others = states.map(({ host: ofHead, head }) => otherRoot(ofHead, head, budget));
    const play = (index: number, asked: Pick<Compared, 'onUnmet' | 'isAskedElsewhere'>): void => {
      const [each, root] = [states[index], roots.selected[index]?.root];
      if (each === undefined || root === undefined || budget.exceeded !== undefined) return;
      const otherRoots = others.filter((_, other) => other !== index);
      printer.run(root, (own, onReviewed) =>
        planOne(own, {
          onReviewed,
          ...{ ...each, otherRoots, notes: [], ifUnchanged: undefined },
          hidden: index === 0 ? hidden : [],
          ...asked,
        }),
      );
    };
    const unmet: number[] = [];
    for (const index of states.keys()) play(index, { onUnmet: () => void unmet.push(index) });
    // Another root has what was asked for: this one is planned as without that.
    if (unmet.length < states.length) for (const index of unmet) play(index, { isAskedElsewhere: true });
    const left = leftOver(source, roots, String(options['out']), budget);
    // What the roots would say is not true then.
    if (budget.exceeded !== undefined) return failed(budget.problems());
    const [any] = compared.states;
    if (left.length > 0 && any !== undefined)
      printer.run(undefined, (own) => planNoRoot(own, any, left, operands, options));
    return printer.finish(roots.folder);
  } finally {
    trees.removeAll();
  }
}

/** What base planned and no root has any more. Of a part of the roots it is not known what was left out. */
function hiddenRoots(
  host: Host,
  { configuration, folder, selected }: SelectedRoots,
  states: readonly Compared[],
  operands: readonly string[],
  budget: Budget,
): Diagnostic[] {
  const [any] = states;
  const isWhole =
    operands.length === 0
      ? isInside(folder, host.cwd)
      : operands.some((each) => isInside(folder, fromCwd(host, each)));
  const { roots = [] } = configuration.config;
  if (any === undefined || !isWhole || selected.length < roots.length) return [];
  const baseHost = any.baseHost ?? host;
  const { given: _given, ...state } = any.base;
  const nameAt = rootsAtBase(baseHost, state, roots, budget);
  const head = { host: any.host, state: any.head };
  const hiding = { host: baseHost, state, head, cache: createParseCache(), budget, configuration };
  const before = rootsOf(baseHost, state, budget).map(({ name, path, render: command }) => ({
    ...{ name, path, isRendered: command !== undefined },
  }));
  const kept = roots.map((root) => nameAt(root).path);
  return [
    ...hiddenByRoots(
      hiding,
      before,
      kept,
      roots.map(({ path }) => joinPath(folder, `./${path}`)),
    ),
    ...protectedInRemovedRoots(hiding, before, kept),
  ];
}

/** Plans of no root. Where some roots are left out, the others may have more. */
function leftOver(
  { host }: HeadSource,
  { configuration, folder, selected }: SelectedRoots,
  out: string,
  budget: Budget,
): Finding[] {
  const { roots = [] } = configuration.config;
  if (selected.length < roots.length) return [];
  return plansOfNoRoot(
    host,
    folder,
    joinPath(folder, out),
    roots.map(({ name }) => name),
    budget,
  );
}

/** The states of each root, or all problems that prevent them. */
function comparedRoots(
  host: Host,
  source: HeadSource,
  roots: SelectedRoots,
  options: Options,
  budget: Budget,
  folderOf: (tree: StateInGit) => string,
): { states: Compared[]; diagnostics: Diagnostic[] } | Refusal {
  const inTree = (tree: StateInGit, path: string): { folder: string; top: string } => {
    const top = folderOf(tree);
    const folder = joinPath(top, `./${folderIn(tree.repository, roots.folder)}/${path}`);
    return { folder, top };
  };
  const { tree } = source;
  const isAllowed = options['allow-render'] === true;
  const heads = renderHeads(host, source.host, roots, isAllowed, budget, (root) =>
    tree === undefined ? { folder: root.folder } : inTree(tree, root.root.path),
  );
  const diagnostics = [...heads.diagnostics];
  const states: Compared[] = [];
  let rootAtBase: ReturnType<typeof rootsAtBase> | undefined;
  for (const [index, head] of heads.states.entries()) {
    const selected = roots.selected[index];
    if (selected === undefined) continue;
    const compared = comparedWith(host, source, head, options);
    if ('problem' in compared) return compared;
    // Another root may have the same workload, so that it is not moved from there.
    const baseHost = compared.baseHost ?? host;
    rootAtBase ??= rootsAtBase(baseHost, compared.base, roots.configuration.config.roots ?? [], budget);
    const { name, path: before } = rootAtBase(selected.root);
    const paths =
      before === selected.root.path
        ? compared.base.paths
        : pathsAtBase(baseHost, compared.base, selected, before);
    const { allPlans = compared.base.plans } = compared.base;
    const plans = name === selected.root.name ? compared.base.plans : joinPath(allPlans, `./${name}`);
    const moved = { ...compared.base, paths, plans };
    const own = { ...compared, base: moved, whole: undefined, isPart: true };
    if (selected.root.render === undefined) {
      states.push(own);
      continue;
    }
    const at =
      compared.tree === undefined
        ? { folder: joinPath(compared.base.root, `./${before}`) }
        : inTree(compared.tree, before);
    const printed = (place: { folder: string; top?: string }, state: `at ${string}`): GivenText[] => {
      const rendered = render(host, roots.configuration, selected, { ...place, state });
      if (rendered === undefined) return [];
      if ('file' in rendered) return [rendered];
      diagnostics.push(rendered);
      return [];
    };
    const base = { ...compared.base, plans, given: printed(at, 'at base') };
    const { newer } = compared;
    const rendered = newer && {
      ...newer,
      state: { ...newer.state, given: printed(inTree(newer.tree, selected.root.path), `at ${newer.branch}`) },
    };
    states.push({ ...own, base, newer: rendered });
  }
  return { states, diagnostics: sortDiagnostics(diagnostics) };
}

/** States of git in temporary folders, each made when it is needed first. */
function createTrees(host: Host): { folderOf(tree: StateInGit): string; removeAll(): void } {
  const exported = new Map<string, Exported>();
  return {
    folderOf({ repository, commit }) {
      const known = exported.get(commit);
      if (known !== undefined) return known.folder;
      const made = exportTree(host, repository, commit);
      exported.set(commit, made);
      return made.folder;
    },
    removeAll() {
      for (const { remove } of exported.values()) remove();
    },
  };
}
