import type { Budget } from '../../compiler/load/budget.ts';
import type { CompilerHost } from '../../compiler/host.ts';
import { isInside } from '../../compiler/load/files.ts';
import type { State } from '../../compiler/load/manifests.ts';
import type { Options } from '../command/command.ts';
import type { Refusal } from '../command/refusal.ts';
import { headState } from '../files/states.ts';
import { openRepository, type Repository } from '../git/repository.ts';
import { committedTree, refuseSparse, stagedTree, trackedBelow } from '../git/states.ts';
import { type Link, linksInWorkingTree, missingText, refuseMissing } from '../git/submodules.ts';
import type { Host } from '../host.ts';
import { folderState } from './folder-base.ts';
import { baseInGit, commitOfHead, folderIn } from './git-base.ts';
import type { Compared, StateInGit } from './states.ts';

/** Options that exclude each other. */
export function exclusionProblem(options: Options): Refusal | undefined {
  const given = ['base', 'base-dir'].filter((name) => options[name] !== undefined);
  if (given.length > 1)
    return { problem: '--base and --base-dir exclude each other', help: 'leave one of them out' };
  if (options['head'] !== undefined && options['staged'] === true)
    return { problem: '--staged and --head exclude each other', help: 'leave one of them out' };
  return undefined;
}

/** The states of paths, or the reason why there are none. Throws a `GitError`. */
export function comparedPaths(
  host: Host,
  source: HeadSource,
  paths: readonly string[],
  options: Options,
  budget: Budget,
): Compared | Refusal {
  const head = headState(source.host, paths, String(options['out']), budget);
  return 'problem' in head ? head : comparedWith(host, source, head, options);
}

/** What head is read from. */
export interface HeadSource {
  host: CompilerHost;
  /** Undefined: the working tree. */
  tree: StateInGit | undefined;
  /** The submodules of the tree. */
  links: readonly Link[] | undefined;
  /** The revision that head is, or is based on. */
  name: string;
  isWritable: boolean;
  /** The repository that a folder is in, which is opened once. */
  open: (folder: string) => Repository;
}

/** The working tree, what is staged, or a commit. Throws a `GitError`. */
export function headSource(host: Host, { head, staged }: Options): HeadSource {
  const opened = new Map<string, Repository>();
  const open = (folder: string): Repository => {
    const repository = opened.get(folder) ?? openRepository(host, folder);
    opened.set(folder, repository);
    return repository;
  };
  if (typeof head !== 'string' && staged !== true)
    return { host, tree: undefined, links: undefined, name: 'HEAD', isWritable: true, open };
  const repository = open(host.cwd);
  const isStaged = typeof head !== 'string';
  const commit = isStaged ? 'index' : commitOfHead(repository, head);
  const tree = isStaged
    ? stagedTree(host, repository)
    : committedTree(host, repository, commit, repository.root);
  return {
    ...tree,
    tree: { repository, commit },
    name: isStaged ? 'HEAD' : head,
    isWritable: isStaged,
    open,
  };
}

/** A state at head with the base that the options name. Throws a `GitError`. */
export function comparedWith(
  host: Host,
  source: HeadSource,
  head: State,
  options: Options,
): Compared | Refusal {
  const common = { host: source.host, head, isWritable: source.isWritable };
  const { 'base-dir': baseDir, base: revision } = options;
  if (typeof baseDir === 'string') {
    const base = folderState(host, head, baseDir);
    if ('problem' in base) return base;
    const { unread, ...state } = base;
    return {
      ...{ ...common, base: state, newer: undefined, whole: undefined, isHistoryCut: false },
      head: unread.length === 0 ? head : { ...head, isIncomplete: true },
      notes: unread.map(missingText),
    };
  }
  const repository = source.tree?.repository ?? source.open(head.root);
  if (!isInside(head.root, repository.root))
    return {
      problem: `${head.root} is not in the repository ${repository.root}`,
      help: 'run the command in that folder',
    };
  const tracked = source.tree === undefined ? trackedBelow(repository, folderIn(repository, head.root)) : [];
  refuseSparse(host, repository, tracked);
  const wanted = typeof revision === 'string' ? revision : undefined;
  const asked = { state: head, host: source.host, name: source.name };
  const { links, commit, ...base } = baseInGit(host, repository, asked, wanted);
  const hasLinks = links.length > 0 || tracked.some(({ kind }) => kind === 'submodule');
  const ofHead = source.links ?? (hasLinks ? linksInWorkingTree(host, repository, tracked) : []);
  const paths = head.paths.map((path) => folderIn(repository, path));
  const unread = refuseMissing(ofHead, links, paths, commit);
  return {
    ...{ ...common, ...base, tree: { repository, commit } },
    head: unread.length === 0 ? head : { ...head, isIncomplete: true },
    notes: [...base.notes, ...unread.map(missingText)],
  };
}
