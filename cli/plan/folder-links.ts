import { HostError } from '../../compiler/host.ts';
import type { State } from '../../compiler/load/manifests.ts';
import { gitRootOf, isInside, joinPath, shownPath } from '../../compiler/load/files.ts';
import { shellWord } from '../../compiler/text/shell-word.ts';
import { GitError } from '../git/git-error.ts';
import { entriesOfIndex } from '../git/objects.ts';
import { openRepository } from '../git/repository.ts';
import { linksInWorkingTree } from '../git/submodules.ts';
import type { Host } from '../host.ts';

/** A submodule of a folder that may be a repository. */
interface FolderLink {
  /** Relative to the root of the state. */
  path: string;
  /** Of its commit; undefined outside of git. */
  id: string | undefined;
  isMissing: boolean;
}

/** A repository with thousands of submodules has a smaller file, bytes. */
const MOST_MODULES_BYTES = 1024 ** 2;

/**
 * Refuses a submodule that one of two folders has and the other has not checked out, or that neither has at different commits:
 * its workloads would look new, deleted or unchanged. Throws a `GitError`.
 *
 * @returns the paths of those that neither has checked out, and that are the same
 */
export function refuseMissingFolders(host: Host, head: State, base: State): string[] {
  const unread: string[] = [];
  const [ofHead, ofBase] = [linksIn(host, head.root), linksIn(host, base.root)];
  const [byHead, byBase] = [ofHead, ofBase].map((links) => new Map(links.map((link) => [link.path, link])));
  for (const path of [...new Set([...ofHead, ...ofBase].map((link) => link.path))].sort()) {
    const at = joinPath(head.root, `./${path}`);
    if (!head.paths.some((each) => isInside(at, each) || isInside(each, at))) continue;
    const [here, there] = [byHead?.get(path), byBase?.get(path)];
    const isSame = here?.isMissing === true && there?.isMissing === true && isSameCommit(here, there);
    const lacking = [
      ...(here?.isMissing === true && !isSame ? [head.root] : []),
      ...(there?.isMissing === true && !isSame ? [base.root] : []),
    ];
    if (isSame) unread.push(path);
    if (lacking.length === 0) continue;
    const where = lacking.map((folder) => (folder === host.cwd ? '.' : shownPath(host, folder)));
    throw new GitError(
      `the submodule ${path} is not checked out in ${where.join(' and ')}, so its workloads cannot be compared`,
      where.map((folder) => `git -C ${shellWord(folder)} submodule update --init --recursive`).join(' && '),
    );
  }
  return unread;
}

function isSameCommit(one: FolderLink, other: FolderLink): boolean {
  return one.id === undefined || other.id === undefined || one.id === other.id;
}

/** The submodules below a folder: those of its repository, else those that its `.gitmodules` names. */
function linksIn(host: Host, root: string): FolderLink[] {
  const top = gitRootOf(host, root);
  const file = joinPath(top ?? root, '.gitmodules');
  if (host.inspect(file)?.kind !== 'file') return [];
  if (top === undefined) {
    return pathsIn(host, file).map((path) => ({
      path,
      id: undefined,
      isMissing: isEmpty(host, joinPath(root, `./${path}`)),
    }));
  }
  const repository = openRepository(host, root);
  return linksInWorkingTree(host, repository, entriesOfIndex(repository, '')).flatMap((link) => {
    const at = joinPath(repository.root, `./${link.path}`);
    return isInside(at, root) ? [{ ...link, path: at.slice(root.length + 1) }] : [];
  });
}

/** What a `.gitmodules` names. Throws a `GitError` if it is too large. */
function pathsIn(host: Host, file: string): string[] {
  let bytes: Uint8Array;
  try {
    bytes = host.readFile(file, MOST_MODULES_BYTES);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    throw new GitError(
      `${shownPath(host, file)} cannot be read: ${error.reason}`,
      'correct the file, or use --base REF',
    );
  }
  return new TextDecoder()
    .decode(bytes)
    .split('\n')
    .flatMap((line) => {
      const [key = '', ...value] = line.split('=');
      const path = value.join('=').trim();
      return key.trim() === 'path' && path !== '' ? [path] : [];
    });
}

function isEmpty(host: Host, folder: string): boolean {
  return host.inspect(folder)?.kind !== 'folder' || host.list(folder).length === 0;
}
