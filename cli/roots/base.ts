import type { Budget } from '../../compiler/load/budget.ts';
import type { CompilerHost } from '../../compiler/host.ts';
import { rootsOf } from '../../compiler/load/base-state.ts';
import { joinPath } from '../../compiler/load/files.ts';
import type { State } from '../../compiler/load/manifests.ts';
import type { Root } from '../../schemas/generated/types/config.ts';
import type { SelectedRoot } from './select.ts';

/** What a root of head is called at base, and its path there, relative to kruise.yaml. */
export interface RootAtBase {
  name: string;
  path: string;
}

/**
 * What roots of head were at base. A root has the path of head, unless base does not have it and gives the root of that name
 * another one: its folder was moved then. A root with a new name is one whose name is gone and that had its path. If one name
 * is gone, and one new name has a folder that base does not have, both were changed together.
 *
 * @param base the state at base; its root is the folder of kruise.yaml
 * @param roots all roots of head
 */
export function rootsAtBase(
  host: CompilerHost,
  base: State,
  roots: readonly Root[],
  budget: Budget,
): (root: Root) => RootAtBase {
  const isThere = ({ path }: Root): boolean => host.inspect(joinPath(base.root, `./${path}`)) !== undefined;
  const known = rootsOf(host, base, budget);
  const names = new Set(roots.map(({ name }) => name));
  const gone = known.filter(({ name }) => !names.has(name));
  const added = roots.filter(({ name }) => !known.some((each) => each.name === name));
  return (root) => {
    const same = known.find(({ name }) => name === root.name);
    if (same !== undefined) return isThere(root) ? { ...same, path: root.path } : same;
    const [only, another] = gone;
    const isOnly = only !== undefined && another === undefined && added.length === 1 && !isThere(root);
    const renamed = gone.find(({ path }) => path === root.path) ?? (isOnly ? only : undefined);
    return renamed ?? root;
  };
}

/** The same files of a root at base as at head, in the folder that the root had there. */
export function pathsAtBase(
  host: CompilerHost,
  base: State,
  { state, folder }: SelectedRoot,
  path: string,
): string[] {
  return state.paths
    .map((each) => joinPath(base.root, `./${path}${each.slice(folder.length)}`))
    .filter((each) => host.inspect(each) !== undefined);
}
