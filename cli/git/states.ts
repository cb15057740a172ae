import type { CompilerHost } from '../../compiler/host.ts';
import { isManifestName, joinPath } from '../../compiler/load/files.ts';
import { countText } from '../../semantics/values/text.ts';
import type { Host } from '../host.ts';
import { entriesOfCommit, entriesOfIndex, type IndexEntry } from './objects.ts';
import { GitError } from './git-error.ts';
import type { Repository } from './repository.ts';
import { type Tree, treeWithSubmodules } from './submodules.ts';

/**
 * A commit at the folder `at`, with its submodules as far as they are checked out.
 *
 * @param folder what of it is needed, relative to the root; `''` is all
 */
export function committedTree(
  host: Host,
  repository: Repository,
  commit: string,
  at: string,
  folder = '',
): Tree {
  if (folder === '') return wholeTree(host, repository, commit, at);
  // What lies above is its configuration.
  const found = entriesOfCommit(repository, commit, folder, ...configurationsAbove(folder));
  const below = found.filter(({ path }) => path.startsWith(`${folder}/`) || path === folder);
  // A link may lead to what is not below the folder, and may be a part of the way to it.
  const isClosed = below.length > 0 && found.every(({ kind }) => kind !== 'link');
  return isClosed ? treeWithSubmodules(host, repository, found, at) : wholeTree(host, repository, commit, at);
}

/** Roots of one repository share what a commit has as a whole. */
const wholeTrees = new WeakMap<Repository, Map<string, Tree>>();

function wholeTree(host: Host, repository: Repository, commit: string, at: string): Tree {
  const trees = wholeTrees.get(repository) ?? new Map<string, Tree>();
  wholeTrees.set(repository, trees);
  const key = `${commit} ${at}`;
  const tree =
    trees.get(key) ?? treeWithSubmodules(host, repository, entriesOfCommit(repository, commit, ''), at);
  trees.set(key, tree);
  return tree;
}

/** The same, where its submodules do not matter. */
export function committedHost(
  ...[host, repository, commit, at, folder]: Parameters<typeof committedTree>
): CompilerHost {
  return committedTree(host, repository, commit, at, folder).host;
}

/** What is staged, in place of the working tree. */
export function stagedTree(host: Host, repository: Repository): Tree {
  return treeWithSubmodules(host, repository, entriesOfIndex(repository, ''), repository.root);
}

/** What of a working tree is tracked below a folder, and the configuration that counts there. */
export function trackedBelow(repository: Repository, folder: string): IndexEntry[] {
  if (folder === '') return entriesOfIndex(repository, '');
  return entriesOfIndex(repository, folder, ...configurationsAbove(folder));
}

/** The places of kruise.yaml in the folders above one. */
function configurationsAbove(folder: string): string[] {
  const names = folder === '' ? [] : folder.split('/');
  return names.map((_, index) => [...names.slice(0, index), CONFIGURATION].join('/'));
}

const CONFIGURATION = 'kruise.yaml';

/**
 * Refuses a working tree in which a sparse checkout left out manifests, which would look deleted, or `kruise.yaml`. Throws a
 * `GitError`.
 */
export function refuseSparse(
  host: CompilerHost,
  repository: Repository,
  entries: readonly IndexEntry[],
): void {
  const missing = entries.filter(({ path, isSkipped }) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const isRead = isManifestName(name) || name === CONFIGURATION;
    return isSkipped && isRead && host.inspect(joinPath(repository.root, path)) === undefined;
  });
  const [first] = missing;
  if (first === undefined) return;
  throw new GitError(
    `the sparse checkout leaves out ${missing.length === 1 ? first.path : `${first.path} and ${countText(missing.length - 1, 'more file')}`}`,
    'git sparse-checkout disable, or plan what is committed or staged: --head HEAD, --staged',
  );
}
