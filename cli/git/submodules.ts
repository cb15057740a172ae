import type { CompilerHost } from '../../compiler/host.ts';
import { isInside, joinPath } from '../../compiler/load/files.ts';
import { countText } from '../../semantics/values/text.ts';
import { shellWord } from '../../compiler/text/shell-word.ts';
import type { Host } from '../host.ts';
import { entriesOfCommit, entriesOfIndex, readBlobs, sizesOf, type TreeEntry } from './objects.ts';
import { GitError } from './git-error.ts';
import { openRepository, type Repository } from './repository.ts';
import { treeHost } from './tree-host.ts';

/** A submodule that a state has. */
export interface Link {
  /** Relative to the root of the working tree. */
  path: string;
  /** Of its commit. */
  id: string;
  /** Its objects are not here. */
  isMissing: boolean;
}

/** What a state is read from, and its submodules. */
export interface Tree {
  host: CompilerHost;
  links: readonly Link[];
}

/** A host that has files of a repository at the folder `at`, and of its submodules as far as they are checked out. */
export function treeWithSubmodules(
  host: Host,
  repository: Repository,
  entries: readonly TreeEntry[],
  at: string,
): Tree {
  let tree = treeHost(host, at, entries, {
    read: (ids) => readBlobs(repository, ids),
    sizes: (ids) => sizesOf(repository, ids),
  });
  const links: Link[] = [];
  let present: readonly string[] | undefined;
  const places = (): readonly string[] => (present ??= checkoutsOf(host, repository));
  for (const { kind, path, id } of entries) {
    if (kind !== 'submodule') continue;
    const inner = checkedOut(host, repository, path, id, places);
    links.push({ path, id, isMissing: inner === undefined });
    if (inner === undefined) continue;
    const below = treeWithSubmodules(
      { ...host, ...tree },
      inner,
      entriesOfCommit(inner, id, ''),
      joinPath(at, path),
    );
    tree = below.host;
    links.push(...below.links.map((link) => ({ ...link, path: `${path}/${link.path}` })));
  }
  return { host: tree, links };
}

/** The submodule at its place, or at the one that it was moved to. Throws a `GitError` if it lacks the commit. */
export function checkedOut(
  host: Host,
  repository: Repository,
  path: string,
  id: string,
  checkouts: () => readonly string[],
): Repository | undefined {
  if (isCheckedOut(host, repository, path)) {
    const inner = openRepository(host, joinPath(repository.root, path));
    if (inner.commit(id) !== undefined) return inner;
    throw new GitError(
      `the submodule ${path} does not have the commit ${id}`,
      `fetch it: git -C ${shellWord(path)} fetch origin ${id}`,
    );
  }
  for (const place of checkouts()) {
    const inner = openRepository(host, joinPath(repository.root, place));
    if (inner.commit(id) !== undefined) return inner;
  }
  return undefined;
}

/** What a run says of a submodule that is not checked out and does not change. */
export function missingText(path: string): string {
  return `the submodule ${path} is not checked out: its workloads are not read, and their plans are left alone`;
}

/** Where submodules are checked out. */
export function checkoutsOf(host: Host, repository: Repository): string[] {
  return entriesOfIndex(repository, '').flatMap(({ kind, path }) =>
    kind === 'submodule' && isCheckedOut(host, repository, path) ? [path] : [],
  );
}

function isCheckedOut(host: CompilerHost, { root }: Repository, path: string): boolean {
  return host.inspect(joinPath(root, `${path}/.git`)) !== undefined;
}

/** The submodules of a working tree, and those inside of them. */
export function linksInWorkingTree(
  host: Host,
  repository: Repository,
  entries: readonly TreeEntry[],
): Link[] {
  return entries.flatMap(({ kind, path, id }): Link[] => {
    if (kind !== 'submodule') return [];
    if (!isCheckedOut(host, repository, path)) return [{ path, id, isMissing: true }];
    const inner = openRepository(host, joinPath(repository.root, path));
    const below = linksInWorkingTree(host, inner, entriesOfIndex(inner, ''));
    return [
      { path, id, isMissing: false },
      ...below.map((link) => ({ ...link, path: `${path}/${link.path}` })),
    ];
  });
}

/**
 * Refuses a submodule that differs between two states and whose objects are not here: its workloads would look new or
 * deleted. One that is the same in both changes nothing. Throws a `GitError`.
 *
 * @param paths what is compared, relative to the root of the working tree
 * @returns the paths of those whose objects are not here, and that are the same
 */
export function refuseMissing(
  head: readonly Link[],
  base: readonly Link[],
  paths: readonly string[],
  baseCommit: string,
): string[] {
  const isCompared = ({ path }: Link): boolean =>
    paths.some((each) => each === '' || isInside(path, each) || isInside(each, path));
  const differs = ({ path, id, isMissing }: Link, others: readonly Link[]): boolean =>
    isMissing && !others.some((other) => other.path === path && other.id === id);
  const atHead = head.filter((link) => isCompared(link) && differs(link, base));
  const atBase = base.filter((link) => isCompared(link) && differs(link, head));
  const gone = atBase.filter(({ path }) => !head.some((link) => link.path === path));
  const missing = [...new Set([...atHead, ...atBase].map(({ path }) => path))].sort();
  const [first, ...others] = missing;
  if (first === undefined)
    return head.filter((link) => link.isMissing && isCompared(link)).map(({ path }) => path);
  const more = others.length === 0 ? '' : ` and ${countText(others.length, 'more submodule')}`;
  throw new GitError(
    `the submodule ${first}${more} cannot be compared: it changes, and is not checked out`,
    gone.length === 0
      ? 'git submodule update --init --recursive'
      : `compare with a worktree: git worktree add ../base ${baseCommit}, then in it git submodule update --init --recursive, then --base-dir ../base here`,
  );
}
