import type { Budget } from '../../compiler/load/budget.ts';
import type { Root } from '../../schemas/generated/types/config.ts';
import type { CompilerHost } from '../../compiler/host.ts';
import { loadHeadConfig } from '../../compiler/load/configuration.ts';
import type { Configuration } from '../../compiler/load/configuration.ts';
import { fromCwd, isInside, joinPath } from '../../compiler/load/files.ts';
import type { State } from '../../compiler/load/manifests.ts';
import type { Refusal } from '../command/refusal.ts';
import { stateIn } from '../files/states.ts';

/** A root of kruise.yaml that is planned. */
export interface SelectedRoot {
  root: Root;
  /** Its index in kruise.yaml. */
  index: number;
  /** Its absolute folder at head. */
  folder: string;
  /** The state at head. A rendered root has no paths: its manifests are what the command prints. */
  state: State;
}

export interface SelectedRoots {
  configuration: Configuration;
  /** The absolute folder of kruise.yaml. */
  folder: string;
  selected: readonly SelectedRoot[];
}

/**
 * The roots of kruise.yaml at, below or above the paths of the command line, or the working directory. Undefined if there
 * are none: then the paths themselves are planned.
 *
 * @returns the reason instead if some paths are in roots and others are not
 */
export function selectRoots(
  host: CompilerHost,
  operands: readonly string[],
  out: string,
  budget: Budget,
): SelectedRoots | Refusal | undefined {
  const paths = operands.length === 0 ? [host.cwd] : operands.map((path) => fromCwd(host, path));
  const [only] = paths;
  const isFolder = only !== undefined && paths.length === 1 && host.inspect(only)?.kind === 'folder';
  const configuration = loadHeadConfig(host, isFolder ? only : host.cwd, budget);
  const { config, roots, folder } = configuration;
  if (folder === undefined || roots.length === 0) return undefined;
  const selected: SelectedRoot[] = [];
  const used = new Set<string>();
  for (const { root, index } of roots) {
    const at = joinPath(folder, `./${root.path}`);
    const meeting = paths.filter((path) => isInside(at, path) || isInside(path, at));
    if (meeting.length === 0) continue;
    for (const path of meeting) used.add(path);
    const parts = meeting.some((path) => isInside(at, path)) ? [at] : meeting;
    const read = root.render === undefined ? parts : [];
    const state = stateIn(host, folder, read, `${out}/${root.name}`);
    if ('problem' in state) return state;
    const { namespaces } = root;
    const ofRoot = { allPlans: joinPath(folder, out), ...(namespaces === undefined ? {} : { namespaces }) };
    selected.push({ root, index, folder: at, state: { ...state, ...ofRoot } });
  }
  if (selected.length === 0) return undefined;
  const other = paths.find((path) => !used.has(path));
  // It may be in a root that does not fit the schema, which is an error anyway.
  if (other !== undefined && config.roots === undefined) return undefined;
  if (other !== undefined)
    return { problem: `${other} is in no root of kruise.yaml`, help: 'name paths in roots, or add a root' };
  return { configuration, folder, selected };
}
