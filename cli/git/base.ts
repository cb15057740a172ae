import type { Host } from '../host.ts';
import { GitError, type Repository, textOf } from './repository.ts';

/** The commit that a plan starts from. */
export interface BaseCommit {
  /** The revision as the user or the pull request names it. */
  revision: string;
  /** Its newest common commit with head. */
  commit: string;
  /** The revision that CI, the remote or the name of a branch makes the target of the change; undefined: none was found. */
  target: string | undefined;
}

/** Where CI systems name the branch that a pull request goes to. */
const TARGET_VARIABLES = [
  'GITHUB_BASE_REF',
  'CI_MERGE_REQUEST_TARGET_BRANCH_NAME',
  'BITBUCKET_PR_DESTINATION_BRANCH',
  'BUILDKITE_PULL_REQUEST_BASE_BRANCH',
  'SYSTEM_PULLREQUEST_TARGETBRANCH',
  'CHANGE_TARGET',
] as const;

/**
 * The merge base of head and a revision; without a revision, of head and the branch that the change goes to: what CI names,
 * else the default branch of the remote `origin`, else `main` or `master`, else head itself. Throws a `GitError`.
 */
export function findBase(
  repository: Repository,
  env: Host['env'],
  head: string,
  revision: string | undefined,
  target: string | undefined,
): BaseCommit {
  const wanted = revision ?? target;
  // At a desk the last commit is a good guess; in CI it would be a base without a difference.
  if (wanted === undefined && env['CI'] === undefined) return { revision: 'HEAD', commit: head, target };
  if (wanted === undefined)
    throw new GitError(
      'there is no branch origin/HEAD, main or master to compare with',
      'name one: --base REF, such as --base origin/develop',
    );
  if (wanted.startsWith('origin/')) repository.firstOf([wanted]);
  const commit = repository.commit(wanted);
  if (commit === undefined) throw unknown(repository, wanted);
  const base = repository.mergeBase(commit, head);
  if (base !== undefined) return { revision: wanted, commit: base, target };
  throw new GitError(
    `${wanted} and the checked-out commit have no commit in common${repository.isShallow ? ' in this shallow clone' : ''}`,
    repository.isShallow ? FETCH_ALL : `name a branch with the same history: --base REF`,
  );
}

const FETCH_ALL = 'fetch its history: git fetch --unshallow (in CI: fetch-depth: 0, or GIT_DEPTH: 0)';

/** The revision of the branch that the change goes to; undefined if none is named or found. */
export function targetBranch(repository: Repository, env: Host['env']): string | undefined {
  for (const variable of TARGET_VARIABLES) {
    const branch = env[variable]?.replace(/^refs\/heads\//, '');
    if (branch === undefined || branch === '') continue;
    return repository.firstOf([`origin/${branch}`]) ?? `origin/${branch}`;
  }
  return repository.firstOf(['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master']);
}

function unknown(repository: Repository, revision: string): GitError {
  const branch = /^origin\/([^~^@]+)/.exec(revision)?.[1];
  if (branch !== undefined && branch !== 'HEAD')
    return new GitError(
      `${revision} is not in this clone`,
      `fetch it: git fetch ${repository.isShallow ? '--unshallow ' : ''}origin ${branch}:refs/remotes/origin/${branch}`,
    );
  if (repository.isShallow) return new GitError(`${revision} is not in this shallow clone`, FETCH_ALL);
  const branches = branchesOf(repository);
  return new GitError(
    `${revision} is no commit, branch or tag of this repository`,
    branches.length === 0 ? 'commit first' : `its branches: ${branches.join(', ')}`,
  );
}

const MOST_BRANCHES = 10;

function branchesOf(repository: Repository): string[] {
  const args = [
    'for-each-ref',
    '--format=%(refname:short)',
    `--count=${MOST_BRANCHES}`,
    'refs/heads',
    'refs/remotes',
  ];
  return textOf({ stdout: repository.read(args) })
    .split('\n')
    .filter(Boolean);
}
