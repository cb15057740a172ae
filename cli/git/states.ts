import type { CompilerHost } from '../../compiler/host.ts';
import { isManifestName, joinPath } from '../../compiler/load/files.ts';
import type { Host } from '../host.ts';
import {
  entriesOfCommit,
  entriesOfIndex,
  readBlobs,
  sizesOf,
  sparseFiles,
  type TreeEntry,
} from './objects.ts';
import { GitError, openRepository, type Repository } from './repository.ts';
import { type Blobs, treeHost } from './tree-host.ts';
import { countText } from '../../semantics/values/text.ts';

/**
 * A host that has a commit at the folder `at`, with its submodules as far as they are checked out.
 *
 * @param folder what of it is needed, relative to the root; `''` is all
 */
export function committedHost(
  host: Host,
  repository: Repository,
  commit: string,
  at: string,
  folder = '',
): CompilerHost {
  const below = entriesOfCommit(repository, commit, folder);
  // A link may lead to what is not below the folder, and may be a part of the way to it.
  const isClosed = folder === '' || (below.length > 0 && below.every(({ kind }) => kind !== 'link'));
  const entries = isClosed ? below : entriesOfCommit(repository, commit, '');
  return withSubmodules(host, repository, entries, at);
}

/** A host that has what is staged in place of the working tree. */
export function stagedHost(host: Host, repository: Repository): CompilerHost {
  return withSubmodules(host, repository, entriesOfIndex(repository, ''), repository.root);
}

function withSubmodules(
  host: Host,
  repository: Repository,
  entries: readonly TreeEntry[],
  at: string,
): CompilerHost {
  let tree = treeHost(host, at, entries, blobsOf(repository));
  for (const { kind, path, id } of entries) {
    const folder = joinPath(repository.root, path);
    if (kind !== 'submodule' || host.inspect(joinPath(folder, '.git')) === undefined) continue;
    const inner = openRepository(host, folder);
    if (inner.commit(id) === undefined)
      throw new GitError(
        `the submodule ${path} does not have the commit ${id}`,
        `fetch it: git -C ${path} fetch origin ${id}`,
      );
    tree = withSubmodules({ ...host, ...tree }, inner, entriesOfCommit(inner, id, ''), joinPath(at, path));
  }
  return tree;
}

function blobsOf(repository: Repository): Blobs {
  return { read: (ids) => readBlobs(repository, ids), sizes: (ids) => sizesOf(repository, ids) };
}

/**
 * Refuses a working tree in which a sparse checkout left out manifests below a folder: they would look deleted. Throws a
 * `GitError`.
 */
export function refuseSparse(repository: Repository, folder: string): void {
  const missing = sparseFiles(repository, folder).filter((path) =>
    isManifestName(path.slice(path.lastIndexOf('/') + 1)),
  );
  const [first] = missing;
  if (first === undefined) return;
  throw new GitError(
    `the sparse checkout leaves out ${missing.length === 1 ? first : `${first} and ${countText(missing.length - 1, 'more file')}`}`,
    'git sparse-checkout disable, or plan what is committed or staged: --head HEAD, --staged',
  );
}
