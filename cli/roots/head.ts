import { diagnostic, hasErrors, withoutEarlierErrors } from '../../compiler/diagnostics/diagnostic.ts';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import type { CompilerHost } from '../../compiler/host.ts';
import type { Budget } from '../../compiler/load/budget.ts';
import { shownPath } from '../../compiler/load/files.ts';
import { ignoredPaths } from '../../compiler/load/ignored-paths.ts';
import { loadState } from '../../compiler/load/manifests.ts';
import { createParseCache } from '../../compiler/load/parse-cache.ts';
import type { State } from '../../compiler/load/manifests.ts';
import { unusedRules } from '../../compiler/plan/match-rules.ts';
import type { Host } from '../host.ts';
import { refusedCommands, render } from './render.ts';
import type { SelectedRoot, SelectedRoots } from './select.ts';

/** The roots with what their commands print at head, and problems of kruise.yaml and of its commands. */
export interface RenderedHeads {
  states: readonly State[];
  diagnostics: Diagnostic[];
}

/**
 * Renders the roots at head. With an error there are no states: nothing was run, or not everything.
 *
 * @param at the folder of a root at head, and the whole state if it is in a temporary folder
 */
export function renderHeads(
  host: Host,
  headHost: CompilerHost,
  roots: SelectedRoots,
  isAllowed: boolean,
  budget: Budget,
  at: (root: SelectedRoot) => { folder: string; top?: string },
): RenderedHeads {
  const { configuration, selected } = roots;
  const earlier = configuration.diagnostics;
  const withFolder = selected.filter(({ folder }) => headHost.inspect(folder) !== undefined);
  const missing = selected.filter((root) => !withFolder.includes(root));
  const refused =
    isAllowed || hasErrors(earlier) ? [] : refusedCommands(host, { ...roots, selected: withFolder });
  const diagnostics = [
    ...earlier,
    ...withoutEarlierErrors(earlier)([...missingRoots(headHost, configuration, missing), ...refused]),
  ];
  // Commands of other roots run even so: what they report is mended in the same go.
  if (hasErrors([...earlier, ...refused])) return { states: [], diagnostics };
  const states: State[] = [];
  for (const root of withFolder) {
    if (root.root.render === undefined) {
      states.push(root.state);
      continue;
    }
    const rendered = render(host, configuration, root, { ...at(root), state: 'at head' });
    if (rendered === undefined) states.push(root.state);
    else if ('file' in rendered) states.push({ ...root.state, given: [rendered] });
    else diagnostics.push(rendered);
  }
  if (hasErrors(diagnostics)) return { states: [], diagnostics };
  return { states, diagnostics: [...diagnostics, ...rulesWithoutTarget(headHost, roots, states, budget)] };
}

/** An error for each of these roots, which have no folder. */
function missingRoots(
  host: CompilerHost,
  { locate }: SelectedRoots['configuration'],
  missing: readonly SelectedRoot[],
): Diagnostic[] {
  return missing.map(({ root, index, folder }) => {
    const problem = `the path of the root ${root.name} does not exist: ${shownPath(host, folder)}`;
    return diagnostic('KR4034', { problem }, locate?.(['roots', String(index), 'path'], 'value'));
  });
}

/** Rules that match no target of any root; nothing is known of them if some roots are left out. */
function rulesWithoutTarget(
  host: CompilerHost,
  { configuration, selected }: SelectedRoots,
  states: readonly State[],
  budget: Budget,
): Diagnostic[] {
  const { config, locate, isMatchKnown } = configuration;
  if (locate === undefined || !isMatchKnown || config.steps === undefined) return [];
  if (selected.length < (config.roots?.length ?? 0)) return [];
  const ignored = ignoredPaths(configuration);
  const loaded = states.map((state) => loadState(host, state, createParseCache(), budget, ignored));
  if (loaded.some(({ diagnostics }) => hasErrors(diagnostics))) return [];
  return unusedRules(
    config,
    loaded.flatMap(({ manifests }) => [...manifests.values()]),
    locate,
  );
}
