import type { CompilerHost } from '../../compiler/host.ts';
import { loadConfig } from '../../compiler/load/configuration.ts';
import { joinPath } from '../../compiler/load/files.ts';
import type { State } from '../../compiler/load/manifests.ts';
import type { SelectedRoot } from './select.ts';

/**
 * The path that a root has at base, relative to kruise.yaml: that of head, unless base does not have it and gives the root of
 * that name another one. Its folder was moved then.
 *
 * @param base the state at base; its root is the folder of kruise.yaml
 */
export function pathAtBase(host: CompilerHost, base: State, { root }: SelectedRoot): string {
  if (host.inspect(joinPath(base.root, `./${root.path}`)) !== undefined) return root.path;
  const { config, folder } = loadConfig(host, base.root);
  const before = folder === base.root ? config.roots?.find(({ name }) => name === root.name) : undefined;
  return before?.path ?? root.path;
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
