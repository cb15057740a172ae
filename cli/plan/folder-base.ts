import { fromCwd, gitRootOf, joinPath } from '../../compiler/load/files.ts';
import type { State } from '../../compiler/load/manifests.ts';
import type { Refusal } from '../command/refusal.ts';
import { baseState } from '../files/states.ts';
import { refuseMissingFolders } from './folder-links.ts';
import type { Host } from '../host.ts';

/**
 * The state at base in a folder; a worktree as a whole is compared by the place of head in its own repository. Throws a
 * `GitError`. `unread` are the submodules that neither state has checked out.
 */
export function folderState(
  host: Host,
  head: State,
  given: string,
): (State & { unread: readonly string[] }) | Refusal {
  if (given.trim() === '')
    return { problem: '--base-dir is empty', help: 'name the folder with the state to compare with' };
  const folder = fromCwd(host, given);
  if (host.inspect(folder)?.kind !== 'folder')
    return { problem: `--base-dir ${given} is not a folder`, help: 'name one, or use --base REF' };
  const root = gitRootOf(host, head.root);
  const isWorktree =
    root !== undefined && root !== head.root && host.inspect(joinPath(folder, '.git')) !== undefined;
  const base = baseState(
    host,
    head,
    isWorktree ? joinPath(folder, `./${head.root.slice(root.length)}`) : folder,
  );
  if (host.inspect(base.root)?.real === host.inspect(head.root)?.real)
    return {
      problem: `--base-dir ${given} is the planned folder itself, so there are no differences`,
      help: 'name another folder, or use --base REF',
    };
  return { ...base, unread: refuseMissingFolders(host, head, base) };
}
