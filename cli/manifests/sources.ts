import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import { diagnostic, hasErrors } from '../../compiler/diagnostics/diagnostic.ts';
import type { Budget } from '../../compiler/load/budget.ts';
import { loadHeadConfig } from '../../compiler/load/configuration.ts';
import { joinPath, shownPath } from '../../compiler/load/files.ts';
import type { State } from '../../compiler/load/manifests.ts';
import type { Root } from '../../schemas/generated/types/config.ts';
import type { Refusal } from '../command/refusal.ts';
import { stateIn } from '../files/states.ts';
import type { Host } from '../host.ts';
import { areApart } from './apart.ts';
import { refusedCommands, render } from '../roots/render.ts';
import type { SelectedRoot } from '../roots/select.ts';

/** A source of a root of kruise.yaml, and the folder that it is compiled into. */
export interface BuiltSource {
  state: State;
  /** The absolute folder of the root. */
  out: string;
}

/** The file that gets what a command prints. */
export const RENDERED_FILE = 'manifests.yaml';

/**
 * The sources of the roots of kruise.yaml; undefined: no root has one. With an error there are none: nothing was run, or not
 * everything.
 *
 * @param isAllowed whether commands of kruise.yaml are run
 */
export function builtSources(
  host: Host,
  isAllowed: boolean,
  budget: Budget,
): { sources: BuiltSource[]; diagnostics: Diagnostic[] } | Refusal | undefined {
  const configuration = loadHeadConfig(host, host.cwd, budget);
  const { roots, folder, diagnostics: earlier, locate } = configuration;
  if (folder === undefined || !roots.some(({ root }) => root.source !== undefined)) return undefined;
  const diagnostics = [...earlier];
  const selected: (SelectedRoot & { out: string })[] = [];
  for (const { root, index } of roots) {
    const { source, ...own } = root;
    if (source === undefined) continue;
    const at = joinPath(folder, `./${source.path}`);
    if (host.inspect(at) === undefined) {
      const problem = `the source of the root ${root.name} does not exist: ${shownPath(host, at)}`;
      const position = locate?.(['roots', String(index), 'source', 'path'], 'value');
      diagnostics.push(diagnostic('KR4034', { problem }, position));
      continue;
    }
    // As written they are apart, which the checks of kruise.yaml have seen to.
    const linked = roots.find(({ root: each }) => isLinked(host, folder, each, root, source));
    if (linked !== undefined) {
      const problem = `the source of ${root.name} and the folder of the root ${linked.root.name} are one folder by a link, or one is inside of the other`;
      const position = locate?.(['roots', String(index), 'source', 'path'], 'value');
      diagnostics.push(diagnostic('KR4034', { problem }, position));
      continue;
    }
    const state = stateIn(host, at, source.render === undefined ? [at] : [], 'plans');
    if ('problem' in state) return state;
    // Its commands are those of the source.
    const rendering = { ...own, ...(source.render !== undefined && { render: source.render }) };
    selected.push({ root: rendering, index, folder: at, state, out: joinPath(folder, `./${root.path}`) });
  }
  if (!isAllowed && !hasErrors(diagnostics))
    diagnostics.push(...refusedCommands(host, { configuration, folder, selected }));
  if (hasErrors(diagnostics)) return { sources: [], diagnostics };
  const sources: BuiltSource[] = [];
  for (const each of selected) {
    const { state, out } = each;
    const rendered =
      each.root.render === undefined
        ? undefined
        : render(host, configuration, each, { folder: each.folder, state: 'at head' });
    if (rendered === undefined) sources.push({ state, out });
    else if ('file' in rendered) sources.push({ state: { ...state, given: [rendered] }, out });
    else diagnostics.push(rendered);
  }
  return { sources: hasErrors(diagnostics) ? [] : sources, diagnostics };
}

/** Whether a source and the folder of a root share files by a link. What a command prints says nothing of the files below its folder. */
function isLinked(host: Host, folder: string, near: Root, own: Root, source: Root['source']): boolean {
  const isOwn = near === own;
  if (!isOwn && (near.render !== undefined || source?.render !== undefined)) return false;
  return !areApart(host, joinPath(folder, `./${near.path}`), joinPath(folder, `./${source?.path ?? ''}`));
}
