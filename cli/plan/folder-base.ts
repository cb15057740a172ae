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
  const base = isWorktree
    ? baseState(host, head, joinPath(folder, `./${head.root.slice(root.length)}`))
    : (partState(host, head, folder) ?? baseState(host, head, folder));
  if (host.inspect(base.root)?.real === host.inspect(head.root)?.real)
    return {
      problem: `--base-dir ${given} is the planned folder itself, so there are no differences`,
      help: 'name another folder, or use --base REF',
    };
  return { ...base, unread: refuseMissingFolders(host, head, base) };
}

/**
 * The state in a folder that stands for what was named at head, which lies below the folder of `kruise.yaml` there. Undefined
 * if it stands for that folder: it has a `kruise.yaml` of its own, or what was named.
 */
function partState(host: Host, head: State, folder: string): State | undefined {
  const [named, ...others] = head.paths;
  if (named === undefined || others.length > 0 || named === head.root) return undefined;
  if (host.inspect(named)?.kind !== 'folder') return undefined;
  const isWhole = ['kruise.yaml', named.slice(head.root.length)].some(
    (path) => host.inspect(joinPath(folder, `./${path}`)) !== undefined,
  );
  if (isWhole) return undefined;
  const plans = joinPath(folder, `./${head.plans.slice(head.root.length)}`);
  return { root: folder, headRoot: named, paths: [folder], plans };
}
