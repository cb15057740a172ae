import { isInside } from '../../compiler/load/files.ts';
import type { Options } from '../command/command.ts';
import type { Refusal } from '../command/refusal.ts';
import { headState } from '../files/states.ts';
import { GitError } from '../git/git-error.ts';
import { openRepository } from '../git/repository.ts';
import { committedTree, refuseSparse, stagedTree, trackedBelow } from '../git/states.ts';
import { linksInWorkingTree, refuseMissing } from '../git/submodules.ts';
import type { Host } from '../host.ts';
import { comparedFiles, filesOf, readFiles } from './files.ts';
import { folderState } from './folder-base.ts';
import { baseInGit, commitOfHead, folderIn } from './git-base.ts';
import type { Compared } from './states.ts';

/** The states that operands and options name, or the reason why there are none. */
export function comparedStates(
  host: Host,
  operands: readonly string[],
  options: Options,
): Compared | Refusal {
  const given = ['base', 'base-dir'].filter((name) => options[name] !== undefined);
  if (given.length > 1)
    return { problem: '--base and --base-dir exclude each other', help: 'leave one of them out' };
  if (options['head'] !== undefined && options['staged'] === true)
    return { problem: '--staged and --head exclude each other', help: 'leave one of them out' };
  try {
    return compared(host, operands, options);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return { problem: error.message, help: error.help };
  }
}

function compared(host: Host, operands: readonly string[], options: Options): Compared | Refusal {
  const files = readFiles(host, operands, options);
  if (files !== undefined) return 'problem' in files ? files : comparedFiles(host, files, options);
  return comparedPaths(host, [...operands, ...filesOf(options)], options);
}

function comparedPaths(host: Host, operands: readonly string[], options: Options): Compared | Refusal {
  const out = String(options['out']);
  const { head: headRevision, staged } = options;
  const isTree = typeof headRevision === 'string' || staged === true;
  const opened = isTree ? openRepository(host, host.cwd) : undefined;
  const tree =
    opened === undefined
      ? undefined
      : typeof headRevision === 'string'
        ? committedTree(host, opened, commitOfHead(opened, headRevision), opened.root)
        : stagedTree(host, opened);
  const headHost = tree?.host ?? host;
  const head = headState(headHost, operands, out);
  if ('problem' in head) return head;
  const common = { host: headHost, head, isWritable: typeof headRevision !== 'string' };
  const { 'base-dir': baseDir, base: revision } = options;
  if (typeof baseDir === 'string') {
    const base = folderState(host, head, baseDir);
    return 'problem' in base
      ? base
      : { ...common, base, notes: [], newer: undefined, whole: undefined, isHistoryCut: false };
  }
  const repository = opened ?? openRepository(host, head.root);
  if (!isInside(head.root, repository.root))
    return {
      problem: `${head.root} is not in the repository ${repository.root}`,
      help: 'run the command in that folder',
    };
  const tracked = isTree ? [] : trackedBelow(repository, folderIn(repository, head.root));
  refuseSparse(host, repository, tracked);
  const name = typeof headRevision === 'string' ? headRevision : 'HEAD';
  const wanted = typeof revision === 'string' ? revision : undefined;
  const { links, commit, ...base } = baseInGit(
    host,
    repository,
    { state: head, host: headHost, name },
    wanted,
  );
  const hasLinks = links.length > 0 || tracked.some(({ kind }) => kind === 'submodule');
  const ofHead = tree?.links ?? (hasLinks ? linksInWorkingTree(host, repository, tracked) : []);
  const paths = head.paths.map((path) => folderIn(repository, path));
  refuseMissing(ofHead, links, paths, commit);
  return { ...common, ...base };
}
