import { isInside } from '../../compiler/load/files.ts';
import type { Options } from '../command/command.ts';
import type { Refusal } from '../command/refusal.ts';
import { headState } from '../files/states.ts';
import { GitError, openRepository } from '../git/repository.ts';
import { committedHost, refuseSparse, stagedHost } from '../git/states.ts';
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
  const headHost =
    opened === undefined
      ? host
      : typeof headRevision === 'string'
        ? committedHost(host, opened, commitOfHead(opened, headRevision), opened.root)
        : stagedHost(host, opened);
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
  if (!isTree) refuseSparse(repository, folderIn(repository, head.root));
  const headName = typeof headRevision === 'string' ? headRevision : 'HEAD';
  const wanted = typeof revision === 'string' ? revision : undefined;
  return { ...common, ...baseInGit(host, repository, head, headName, wanted) };
}
