import type { CompileInput } from '../../compiler/compile.ts';
import type { CompilerHost } from '../../compiler/host.ts';
import { isInside, joinPath, shownPath } from '../../compiler/load/files.ts';
import { createParseCache } from '../../compiler/load/parse-cache.ts';
import { onceOnly } from '../../compiler/load/once-only.ts';
import { loadState } from '../../compiler/load/manifests.ts';
import type { State } from '../../compiler/load/manifests.ts';
import type { WholeBase } from '../../compiler/plan/moved.ts';
import { baseState } from '../files/states.ts';
import { type BaseCommit, findBase, SHORT, targetBranches, unknownRevision } from '../git/base.ts';
import { plansBefore } from '../git/history.ts';
import { GitError } from '../git/git-error.ts';
import type { Repository } from '../git/repository.ts';
import { committedHost, committedTree } from '../git/states.ts';
import { fullNames, olderBase } from '../git/older-base.ts';
import type { Link } from '../git/submodules.ts';
import { shellWord } from '../../compiler/text/shell-word.ts';
import type { Host } from '../host.ts';
import type { BranchTip, Compared } from './states.ts';

/** A base in git, and the notes that are printed about it. */
export interface CommittedBase extends Required<
  Pick<CompileInput, 'base' | 'baseHost' | 'earlierPlans' | 'isHistoryCut'>
> {
  notes: readonly string[];
  /** The state of the branch that the change goes to, if the base is another one. */
  newer: Compared['newer'];
  /** The whole state at base, if the run compares a part of it. */
  whole: WholeBase | undefined;
  commit: string;
  /** The submodules that it has. */
  links: readonly Link[];
  ifUnchanged: Compared['ifUnchanged'];
  olderBase: GitError | undefined;
  /** What the user or CI calls the base. */
  baseName: string;
  tip: BranchTip | undefined;
  isMergeOfBase: boolean;
  /** The working directory below the root of the repository. */
  folder: string;
}

/** The commit of a revision that the user named as head. Throws a `GitError`. */
export function commitOfHead(repository: Repository, revision: string): string {
  const commit = repository.commit(revision);
  if (commit !== undefined) return commit;
  if (revision === 'HEAD')
    throw new GitError('the repository has no commit yet', 'commit the state before the change first');
  throw unknownRevision(repository, revision);
}

/** What is compared with a base in git. */
interface Head {
  state: State;
  /** What it is read from. */
  host: CompilerHost;
  /** The revision that it is, or begins at, as the user names it. */
  name: string;
}

/** The base of a head in git: what `revision` or the target branch of the change makes it. Throws a `GitError`. */
export function baseInGit(
  host: Host,
  repository: Repository,
  head: Head,
  revision: string | undefined,
): CommittedBase {
  const branches = targetBranches(host);
  const named =
    revision === undefined ? [] : [revision, `origin/${revision}`, ...Object.values(fullNames(revision))];
  const parents = [1, 2].map((which) => `${head.name}^${which}`);
  repository.resolveAll([
    'HEAD',
    'MERGE_HEAD',
    head.name,
    olderThan(head.name),
    ...parents,
    ...named,
    ...branches,
  ]);
  const commit = commitOfHead(repository, head.name);
  // The only one is what CI names: it is the target though it has to be fetched first.
  const target = branches.length === 1 ? branches[0] : branches.find((each) => repository.commit(each));
  const found = findBase(repository, host, { head: commit, headName: head.name, revision, target });
  const isOnBase = revision === undefined && found.commit === commit;
  const isTargetKnown = branches.length === 1;
  const base = committedBase(host, repository, head, found);
  return {
    ...base,
    newer: newerState(host, repository, head.state, commit, found, isTargetKnown),
    notes: [...base.notes, ...(revision === undefined ? [] : asTag(repository, revision))],
    ifUnchanged: isOnBase ? () => nothingDiffers(repository, head.name) : undefined,
    olderBase: olderBase(repository, { commit, name: head.name }, found, isTargetKnown),
  };
}

/** How to compare what is committed already; undefined if there is nothing older. */
function nothingDiffers(repository: Repository, headName: string): string | undefined {
  return repository.commit(olderThan(headName)) === undefined
    ? undefined
    : `nothing to plan differs from the base; to plan the last commit, name an older one: --base ${olderThan(shellWord(headName))}`;
}

function olderThan(revision: string): string {
  return `${revision}~1`;
}

