import { HostError } from '../../compiler/host.ts';
import type { Host, TreeFile } from '../host.ts';
import { entriesOfCommit, entriesOfIndex, readBlobs, sizesOf, type TreeEntry } from './objects.ts';
import { GitError } from './git-error.ts';
import type { Repository } from './repository.ts';
import { checkedOut, checkoutsOf } from './submodules.ts';

/** A larger state is not written into a temporary folder, bytes. */
const MOST_BYTES = 512 * 1024 ** 2;
/** So much is read at once, bytes. */
const BATCH_BYTES = 16 * 1024 ** 2;

/** A state of git in a temporary folder. */
export interface Exported {
  folder: string;
  remove(): void;
}

/**
 * Writes a commit, or the index, into a temporary folder: the files as they are committed, without filters. Submodules are
 * there as far as they are checked out. Throws a `GitError`.
 */
export function exportTree(host: Host, repository: Repository, commit: string): Exported {
  if (host.renderer === undefined)
    throw new GitError('commands cannot be run here', 'name a file: --base-file');
  const entries =
    commit === 'index' ? entriesOfIndex(repository, '') : entriesOfCommit(repository, commit, '');
  try {
    return host.renderer.unpack(filesOf(host, repository, entries, ''));
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    throw new GitError(
      `the files of ${commit} cannot be written into a temporary folder: ${error.reason}`,
      'render both states yourself: kruise plan -f FILE --base-file FILE',
    );
  }
}

function* filesOf(
  host: Host,
  repository: Repository,
  entries: readonly TreeEntry[],
  below: string,
): Generator<TreeFile> {
  const conflict = entries.find(({ kind }) => kind === 'unmerged');
  if (conflict !== undefined)
    throw new GitError(`${conflict.path} is not merged`, 'resolve the conflict, and add the file');
  const files = entries.filter(({ kind }) => kind !== 'submodule');
  const unknown = files.filter(({ size }) => size === undefined).map(({ id }) => id);
  const sizes = sizesOf(repository, [...new Set(unknown)]);
  const sizeOf = ({ id, size }: TreeEntry): number => size ?? sizes.get(id) ?? 0;
  if (files.reduce((sum, entry) => sum + sizeOf(entry), 0) > MOST_BYTES)
    throw new GitError(
      'the repository is too large to be written into a temporary folder',
      'render both states yourself: kruise plan -f FILE --base-file FILE',
    );
  for (let at = 0; at < files.length;) {
    const batch: TreeEntry[] = [];
    for (let bytes = 0; at < files.length && (batch.length === 0 || bytes <= BATCH_BYTES); at++) {
      const next = files[at];
      if (next === undefined) break;
      batch.push(next);
      bytes += sizeOf(next);
    }
    const blobs = readBlobs(repository, [...new Set(batch.map(({ id }) => id))]);
    for (const { path, kind, isProgram, id } of batch)
      yield {
        path: `${below}${path}`,
        kind: kind === 'link' ? 'link' : isProgram ? 'program' : 'file',
        bytes: blobs.get(id) ?? new Uint8Array(),
      };
  }
  for (const { path, kind, id } of entries) {
    if (kind !== 'submodule') continue;
    const inner = checkedOut(host, repository, path, id, () => checkoutsOf(host, repository));
    if (inner !== undefined) yield* filesOf(host, inner, entriesOfCommit(inner, id, ''), `${below}${path}/`);
  }
}
