import { spawnSync } from 'node:child_process';
import { delimiter, isAbsolute } from 'node:path';
import { HostError, TooMuch } from '../../compiler/host.ts';
import { sizeText } from '../../compiler/load/limits.ts';
import type { GitResult } from '../host.ts';

/**
 * What a repository could otherwise make git execute: its monitor of the file system, its hooks, what verifies signatures,
 * and what fetches missing objects of a partial clone. Its settings do not change what a log has.
 */
const HARMLESS = [
  '--no-pager',
  '--no-optional-locks',
  '--no-replace-objects',
  ...[
    'core.fsmonitor=false',
    'core.hooksPath=/dev/null',
    'protocol.allow=never',
    'safe.bareRepository=explicit',
    'log.showSignature=false',
    'log.showRoot=true',
    'log.follow=false',
    'log.diffMerges=separate',
  ].flatMap((set) => ['-c', set]),
];

/** What a hook of another repository, or of another folder of this one, may have set. */
const UNSET = Object.fromEntries(
  [
    ...['DIR', 'WORK_TREE', 'COMMON_DIR', 'OBJECT_DIRECTORY', 'ALTERNATE_OBJECT_DIRECTORIES', 'NAMESPACE'],
    ...['GLOB_PATHSPECS', 'NOGLOB_PATHSPECS', 'ICASE_PATHSPECS', 'LITERAL_PATHSPECS', 'PREFIX', 'GRAFT_FILE'],
  ].map((name) => [`GIT_${name}`, undefined]),
);

/** A program that lies in the folder itself, which may be of a pull request, is not found by an entry such as `.`. */
function absoluteFolders(path: string | undefined): string | undefined {
  return path?.split(delimiter).filter(isAbsolute).join(delimiter);
}

/** More output than this is no answer to a question about manifests: contents of files, and lists of them, bytes. */
const MOST_CONTENT = 256 * 1024 ** 2;
const MOST_LISTED = 96 * 1024 ** 2;

/**
 * Runs git in a folder, in the C locale, without a terminal, a network or anything that the repository configures.
 *
 * @param hidden names of variables that it must not see
 * @throws HostError if there is no git, or it does not end by itself; a TooMuch if it prints too much
 */
export function runGit(
  folder: string,
  args: readonly string[],
  input?: string,
  hidden: readonly string[] = [],
): GitResult {
  const most = args[0] === 'cat-file' ? MOST_CONTENT : MOST_LISTED;
  const { error, signal, status, stdout, stderr } = spawnSync('git', [...HARMLESS, ...args], {
    cwd: folder,
    ...(input === undefined ? { stdio: ['ignore', 'pipe', 'pipe'] as const } : { input }),
    env: {
      ...process.env,
      PATH: absoluteFolders(process.env['PATH']),
      ...UNSET,
      ...Object.fromEntries(hidden.map((name) => [name, undefined])),
      LC_ALL: 'C',
      GIT_TERMINAL_PROMPT: '0',
      GIT_NO_LAZY_FETCH: '1',
      GIT_ALLOW_PROTOCOL: '',
      GIT_OPTIONAL_LOCKS: '0',
    },
    maxBuffer: most,
    windowsHide: true,
  });
  const code = error === undefined || !('code' in error) ? undefined : error.code;
  // It has ended before it read its input: what it printed says why.
  if (error !== undefined && code !== 'EPIPE') {
    if (code === 'ENOBUFS') throw new TooMuch(`git lists more than ${sizeText(most)} here`);
    const isMissing = code === 'ENOENT';
    throw new HostError(isMissing ? 'there is no git on this machine' : error.message);
  }
  if (status === null) throw new HostError(`git was ended by ${signal ?? 'a signal'}`);
  return { code: status, stdout, stderr: stderr.toString('utf8') };
}
