import { shellWord } from '../../compiler/text/shell-word.ts';
import type { BaseCommit } from './base.ts';
import { SHORT } from './base.ts';
import { GitError } from './git-error.ts';
import type { Repository } from './repository.ts';

/**
 * Why a base is refused that is older than the commit at which head left the branch that the change goes to: what the branch
 * did since would be compared as a part of the change. Undefined for every other base: one on the way to head, one of another
 * branch, and any base of what the branch has already, such as a commit before a push.
 *
 * @param isTargetKnown CI names the branch. Otherwise it is a guess, and a branch that the user names is believed to be it.
 */
export function olderBase(
  repository: Repository,
  head: { commit: string; name: string },
  { revision, commit, target }: BaseCommit,
  isTargetKnown: boolean,
): GitError | undefined {
  const branch = target === undefined || target === revision ? undefined : repository.commit(target);
  if (target === undefined || branch === undefined) return undefined;
  const left = repository.mergeBase(branch, head.commit);
  if (left === undefined || left === commit || left === head.commit) return undefined;
  // A branch of that name of the remote is the same branch, which was not pulled.
  const isOther = isBranch(repository, revision) && repository.commit(`origin/${revision}`) !== branch;
  if (isOther && !isTargetKnown) return undefined;
  if (repository.mergeBase(commit, left) !== commit) return undefined;
  return new GitError(
    `the base ${revision} is older than ${left.slice(0, SHORT)}, at which ${head.name} left ${target}`,
    `leave --base out, or name the branch: --base ${shellWord(target)}; for a change that ${target} has already, plan its paths: kruise plan PATH --base ${shellWord(revision)}`,
  );
}

/** The full names that a revision may be short for. */
export function fullNames(revision: string): { local: string; remote: string; tag: string } {
  return {
    local: `refs/heads/${revision}`,
    remote: `refs/remotes/${revision}`,
    tag: `refs/tags/${revision}`,
  };
}

function isBranch(repository: Repository, revision: string): boolean {
  // Names have none of these: it is a commit that is found from a name.
  if (/[~^:]|@\{/.test(revision)) return false;
  const { local, remote } = fullNames(revision);
  return repository.commit(local) !== undefined || repository.commit(remote) !== undefined;
}
