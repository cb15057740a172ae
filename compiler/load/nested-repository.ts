import type { CompilerHost } from '../host.ts';
import { fromCwd, isInside, joinPath, shownPath } from './files.ts';

/**
 * The folder between a file and the root of its state that is a repository of its own, as a submodule, a worktree or a clone
 * is; undefined if there is none.
 *
 * @param file as shown to the user
 */
export function nestedRepository(host: CompilerHost, root: string, file: string): string | undefined {
  let folder = joinPath(fromCwd(host, file), '..');
  for (; folder !== root && isInside(folder, root); folder = joinPath(folder, '..'))
    if (host.inspect(joinPath(folder, '.git')) !== undefined) return shownPath(host, folder);
  return undefined;
}
