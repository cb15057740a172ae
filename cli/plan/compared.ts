import type { CompileInput } from '../../compiler/compile.ts';
import type { CompilerHost } from '../../compiler/host.ts';
import { fromCwd, gitRootOf, isInside, joinPath } from '../../compiler/load/files.ts';
import type { State } from '../../compiler/load/manifests.ts';
import type { WholeBase } from '../../compiler/plan/moved.ts';
import type { NewerState } from '../../compiler/plan/newer-base.ts';
import type { Options } from '../command/command.ts';
import type { Refusal } from '../command/refusal.ts';
import { baseState, headState } from '../files/states.ts';
import { findBase, targetBranches } from '../git/base.ts';
import { GitError, openRepository } from '../git/repository.ts';
import { committedHost, refuseSparse, stagedHost } from '../git/states.ts';
import type { Host } from '../host.ts';
import { commitOfHead, committedBase, folderIn } from './git-base.ts';

/** The two states that a plan compares, and what they are read from. */
export interface Compared extends Pick<
  CompileInput,
  'head' | 'base' | 'baseHost' | 'earlierPlans' | 'isHistoryCut'
> {
  /** What head is read from. */
  host: CompilerHost;
  /** False where head is a commit: its plans lie in no folder that could be written. */
  isWritable: boolean;
  /** What is worth saying of the base before anything else. */
  notes: readonly string[];
  /** The state of the branch that the change goes to, where the base is another one. */
  newer: NewerState | undefined;
  /** The whole state at base, if the run compares a part of it. */
  whole: WholeBase | undefined;
}

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
  const branches = targetBranches(host.env);
  const named = typeof revision === 'string' ? [revision] : [];
  repository.resolveAll(['HEAD', 'MERGE_HEAD', headName, ...named, ...branches]);
  const commit = commitOfHead(repository, headName);
  // The only one is what CI names: it is the target though it has to be fetched first.
  const target = branches.length === 1 ? branches[0] : branches.find((each) => repository.commit(each));
  const wanted = typeof revision === 'string' ? revision : undefined;
  const found = findBase(repository, host, { head: commit, headName, revision: wanted, target });
  return { ...common, ...committedBase(host, repository, head, commit, found) };
}

/** The state at base in a folder; a worktree as a whole is compared by the place of head in its own repository. */
function folderState(host: Host, head: State, given: string): State | Refusal {
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
  return base;
}
