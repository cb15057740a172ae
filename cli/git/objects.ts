import { GitError, textOf, type Repository } from './repository.ts';

/** What a commit or the index has at a path. */
export interface TreeEntry {
  /** Relative to the root of the working tree. */
  path: string;
  kind: 'file' | 'link' | 'submodule';
  /** Of the blob; of a submodule the id of its commit. */
  id: string;
  /** Of the blob, bytes; undefined where it was not asked for. */
  size: number | undefined;
}

/** Everything that a commit has below a folder, which is relative to the root; `''` is the root. */
export function entriesOfCommit(
  repository: Pick<Repository, 'read'>,
  commit: string,
  folder: string,
): TreeEntry[] {
  const below = folder === '' ? [] : ['--', `:(top,literal)${folder}`];
  const printed = repository.read(['ls-tree', '-r', '-l', '-z', '--full-tree', commit, ...below]);
  return recordsIn(printed).map((record) => {
    const [, mode = '', id = '', size, path = ''] = /^(\d+) \S+ (\S+) +(\S+)\t(.*)$/s.exec(record) ?? [];
    return { path, kind: kindOfMode(mode), id, size: size === '-' ? undefined : Number(size) };
  });
}

/** Everything that the index has below a folder. Throws a `GitError` while a merge is not resolved there. */
export function entriesOfIndex(repository: Pick<Repository, 'read'>, folder: string): TreeEntry[] {
  const below = folder === '' ? [] : ['--', `:(top,literal)${folder}`];
  const printed = repository.read(['ls-files', '--stage', '-z', '--full-name', ...below]);
  return recordsIn(printed).map((record) => {
    const [, mode = '', id = '', stage, path = ''] = /^(\d+) (\S+) (\d)\t(.*)$/s.exec(record) ?? [];
    if (stage !== '0') throw new GitError(`${path} is not merged`, 'resolve the conflict, and add the file');
    return { path, kind: kindOfMode(mode), id, size: undefined };
  });
}

/** The files below a folder that a sparse checkout left out of the working tree. */
export function sparseFiles(repository: Pick<Repository, 'read'>, folder: string): string[] {
  const below = folder === '' ? [] : ['--', `:(top,literal)${folder}`];
  const printed = repository.read(['ls-files', '-t', '-z', '--full-name', ...below]);
  return recordsIn(printed).flatMap((record) => (record.startsWith('S ') ? [record.slice(2)] : []));
}

/** The bytes of each blob by its id. Throws a `GitError` if one is not in the repository. */
export function readBlobs(
  repository: Pick<Repository, 'read'>,
  ids: readonly string[],
): Map<string, Uint8Array> {
  const blobs = new Map<string, Uint8Array>();
  if (ids.length === 0) return blobs;
  const printed = repository.read(['cat-file', '--batch'], `${ids.join('\n')}\n`);
  let at = 0;
  for (const id of ids) {
    const end = printed.indexOf(LINE_END, at);
    const [, type, size] = textOf({ stdout: printed.subarray(at, end) }).split(' ');
    if (type !== 'blob') throw missing(id);
    const start = end + 1;
    const length = Number(size);
    blobs.set(id, printed.subarray(start, start + length));
    at = start + length + 1;
  }
  return blobs;
}

/** The size of each blob by its id, in bytes. Throws a `GitError` if one is not in the repository. */
export function sizesOf(repository: Pick<Repository, 'read'>, ids: readonly string[]): Map<string, number> {
  const sizes = new Map<string, number>();
  if (ids.length === 0) return sizes;
  const stdout = repository.read(['cat-file', '--batch-check'], `${ids.join('\n')}\n`);
  for (const line of textOf({ stdout }).trimEnd().split('\n')) {
    const [id = '', type, size] = line.split(' ');
    if (type !== 'blob') throw missing(id);
    sizes.set(id, Number(size));
  }
  return sizes;
}

const LINE_END = 0x0a;

function missing(id: string): GitError {
  return new GitError(
    `the object ${id} is not in this clone`,
    'fetch what a partial clone left out: git fetch --refetch --no-filter',
  );
}

/** What git ended with a NUL each. */
export function recordsIn(printed: Uint8Array): string[] {
  const text = textOf({ stdout: printed });
  return text === '' ? [] : text.replace(/\0$/, '').split('\0');
}

function kindOfMode(mode: string): TreeEntry['kind'] {
  if (mode === '160000') return 'submodule';
  return mode === '120000' ? 'link' : 'file';
}