/** The base in git: its state, what it is read from, and the history of its plans. */
function committedBase(
  host: Host,
  repository: Repository,
  { state: head, host: headHost, name: headName }: Head,
  { revision, commit, target, reason }: BaseCommit,
): Omit<CommittedBase, 'ifUnchanged' | 'olderBase' | 'newer'> {
  const at = joinPath(host.cwd, `./${revision}:`);
  const { host: baseHost, links } = committedTree(
    host,
    repository,
    commit,
    at,
    folderIn(repository, head.root),
  );
  const base = stateAt(baseHost, repository, head, at);
  const isAtHead = (path: string): boolean => headHost.inspect(joinPath(repository.root, path)) !== undefined;
  const earlier = plansBefore(repository, commit, isAtHead);
  const inTree = (path: string): string => path.slice(at.length + 1);
  const because = reason === undefined ? '' : `: ${reason}`;
  const shallow = repository.isShallow
    ? ['this clone is shallow: earlier versions of the plans are not looked up beyond it']
    : [];
  return {
    base,
    baseHost,
    commit,
    links,
    earlierPlans(paths) {
      const textsOf = earlier(paths.map(inTree));
      return (path) => textsOf(inTree(path));
    },
    notes: [`base: ${revision}, at ${commit.slice(0, SHORT)}${because}`, ...shallow],
    isHistoryCut: repository.isShallow,
    whole: wholeBase(host, repository, { state: head, host: headHost }, commit, at),
    // In another clone HEAD is another commit.
    baseName: revision.startsWith('HEAD') ? commit.slice(0, SHORT) : revision,
    tip: tipOf(host, repository, head, { revision, commit }),
    // A build of the branch itself has its base already.
    isMergeOfBase: target !== undefined && isMergeOf(repository, headName, commit),
    folder: isInside(host.cwd, repository.root) ? folderIn(repository, host.cwd) : '',
  };
}

/** Git takes the tag where a branch has the same name, and so does this; people often mean the branch. */
function asTag(repository: Repository, revision: string): string[] {
  const { local, tag } = fullNames(revision);
  const [named, branch, used] = [tag, local, revision].map((each) => repository.commit(each));
  if (named === undefined || branch === undefined || named === branch || used !== named) return [];
  return [
    `${revision} is a tag and a branch: this is the tag; for the branch, --base ${shellWord(`heads/${revision}`)}`,
  ];
}

function tipOf(
  host: Host,
  repository: Repository,
  head: State,
  { revision, commit }: Pick<BaseCommit, 'revision' | 'commit'>,
): BranchTip | undefined {
  const newest = repository.commit(revision);
  if (newest === undefined || newest === commit) return undefined;
  const at = joinPath(host.cwd, `./${revision}:`);
  const there = (path: string): string => joinPath(at, `./${folderIn(repository, path)}`);
  return {
    branch: revision,
    // kruise.yaml may lie above the root of head.
    host: onceOnly(() => committedHost(host, repository, newest, at)),
    state: { root: there(head.root), headRoot: head.root, top: at, paths: [], plans: there(head.plans) },
  };
}

/** Whether head merges the base into a branch that lacks it: a clone of the branch has no such commit. */
function isMergeOf(repository: Repository, headName: string, base: string): boolean {
  const parents = [1, 2].map((which) => repository.commit(`${headName}^${which}`));
  const [own] = parents.filter((each) => each !== base);
  return parents.includes(base) && own !== undefined && repository.mergeBase(base, own) !== base;
}

/** The manifests of the whole repository at base; undefined if the run compares them all. */
function wholeBase(
  host: Host,
  repository: Repository,
  { state: head, host: headHost }: Omit<Head, 'name'>,
  commit: string,
  at: string,
): WholeBase | undefined {
  if (head.paths.length === 1 && head.paths[0] === repository.root) return undefined;
  const state = {
    root: at,
    headRoot: repository.root,
    paths: [at],
    plans: joinPath(at, `./${folderIn(repository, head.plans)}`),
  };
  const revision = shownPath(host, at);
  const atHead = (file: string): string => joinPath(repository.root, `./${file.slice(revision.length)}`);
  return {
    host: () => committedHost(host, repository, commit, at),
    state,
    fileAtHead: (file) => shownPath(headHost, atHead(file)),
    isAtHead(file, id, budget) {
      const path = atHead(file);
      if (headHost.inspect(path) === undefined) return false;
      const ofFile = { root: repository.root, paths: [path], plans: '', isFound: true };
      return loadState(headHost, ofFile, createParseCache(), budget).manifests.has(id);
    },
  };
}

/** The state where head left the branch that the change goes to, if the base is another one. */
function newerState(
  host: Host,
  repository: Repository,
  head: State,
  headId: string,
  { revision, commit, target }: BaseCommit,
  isTargetKnown: boolean,
): Compared['newer'] {
  // A change goes to a branch of the remote: one that the user names is believed to be it.
  const isBelieved = !isTargetKnown && revision.startsWith('origin/') && revision !== 'origin/HEAD';
  const branch =
    target === undefined || target === revision || isBelieved ? undefined : repository.commit(target);
  const left = branch === undefined ? undefined : repository.mergeBase(branch, headId);
  if (target === undefined || left === undefined || left === commit) return undefined;
  // The base is a later state of it, as where a change goes to a branch of its own.
  if (repository.mergeBase(left, commit) === left) return undefined;
  const at = joinPath(host.cwd, `./${target}:`);
  const newer = committedHost(host, repository, left, at, folderIn(repository, head.root));
  const state = stateAt(newer, repository, head, at);
  return { host: newer, state, base: revision, branch: target, tree: { repository, commit: left } };
}

/** The same places as those of head in a tree that lies at `at`. */
function stateAt(host: CompilerHost, repository: Repository, head: State, at: string): State {
  return { ...baseState(host, head, joinPath(at, `./${folderIn(repository, head.root)}`)), top: at };
}

/** Relative to the root of the working tree; `''` is the root itself. */
export function folderIn(repository: Repository, path: string): string {
  return path === repository.root ? '' : path.slice(repository.root.length + 1);
}
