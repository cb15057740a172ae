import { HostError, TooMuch } from '../../compiler/host.ts';
import type { GitResult, Host } from '../host.ts';
import { GitError, MissingObjects } from './git-error.ts';

/** A repository with a working tree. Its objects are read; nothing of its configuration is executed. */
export interface Repository {
  /** The absolute folder of the working tree. */
  root: string;
  /** History ends before its first commit. */
  isShallow: boolean;
  /** The id of the commit that a revision names; undefined if it names none here. */
  commit(revision: string): string | undefined;
  /** The same for several revisions by one run of git: each costs as much as a small plan. The answers are kept. */
  resolveAll(revisions: readonly string[]): void;
  /**
   * The newest commit of the target that head has in its history, and a merge in progress with it; undefined if there is none
   * here. Throws a `GitError` if several are as new and none is one that the target itself was.
   */
  mergeBase(target: string, head: string): string | undefined;
  /** Prints of a command that must succeed. Throws a `GitError`. */
  read(args: readonly string[], input?: string): Uint8Array;
}

/** The repository that a folder is in. Throws a `GitError`. */
export function openRepository(host: Pick<Host, 'git' | 'env'>, folder: string): Repository {
  const answer = run(host, folder, [
    ...['rev-parse', '--absolute-git-dir', '--is-shallow-repository', '--show-toplevel'],
  ]);
  if (answer.code !== 0) throw notOpened(folder, answer.stderr);
  const { gitFolder = '', shallow, root = '' } = placesIn(textOf(answer));
  const hidden = isOfOther(host.env['GIT_INDEX_FILE'], gitFolder) ? ['GIT_INDEX_FILE'] : [];

  function read(args: readonly string[], input?: string): Uint8Array {
    const { code, stdout, stderr } = run(host, root, args, input, hidden);
    const problem = `git ${args[0]} failed: ${reasonIn(stderr)}`;
    if (code !== 0 && isMissing(stderr)) throw new MissingObjects(problem, FETCH_MISSING);
    if (code !== 0) throw new GitError(problem, helpFor(stderr));
    return stdout;
  }

  const known = new Map<string, string | undefined>();

  function resolveAll(revisions: readonly string[]): void {
    const asked = revisions.filter((each) => !known.has(each) && !each.includes('\n'));
    if (asked.length === 0) return;
    const lines = asked.map((each) => `${fullNameOf(each)}^{commit}\n`).join('');
    const answers = textOf({ stdout: read(['cat-file', '--batch-check'], lines) }).split('\n');
    for (const [index, each] of asked.entries())
      known.set(each, /^([0-9a-f]{40,64}) commit \d+$/.exec(answers[index] ?? '')?.[1]);
  }

  function commit(revision: string): string | undefined {
    resolveAll([revision]);
    return known.get(revision);
  }

  return {
    root,
    isShallow: shallow === 'true',
    commit,
    resolveAll,
    mergeBase(target, head) {
      if (target === head) return head;
      const merging = head === commit('HEAD') ? commit('MERGE_HEAD') : undefined;
      const heads = merging === undefined ? [head] : [head, merging];
      const found = run(host, root, ['merge-base', '--all', target, ...heads]);
      const [best, ...others] = found.code === 0 ? textOf(found).trim().split('\n') : [];
      if (others.length === 0 || best === undefined) return best;
      // Of several, what the target itself was: the others came with branches that were merged into both.
      const history = textOf({ stdout: read(['rev-list', '--first-parent', target]) }).split('\n');
      const own = history.find((each) => each === best || others.includes(each));
      if (own !== undefined) return own;
      throw new GitError(
        'head and the base have several merge bases, and none is in the history of the base',
        'merge or rebase the branch first',
      );
    },
    read,
  };
}

/** The full name of a branch that others share, so that no tag or branch of a similar name stands for it. */
function fullNameOf(revision: string): string {
  if (revision.startsWith('origin/')) return `refs/remotes/${revision}`;
  return revision === 'main' || revision === 'master' ? `refs/heads/${revision}` : revision;
}

/** The text that git printed on standard output. */
export function textOf({ stdout }: Pick<GitResult, 'stdout'>): string {
  return new TextDecoder().decode(stdout);
}

/** A hook of one repository may read another one, or a submodule. The index that git names to it is not theirs. */
function isOfOther(index: string | undefined, gitFolder: string): boolean {
  if (index === undefined || !index.startsWith('/') || !index.split('/').includes('.git')) return false;
  return index.slice(0, index.lastIndexOf('/')) !== gitFolder;
}

function run(
  host: Pick<Host, 'git'>,
  folder: string,
  args: readonly string[],
  input?: string,
  hidden: readonly string[] = [],
): GitResult {
  if (host.git === undefined) throw new GitError('git is not available here', 'use --base-dir DIR');
  try {
    return host.git(folder, args, input, hidden);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const isTooMuch = error instanceof TooMuch;
    throw new GitError(
      error.reason,
      isTooMuch ? 'plan a folder of the repository: kruise plan DIR' : 'install git, or use --base-dir DIR',
    );
  }
}

/** The folder of git, whether the clone is shallow, and the root: a line each. Folders may have line ends in their names. */
function placesIn(text: string): { gitFolder?: string; shallow?: string; root?: string } {
  for (const shallow of ['true', 'false']) {
    const [gitFolder = '', ...rest] = text.split(`\n${shallow}\n`);
    if (rest.length > 0 && text.endsWith('\n'))
      return { gitFolder, shallow, root: rest.join(`\n${shallow}\n`).slice(0, -1) };
  }
  return {};
}

/** What stands behind some words, up to the end of the line; undefined: nothing does. */
function restOfLine(text: string, words: string): string | undefined {
  const at = text.toLowerCase().indexOf(words);
  const rest = at === -1 ? '' : (text.slice(at + words.length).split('\n')[0] ?? '');
  return rest === '' ? undefined : rest;
}

function notOpened(folder: string, stderr: string): GitError {
  const lost = restOfLine(stderr, 'not a git repository: ');
  if (lost !== undefined)
    return new GitError(
      `the file .git of ${folder}, or of a folder above it, names ${lost}, which is no repository`,
      'for a worktree run git worktree repair in its repository, for a submodule git submodule update --init',
    );
  if (/not a git repository/i.test(stderr))
    return new GitError(
      `${folder} is in no git repository`,
      'run the command in a clone, or use --base-dir DIR',
    );
  if (/must be run in a work tree|cannot use bare repository/.test(stderr))
    return new GitError(
      `${folder} is in a bare repository`,
      'run the command in a clone or a worktree of it',
    );
  return new GitError(`git cannot read the repository: ${reasonIn(stderr)}`, helpFor(stderr));
}

/** What git printed as its reason; warnings may stand before it. */
function reasonIn(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const reason =
    lines.find((line) => line.startsWith('fatal: ')) ?? lines.find((line) => line.startsWith('error: '));
  return (reason ?? lines[0] ?? 'it gives no reason').replace(/^(fatal|error): /, '');
}

function helpFor(stderr: string): string {
  const owner = restOfLine(stderr, 'safe.directory ');
  if (owner !== undefined) return `git config --global --add safe.directory ${owner}`;
  return 'mend the repository, or use --base-dir DIR';
}

const FETCH_MISSING = 'this is a partial clone without these objects: git fetch --refetch --no-filter';

function isMissing(stderr: string): boolean {
  return /lazy fetch|promisor|missing|not allowed/i.test(stderr);
}
