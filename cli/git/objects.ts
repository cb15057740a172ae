import { MissingObjects } from './git-error.ts';
import { textOf, type Repository } from './repository.ts';

/** What a commit or the index has at a path. */
export interface TreeEntry {
  /** Relative to the root of the working tree. */
  path: string;
  kind: 'file' | 'link' | 'submodule' | 'unmerged';
  /** A file that may be executed. */
  isProgram: boolean;
  /** Of the blob; of a submodule the id of its commit. */
  id: string;
  /** Of the blob, bytes; undefined where it was not asked for. */
  size: number | undefined;
}

/** Everything that a commit has below a folder, which is relative to the root; `''` is the root. Then some files, if it has them. */
export function entriesOfCommit(
  repository: Pick<Repository, 'read'>,
  commit: string,
  folder: string,
  ...files: readonly string[]
): TreeEntry[] {
  const below = folder === '' ? [] : ['--', ...[folder, ...files].map(literally)];
  const printed = repository.read(['ls-tree', '-r', '-l', '-z', '--full-tree', commit, ...below]);
  return recordsIn(printed).map((record) => {
    const [, mode = '', id = '', size, path = ''] = /^(\d+) \S+ (\S+) +(\S+)\t(.*)$/s.exec(record) ?? [];
    return { path, ...ofMode(mode), id, size: size === '-' ? undefined : Number(size) };
  });
}

/** What the index has at a path. */
export interface IndexEntry extends TreeEntry {
  /** The working tree need not have it: a sparse checkout left it out. */
  isSkipped: boolean;
}

/** Everything that the index has below folders. A path in conflict is there once, as `unmerged`. */
export function entriesOfIndex(
  repository: Pick<Repository, 'read'>,
  ...folders: readonly string[]
): IndexEntry[] {
  const below = folders.every((folder) => folder === '') ? [] : ['--', ...folders.map(literally)];
  const printed = repository.read(['ls-files', '--stage', '-t', '-z', '--full-name', ...below]);
  const unmerged = new Set<string>();
  return recordsIn(printed).flatMap((record) => {
    const [, tag, mode = '', id = '', stage, path = ''] = /^(\S) (\d+) (\S+) (\d)\t(.*)$/s.exec(record) ?? [];
    if (stage === '0') return [{ path, ...ofMode(mode), id, size: undefined, isSkipped: tag === 'S' }];
    if (unmerged.has(path)) return [];
    unmerged.add(path);
    return [{ path, kind: 'unmerged', isProgram: false, id, size: undefined, isSkipped: false }];
  });
}

/** The bytes of each blob by its id. Throws a `GitError` if one is not in the repository. */
export function readBlobs(
  repository: Pick<Repository, 'read'>,
  ids: readonly string[],
): Map<string, Uint8Array> {
  const blobs = readNamed(repository, ids);
  const lost = ids.find((id) => !blobs.has(id));
  if (lost !== undefined) throw missing(lost);
  return blobs;
}

/** The bytes of the blobs that names such as `COMMIT:PATH` have. A name without one, or with a line end in it, is left out. */
export function readNamed(
  repository: Pick<Repository, 'read'>,
  names: readonly string[],
): Map<string, Uint8Array> {
  const blobs = new Map<string, Uint8Array>();
  const asked = names.filter((name) => !name.includes('\n'));
  if (asked.length === 0) return blobs;
  const printed = repository.read(['cat-file', '--batch'], `${asked.join('\n')}\n`);
  let at = 0;
  for (const name of asked) {
    const end = printed.indexOf(LINE_END, at);
    // Of a missing object git prints its name, in which there may be blanks.
    const [, type, size] = / (\w+) (\d+)$/.exec(textOf({ stdout: printed.subarray(at, end) })) ?? [];
    const length = size === undefined ? 0 : Number(size);
    const start = end + 1;
    if (type === 'blob') blobs.set(name, printed.subarray(start, start + length));
    at = size === undefined ? start : start + length + 1;
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

/** A path in which no character has a meaning. */
function literally(path: string): string {
  return `:(top,literal)${path}`;
}

const LINE_END = 0x0a;

function missing(id: string): MissingObjects {
  return new MissingObjects(
    `the object ${id} is not in this clone`,
    'fetch what a partial clone left out: git fetch --refetch --no-filter',
  );
}

/** What git ended with a NUL each. */
export function recordsIn(printed: Uint8Array): string[] {
  const text = textOf({ stdout: printed });
  return text === '' ? [] : text.replace(/\0$/, '').split('\0');
}

function ofMode(mode: string): Pick<TreeEntry, 'kind' | 'isProgram'> {
  const kind = mode === '160000' ? 'submodule' : mode === '120000' ? 'link' : 'file';
  return { kind, isProgram: mode === '100755' };
}
