import type { Budget } from '../../compiler/load/budget.ts';
import { fromCwd, gitRootOf, isInside, joinPath } from '../../compiler/load/files.ts';
import type { State } from '../../compiler/load/manifests.ts';
import type { GivenText } from '../../compiler/load/read.ts';
import type { Options } from '../command/command.ts';
import type { Refusal } from '../command/refusal.ts';
import { planRoot, stateIn } from '../files/states.ts';
import { readStream, STDIN } from '../files/streams.ts';
import { openRepository } from '../git/repository.ts';
import type { Host } from '../host.ts';
import { folderState } from './folder-base.ts';
import { baseInGit } from './git-base.ts';
import type { Compared } from './states.ts';

/** Manifests of head from files or standard input, and those of base if they come from a file. */
interface Files {
  folders: readonly string[];
  head: readonly GivenText[];
  base: GivenText | undefined;
}

/** The values of `-f`. */
export function filesOf({ filename }: Options): readonly string[] {
  return Array.isArray(filename) ? (filename as readonly string[]) : [];
}

/**
 * What operands and `-f` name, if head or base cannot be found by its path in both states: with standard input, or with a
 * file as the base. Undefined if paths are compared.
 */
export function readFiles(
  host: Host,
  operands: readonly string[],
  options: Options,
): Files | Refusal | undefined {
  const names = [...operands, ...filesOf(options)];
  const { 'base-file': baseFile } = options;
  const stdin = names.filter((name) => name === STDIN).length;
  if (stdin === 0 && baseFile === undefined) return undefined;
  const other =
    options['staged'] === true ? '--staged' : options['head'] === undefined ? undefined : '--head';
  if (other !== undefined)
    return { problem: `${other} plans what git has, not other files`, help: `leave ${other} out` };
  if (baseFile === undefined && options['base-dir'] === undefined)
    return {
      problem: 'standard input has no state at base',
      help: 'render the base as well, and name the output: --base-file FILE',
    };
  if (names.length === 0)
    return { problem: '--base-file needs the file to compare with', help: 'name it: -f FILE, or -f -' };
  if (stdin + (baseFile === STDIN ? 1 : 0) > 1)
    return { problem: 'standard input is named twice', help: 'write one of the two to a file' };
  const head: GivenText[] = [];
  const folders: string[] = [];
  for (const name of names) {
    const path = fromCwd(host, name);
    if (name !== STDIN && host.inspect(path)?.kind === 'folder') {
      if (!isInside(path, host.cwd))
        return { problem: `${path} is outside of ${host.cwd}`, help: 'run the command in a folder above it' };
      folders.push(path);
      continue;
    }
    const read = readStream(host, name, false);
    if ('problem' in read) return read;
    head.push(read);
  }
  // A new application has nothing at base.
  const base = typeof baseFile === 'string' ? readStream(host, baseFile, true) : undefined;
  return base !== undefined && 'problem' in base ? base : { folders, head, base };
}

/**
 * The states of files. The plans are beside the `kruise.yaml` that counts for the working directory, or there. Plans at base come from
 * the base in git, or from the folder of `--base-dir`. Throws a `GitError`.
 */
export function comparedFiles(
  host: Host,
  { folders, head: given, base: baseText }: Files,
  options: Options,
  budget: Budget,
): Compared | Refusal {
  const state = stateIn(host, planRoot(host, host.cwd, budget), folders, String(options['out']));
  if ('problem' in state) return state;
  const head = { ...state, given };
  const common = { host, head, isWritable: true, newer: undefined, whole: undefined };
  const manifests = baseText === undefined ? undefined : { paths: [], given: [baseText] };
  const { 'base-dir': baseDir, base: revision } = options;
  if (typeof baseDir === 'string') {
    const base = folderState(host, head, baseDir);
    if ('problem' in base) return base;
    const { unread: _unread, ...read } = base;
    return { ...common, base: { ...read, paths: [base.root], ...manifests }, notes: [], isHistoryCut: false };
  }
  const root = gitRootOf(host, host.cwd);
  const repository = root === undefined ? undefined : openRepository(host, host.cwd);
  const wanted = typeof revision === 'string' ? revision : undefined;
  if (wanted === undefined && repository?.commit('HEAD') === undefined) {
    const notes = [
      'there is no commit to read the plans at base from: --base-dir DIR names a folder with them',
    ];
    return { ...common, base: { ...withoutPlans(host), ...manifests }, notes, isHistoryCut: false };
  }
  const inGit = baseInGit(
    host,
    repository ?? openRepository(host, host.cwd),
    { state: head, host, name: 'HEAD' },
    wanted,
  );
  const notes = inGit.notes.map((note) => note.replace(/^base: /, 'plans at base: '));
  return { ...common, ...inGit, ...common, base: { ...inGit.base, ...manifests }, notes };
}

/** A state in a folder that does not exist. */
function withoutPlans({ cwd }: Host): State {
  const root = joinPath(cwd, './<base>');
  return { root, paths: [], plans: joinPath(root, './plans') };
}
