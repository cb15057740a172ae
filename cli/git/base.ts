import { isCI } from '../command/ci.ts';
import { shellWord } from '../../compiler/text/shell-word.ts';
import type { Host } from '../host.ts';
import { suggest } from '../../compiler/text/suggest.ts';
import { beforePush, queuedBranch } from './before-push.ts';
import { GitError } from './git-error.ts';
import { type Repository, textOf } from './repository.ts';

/** The commit that a plan starts from. */
export interface BaseCommit {
  /** The revision as the user or the pull request names it. */
  revision: string;
  /** Its newest common commit with head. */
  commit: string;
  /** The revision that CI, the remote or the name of a branch makes the target of the change; undefined: none was found. */
  target: string | undefined;
  /** Why it is this one, where that is not plain. */
  reason?: string;
}

/** What base and head of a change are found by. */
interface Asked {
  /** The commit of head, and how the user names it. */
  head: string;
  headName: string;
  /** The revision that the user named as base. */
  revision: string | undefined;
  /** The branch that the change goes to. */
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
 * else the default branch of the remote `origin`, else `main` or `master`, else head itself. Where that is head itself, CI
 * compares with the state before the push. Throws a `GitError`.
 */
export function findBase(
  repository: Repository,
  host: Pick<Host, 'env' | 'readFile'>,
  { head, headName, revision, target }: Asked,
): BaseCommit {
  const wanted = revision ?? target;
  // At a desk the last commit is a good guess; in CI it would be a base without a difference.
  if (wanted === undefined && !isCI(host.env)) {
    const reason =
      'there is no branch to compare with, so only uncommitted changes are seen (name one: --base BRANCH)';
    return { revision: 'HEAD', commit: head, target, reason };
  }
  if (wanted === undefined)
    throw new GitError(
      'there is no branch origin/HEAD, main or master to compare with',
      'name one: --base REF, such as --base origin/develop',
    );
  const commit = repository.commit(wanted);
  if (commit === undefined) throw unknownRevision(repository, wanted);
  const base = repository.mergeBase(commit, head);
  if (base === undefined)
    throw new GitError(
      `${wanted} and the checked-out commit have no commit in common${repository.isShallow ? ' in this shallow clone' : ''}`,
      repository.isShallow ? FETCH_ALL : `name a branch with the same history: --base REF`,
    );
  if (base !== head || !isCI(host.env)) return { revision: wanted, commit: base, target };
  if (revision === undefined) return ofPush(repository, host, { head, headName }, wanted);
  return {
    revision: wanted,
    commit: base,
    target,
    reason: `it has ${headName} already, so no commit is compared`,
  };
}

/** Digits of a commit that people read. */
export const SHORT = 12;

const FETCH_ALL = 'fetch its history: git fetch --unshallow (in CI: fetch-depth: 0, or GIT_DEPTH: 0)';

/** The base of a build of the branch itself, which would otherwise compare nothing and pass. Throws a `GitError`. */
function ofPush(
  repository: Repository,
  host: Pick<Host, 'env' | 'readFile'>,
  { head, headName }: Pick<Asked, 'head' | 'headName'>,
  target: string,
): BaseCommit {
  const pushed = `${target} has ${headName} already`;
  const before = beforePush(host);
  const known = before === undefined ? undefined : repository.commit(before.id);
  if (before !== undefined && known !== undefined && known !== head) {
    const reason = `${pushed}, so what was pushed is compared (${before.from})`;
    return { revision: known.slice(0, SHORT), commit: known, target: undefined, reason };
  }
  const isMissing = before !== undefined && known === undefined;
  // The last commit alone may not be what was pushed.
  if (isMissing && repository.isShallow)
    throw new GitError(
      `${pushed}, and this shallow clone lacks the commit before the push (${before.from}: ${before.id.slice(0, SHORT)})`,
      FETCH_ALL,
    );
  const missing = isMissing ? ` (this clone lacks the commit that ${before.from} names)` : '';
  const revision = `${headName}^1`;
  const parent = repository.commit(revision);
  if (parent !== undefined)
    return {
      ...{ revision, commit: parent, target: undefined },
      reason: `${pushed}, so its last commit is compared${missing}`,
    };
  if (repository.isShallow)
    throw new GitError(`${pushed}, and this shallow clone has no older commit to compare with`, FETCH_ALL);
  // Of a commit that is head nothing is left to compare; a working tree may differ from it.
  const compared = headName === 'HEAD' ? 'only what is not committed is compared' : 'nothing is compared';
  return { revision: target, commit: head, target, reason: `it is the first commit, so ${compared}` };
}

/**
 * The branches that the change may go to, the first that exists is the one: what CI names, else the default branch of the
 * remote, else a local one.
 */
export function targetBranches(host: Pick<Host, 'env' | 'readFile'>): readonly [string, ...string[]] {
  for (const variable of TARGET_VARIABLES) {
    const branch = host.env[variable]?.replace(/^refs\/heads\//, '');
    if (branch !== undefined && branch !== '') return [`origin/${branch}`];
  }
  const queued = queuedBranch(host);
  if (queued !== undefined) return [`origin/${queued}`];
  return ['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master'];
}

/** What may be the name of a branch, and neither an ancestor of a revision nor the ID of a commit. */
const BRANCH = /^(?!HEAD$|@|-|[0-9a-f]{7,64}$|refs\/)[^~^@:\s]+$/;

/** Fetches a branch with its history. A clone of one branch does not fetch others by itself. */
function fetchOf(branch: string, isShallow: boolean): string {
  const ref = shellWord(`${branch}:refs/remotes/origin/${branch}`);
  return `git fetch ${isShallow ? '--unshallow ' : ''}origin ${ref}`;
}

/** Why a revision that the user or CI names is no commit here, and how to get it. */
export function unknownRevision(repository: Repository, revision: string): GitError {
  const branch = /^origin\/([^~^@]+)/.exec(revision)?.[1];
  if (branch !== undefined && branch !== 'HEAD') {
    return new GitError(
      `${revision} is not in this clone`,
      `fetch it: ${fetchOf(branch, repository.isShallow)}`,
    );
  }
  if (repository.isShallow)
    return new GitError(
      `${revision} is not in this shallow clone`,
      BRANCH.test(revision) ? `fetch it: ${fetchOf(revision, true)}` : FETCH_ALL,
    );
  const problem = `${revision} is no commit, branch or tag of this repository`;
  if (repository.commit(`refs/tags/${revision}`) !== undefined)
    return new GitError(`${revision} is a tag here, and no branch`, `for the tag: refs/tags/${revision}`);
  if (revision !== '' && repository.commit(`origin/${revision}`) !== undefined)
    return new GitError(problem, `the one of the remote is origin/${revision}`);
  const branches = branchesOf(repository);
  if (branches.length === 0) return new GitError(problem, 'commit first');
  const suggestion = suggest(revision, branches);
  return new GitError(
    problem,
    suggestion === undefined
      ? `its branches: ${branches.slice(0, MOST_LISTED).join(', ')}`
      : `did you mean ${suggestion}?`,
  );
}

const MOST_LISTED = 10;
/** A suggestion is searched among so many. */
const MOST_BRANCHES = 1_000;

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
